// Package find searches a text for secrets in one pass.
//
// An anchor is the fixed part of a shape ("ghp_") or a part of a name ("token"). The index has two pairs of bytes of each
// anchor, one at an even and one at an odd offset; a [Finder] reads every second pair of a text and looks it up, with the pair
// behind it, in two tables of 128 KiB. Where both match, the anchor is compared and its rule applied (package secret, package
// shape). The index of the built-in anchors is made once, such that few pairs of sample.txt match; an index never changes
// and serves all goroutines, a Finder one text from one goroutine.
package find
