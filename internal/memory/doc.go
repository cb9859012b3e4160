// Package memory holds bounded collections. Each one keeps its newest entries up to a limit and evicts and counts the oldest.
//
// A [Map] maps keys to values, a [Table] maps hashes to values. A [Set] holds the hashes of the IDs that all streams exported,
// and a [Counter] counts how often each ID of one stream occurred. All except Map store hashes instead of IDs, in tables of
// numbers, because every line, span and record passes through them: a Go map of the same length takes twice the memory, and the
// garbage collector scans it.
//
// A Set is safe for concurrent use, the others are not. The zero value of a Counter is ready to use.
package memory
