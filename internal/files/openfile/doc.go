// Package openfile opens files to be read at any place.
//
// A [Handle] is an open regular file; [Open] opens one, and reads the content of a compressed one (package unpack).
// [Descriptors] count the open files of several sources, so that idle files are closed before the process has no descriptor
// left.
//
// A Handle serves one goroutine, Descriptors many.
package openfile
