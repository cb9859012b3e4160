// Package fingerprint identifies files.
//
// A [FileID] is the device and inode of a file. A [Position] is an offset with the fingerprint of the file that was read up
// to it: a hash of the first [HeadSize] bytes, the head, and one of the last [TailSize] bytes before the offset, the tail.
// Both hashes are the same on every machine and may be stored.
//
// A file can be the one of a position if it begins with the same head ([Position.SameHead]) and has the same bytes before the
// offset ([Position.HoldsTail]). Two files must share [MinMatch] bytes at their beginning at least to match under two ids.
// What is the same file under which id and path is the decision of package fileset.
//
// All types are values. The functions that take a path ask the file system each time.
package fingerprint
