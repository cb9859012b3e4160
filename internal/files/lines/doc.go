// Package lines cuts bytes into lines.
//
// A [Line] is the bytes up to a newline, with its place in the file. A [Splitter] receives bytes by [Splitter.Room] and
// [Splitter.Wrote] and returns lines by [Splitter.Next]; how the bytes were cut when they came makes no difference. A line
// over the limit is abridged in constant memory (package abridge). A [Pool] has the buffers of many splitters.
//
// [CompleteObject] and [Balanced] check that nothing is missing at the end of a text, for lines without a newline and for
// documents.
//
// [Line.Data] is valid until [Splitter.Room] is called. A Splitter serves one goroutine, a Pool many.
package lines
