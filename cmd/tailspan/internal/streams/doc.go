// Package streams reads the inputs of a command record by record, each into a separate stream.
//
// [Settings.Run] reads files, folders and globs one after another, and standard input. With Follow it reads files while they are
// written, including later ones, until its context or a signal ends it. For each input with a record it opens a [Stream], after
// it has read the input's in-band line and determined its identity ([Origin]).
//
// Only one stream is called at a time. An input that cannot be read is reported after all others were read. A stream that fails
// ends the reading, since streams share an output.
package streams
