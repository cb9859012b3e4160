// Package abridge makes a short line of JSON of one that is too long to keep.
//
// In goes a line in pieces of any size, out comes a line with the same members in the same order, in which long strings are
// cut and, once it is long itself, elements of arrays and what lies deep are left out. Types, ids, names, flags and counts
// stay, wherever they are: some formats have the id of a call before its arguments, some behind them, and the session last.
// So whoever reads the short line finds what the long one is about, without its bulk.
//
//	so far                what stays
//	up to SoftLimit       all but the rest of strings behind KeepString bytes
//	up to HardLimit       scalars, strings of up to KeepShort bytes, and objects that are no elements, to a depth of 4
//	beyond                what closes what is open
//
// A string that was cut ends in "…". What is no object or array from its beginning yields nothing. The structure is followed
// as far as cutting needs it, so a malformed line may give a malformed one.
//
// An [Abridger] takes constant memory, HardLimit and a string, and time linear in the line: each byte is read once. It
// serves one goroutine. The same line yields the same bytes, however it is cut into pieces.
package abridge
