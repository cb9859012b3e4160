// Package checkpoint stores how far streams were acknowledged.
//
// A [Checkpoint] is what is stored of a stream: the identity of its file, the acknowledged position, and the state of its consumer.
// A [Store] keeps a value for each key; a [Walker] can also list its keys, and a [Batcher] can write many values at once.
//
// A [Saver] writes only checkpoints that changed. [Saver.Save] makes one pending, in place of an earlier one of its stream, and
// returns. After [Saver.Start], what is pending is written together, 20 ms after the first of it. After a write that took long it
// waits nine times as long, up to a second, so that a slow store takes at most a tenth of the time. What could not be written remains
// pending and is tried again after a second. After [Saver.Stop], [Saver.Flush] writes the rest. [Entry.Amend] writes another state of
// the consumer at once.
//
// A value has a version and a checksum ([Seal], [Unseal]). A value that is broken, or of a newer or older version, is an error and
// never used in part: [ErrNewer], [ErrOlder], [ErrBroken].
//
// Save, Delete, Lookup and an [Entry] are safe for concurrent use.
package checkpoint
