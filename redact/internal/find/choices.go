package find

import (
	_ "embed"
	"fmt"
	"hash/fnv"
	"io"
	"strconv"
	"strings"
)

// choice says where an anchor is entered in the index: by the pair at the offset back, in a bucket.
type choice struct{ anchor, back, bucket int }

// choicesFile holds the choices for the built-in anchors, in the order in which they are entered, after a hash of these
// anchors. Choosing them again would take most of the start-up time of a process. TestChoices writes the file.
//
//go:embed choices.txt
var choicesFile string

// choicesOf returns the choices that the file has for these anchors, or none if it is for others; then pairs are chosen.
func choicesOf(anchors []anchor) []choice {
	head, lines, _ := strings.Cut(choicesFile, "\n")
	if head != hashOf(anchors) {
		return nil
	}
	list := make([]choice, 0, 2*len(anchors))
	for lines != "" {
		var c choice
		c.anchor, lines = number(lines)
		c.back, lines = number(lines)
		c.bucket, lines = number(lines)
		list = append(list, c)
	}
	return list
}

// number parses a number. It returns what follows the byte after the number.
func number(s string) (n int, rest string) {
	sign := 1
	for i := range len(s) {
		switch c := s[i]; {
		case c == '-':
			sign = -1
		case c < '0' || c > '9':
			return sign * n, s[i+1:]
		default:
			n = 10*n + int(c-'0')
		}
	}
	return sign * n, ""
}

// hashOf returns a hash of the words of anchors. If it matches, the choices are valid, though perhaps not optimal.
func hashOf(anchors []anchor) string {
	h := fnv.New64a()
	for i := range anchors {
		_, _ = io.WriteString(h, anchors[i].word+"\n") // never fails
	}
	return strconv.FormatUint(h.Sum64(), 16)
}

// formatChoices returns choices in the format of the file.
func formatChoices(anchors []anchor, list []choice) string {
	var b strings.Builder
	b.WriteString(hashOf(anchors) + "\n")
	for _, c := range list {
		fmt.Fprintf(&b, "%d %d %d\n", c.anchor, c.back, c.bucket)
	}
	return b.String()
}
