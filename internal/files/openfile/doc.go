// Package openfile opens files for reading at any offset.
//
// A [Handle] is an open regular file; [Open] opens one, and decompresses a compressed one (package unpack). [Descriptors]
// counts the open files of several sources, so that idle files are closed before the process runs out of descriptors.
//
// A Handle is for use by one goroutine; Descriptors is safe for concurrent use.
package openfile
