// Package streams reads the inputs of a command, record by record, each into a stream of its own.
//
// [Settings.Run] reads files, folders and globs one after the other, and standard input; with Follow it reads files while they
// are written, those that come later too, until its context or a signal ends it. For each input with a record it opens a [Stream]; before that, the
// in-band line of the input is read and its identity is known ([Origin]).
//
// One stream is called at a time, whatever the number of inputs. An input that can't be read is reported when all others
// have been; a stream that fails ends the reading, since its output is that of all.
package streams
