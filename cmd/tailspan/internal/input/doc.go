// Package input reads the inputs of commands: files, folders, globs and standard input.
//
// [Files] expands names to files. [Open] opens one: it decompresses content, reads OpenCode's database and older folders as
// lines, and passes standard input through a spool. [Lines] reads the lines of an open input, or the whole input if it is one
// document. [Live] does the same for the output of a running program.
//
// A line is valid until the next one. A line or document over the limit is counted, and read in part if possible.
package input
