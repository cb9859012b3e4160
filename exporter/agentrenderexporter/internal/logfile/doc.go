// Package logfile appends to log files and rotates them, even in folders to which others may write.
//
// A [Location] has two parts. Folder is configured by the operator: links in it are followed, and it is created if missing.
// Name is the rest of the path. In a templated output it contains attribute values, and whoever may write below the folder (an
// agent, for example) could put a symbolic link where the next file is expected. Below Folder, no element of Name is followed:
// each is opened relative to the one before and compared with what is there. An element that is not a folder, or a last one
// that is not a regular file, is [ErrNotRegular], and nothing is written.
//
// # Rotation
//
// A file that would exceed its limit is renamed to "name~2026-11-28T15-04-05.000.log", and replaced by a new one with the same
// permissions. A line is split between two files only if it is longer than the limit. Rotated files beyond MaxBackups or older
// than MaxDays are removed, and the others are compressed if requested, in a goroutine that [File.Close] waits for. No step
// follows a link.
//
// # Limits
//
// A [File] is for use by one goroutine at a time. Hard links are not detected: whoever may create a hard link to a file that
// the process may write to can make it append to that file; Linux refuses such links by default (fs.protected_hardlinks).
package logfile
