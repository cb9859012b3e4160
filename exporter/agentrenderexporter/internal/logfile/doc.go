// Package logfile appends to log files and rotates them, also in folders that others may write to.
//
// A [Location] has two parts. Folder is what the operator configured: links in it are followed, and it is created where it
// is missing. Name is the rest of the path. In a templated output it is made of attribute values, and whoever may write
// below the folder (an agent, for example) could put a symbolic link where the next file is expected. Below Folder no
// element of Name is followed: each is opened relative to the one before, and is compared with what is there. What is no
// folder, or no regular file at the end, is [ErrNotRegular], and nothing is written.
//
// # Rotation
//
// A file that would exceed its limit is renamed to "name~2026-11-28T15-04-05.000.log", and a new one with the same
// permissions takes its place. No line is cut over two files unless it is longer than the limit. Rotated files beyond
// MaxBackups or older than MaxDays are removed, and the others are packed by gzip if wanted, in a goroutine that
// [File.Close] waits for. No step of this follows a link.
//
// # Limits
//
// A [File] is used by one goroutine at a time. Hard links are not detected: whoever may create one to a file that the
// process may write to can have it appended to; Linux refuses that by default (fs.protected_hardlinks).
package logfile
