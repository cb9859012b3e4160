// Package checkpoint stores how far streams were acknowledged.
//
// A [Checkpoint] is what is stored of a stream: the identity of its file, the acknowledged position, and the state of its consumer.
// A [Store] keeps a value for each key; a [Walker] can also list its keys. A [Saver] writes only checkpoints that changed and
// limits the cost of a slow store to a tenth of the time. [Written] is what it has to know of each stream for that.
//
// A value has a version and a checksum ([Seal], [Unseal]). A value that is broken, or of a newer or older version, is an error and
// never used in part: [ErrNewer], [ErrOlder], [ErrBroken].
//
// A Saver is safe for concurrent use; a Written is for use by one goroutine.
package checkpoint
