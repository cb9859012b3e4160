// Package lines splits bytes into lines.
//
// A [Line] is the bytes up to a newline, with their place in the file. A [Splitter] receives bytes through [Splitter.Room] and
// [Splitter.Wrote] and returns lines from [Splitter.Next]; the sizes of the reads make no difference. A line over the limit is
// abridged in constant memory (package abridge). A [Pool] holds the buffers of many splitters.
//
// [CompleteObject] and [Balanced] check that the end of a text is not missing, for lines without a newline and for documents.
//
// [Line.Data] is valid until the next call of [Splitter.Room]. A Splitter is for use by one goroutine; a Pool is safe for
// concurrent use.
package lines
