// Package memory remembers what came recently, within limits: the newest of as many as a limit says, while the oldest are
// evicted and counted.
//
// A [Map] has a value for each key, and a [Table] one for each hash. A [Set] has the hashes of ids of all streams, a [Counter] how often
// the ids of one stream came. All but Map keep hashes and no ids, in tables of numbers, since every line, span and record comes by
// here: a Go map of the same length takes twice the memory, and the garbage collector looks through it.
//
// A Set is safe for use by many goroutines, the others by one at a time. The zero value of a Counter counts.
package memory
