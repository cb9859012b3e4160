// Package find searches a text for secrets in one pass.
//
// An anchor is the fixed part of a shape ("ghp_") or a part of a name ("token"). The index has two pairs of bytes of each
// anchor, one at an even and one at an odd offset. A [Finder] reads every second pair of a text and looks it up, with the
// following pair, in two tables of 128 KiB, and then both in a set of four bytes. If all match, it compares the anchor and
// applies its rule (package secret, package shape). The index of the built-in anchors is created once, so that few pairs of
// sample.txt match. An index never changes and serves all goroutines; a Finder searches one text in one goroutine.
package find
