// Package checkpoint stores how far streams were acknowledged.
//
// A [Checkpoint] is what is stored of a stream: the identity of its file, the acknowledged position, and the state of its
// consumer. A [Store] keeps a value for each key; a [Walker] can list its keys. A [Saver] writes the checkpoints that changed,
// so that a slow store costs a tenth of the time at most; [Written] is what it needs to know of each stream for that.
//
// A value has a version and a checksum ([Seal], [Unseal]). One of a newer or older version, or that is broken, is an error and
// never used in part: [ErrNewer], [ErrOlder], [ErrBroken].
//
// A Saver is safe for use by many goroutines, a Written serves one.
package checkpoint
