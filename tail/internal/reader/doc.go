// Package reader visits files: one pass over one file at a time, whose bytes become lines for a consumer.
//
// A [Reader] is a worker. It does a [Job] of the owner of the files and returns its [Result]; the owner decides what that
// means. [Open] is what a visit leaves for the next one: the consumer, the handle, and how far a replay is. It belongs to the
// worker during a job and to the owner else.
//
//	probe    stat, read the head, compare with the files that it may continue ([Claim])
//	read     stat, read lines from the offset, compare the fingerprint, deliver, move the offset, save the checkpoint
//	finish   read what the handle of an unlinked file still has, and close
//	evict    close the consumer
//	suspend  have the consumer release its state
//
// The fingerprint is compared after a read and before its lines are delivered, so no line is made of old and new bytes. The
// offset of the result moves when the consumer has returned nil. The checkpoint of a batch is saved before the next one is
// delivered.
//
// A consumer that was opened for a file that was read before, or was suspended, receives the acknowledged lines again before the
// new ones:
//
//	phase      event                                to
//	---------  -----------------------------------  ---------
//	live       suspended                            suspended
//	live       opened with acknowledged lines       replaying
//	suspended  a new line, or pending output        replaying
//	replaying  all acknowledged lines were replayed live
//
// A visit reads 4 MiB before others have their turn, or a whole compressed file. A Reader serves one goroutine.
package reader
