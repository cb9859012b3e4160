// Package memory remembers what came recently, within limits: the newest of as many as a limit says, while the oldest are
// evicted and counted.
//
// A [Map] has a value for each key. A [Set] has hashes of ids, for all streams at once. A [Counter] counts how often the
// ids of one stream came. Sets and counters keep hashes and no ids, in tables of numbers, since every span and record comes
// by here: a map of the same length takes twice the memory, and the garbage collector looks through it.
//
// A Set is safe for use by many goroutines, a Map and a Counter by one at a time. The zero value of a Counter counts.
package memory
