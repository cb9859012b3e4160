// Package input reads what the commands are pointed at: files, folders, globs and standard input.
//
// [Files] expands names to files. [Open] opens one: packed content is unpacked, the rows of OpenCode's database and the
// files of its older folders come as lines, standard input goes through a spool. [Lines] gives the lines of an open
// input, or all of it where that is one document. [Live] does that for the output of a program at work.
//
// A line is valid until the next one. A line or document over the limit is counted, and read in part where it can be.
package input
