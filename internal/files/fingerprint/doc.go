// Package fingerprint identifies files.
//
// A [FileID] is the device and inode of a file. A [Position] is an offset with the fingerprint of the file that was read up to
// it: the head, a hash of the first [HeadSize] bytes, and the tail, a hash of the last [TailSize] bytes before the offset.
// Both hashes are the same on every machine and may be stored.
//
// A file may be the one of a position if it begins with the same head ([Position.SameHead]) and has the same bytes before the
// offset ([Position.HoldsTail]). Files with different IDs match only if they share at least their first [MinMatch] bytes.
// Package fileset decides which file is known under which ID and path.
//
// All types are values. Functions that take a path ask the file system on each call.
package fingerprint
