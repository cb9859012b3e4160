// Package reader visits files: one pass over one file at a time turns its bytes into lines for a consumer.
//
// A [Reader] is a worker. It does a [Job] for the owner of the files and returns a [Result]; the owner decides what the result
// means. [Open] is what one visit leaves for the next: the consumer, the handle, and the progress of a replay. It belongs to the
// worker during a job and to the owner otherwise.
//
//	probe    stat, read the head, compare with the files that it may continue ([Claim])
//	read     stat, read lines from the offset, compare the fingerprint, deliver, move the offset, save the checkpoint
//	finish   read what the handle of an unlinked file still has, and close
//	evict    close the consumer
//	suspend  make the consumer release its state
//
// The fingerprint is compared after a read and before its lines are delivered, so no line mixes old and new bytes. The offset in
// the result moves after the consumer has returned nil. The checkpoint of a batch is saved before the next batch is delivered.
//
// A consumer that was suspended, or was opened for a file that was read before, receives the acknowledged lines again before the
// new ones:
//
//	phase      event                                to
//	---------  -----------------------------------  ---------
//	live       suspended                            suspended
//	live       opened with acknowledged lines       replaying
//	suspended  a new line, or pending output        replaying
//	replaying  all acknowledged lines were replayed live
//
// A visit reads up to 4 MiB before other files have their turn, or a whole compressed file. A Reader is for use by one goroutine.
package reader
