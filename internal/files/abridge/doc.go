// Package abridge shortens a line of JSON that is too long to keep.
//
// A line goes in, in pieces of any size. A line with the same members in the same order comes out: long strings are cut and,
// once the output itself is long, array elements and deeply nested values are left out. Types, IDs, names, flags and counts
// are kept wherever they are: some formats write the ID of a call before its arguments, some after them, and the session last.
// The reader of the short line thus learns what the long one is about, without its bulk.
//
//	output so far         what is kept
//	up to SoftLimit       everything, with strings cut after KeepString bytes
//	up to HardLimit       scalars, strings cut after KeepShort bytes, and objects that are not elements, to a depth of 4
//	beyond                only the brackets that close what is open
//
// A string that was cut ends in "…". Input that does not begin as an object or array yields nothing. The structure is followed
// only as far as cutting requires, so a malformed line may yield a malformed one.
//
// An [Abridger] takes constant memory, HardLimit plus one string, and time linear in the line, because it reads each byte
// once. It is for use by one goroutine. The same line yields the same bytes, whatever the pieces.
package abridge
