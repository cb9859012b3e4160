package find

import (
	_ "embed"
	"fmt"
	"hash/fnv"
	"io"
	"strconv"
	"strings"
)

// choice is where an anchor is entered in the index: by the pair at the offset back, in a bucket.
type choice struct{ anchor, back, bucket int }

// choicesFile has the choices for the anchors that are built in, in the order in which they are entered, behind a hash of these
// anchors. To choose anew takes most of the time in which a process starts; TestChoices writes the file.
//
//go:embed choices.txt
var choicesFile string

// choicesOf are the choices that the file has for these anchors; none if it is for others, for which pairs are chosen then.
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

// number reads a number, and what is behind it and one more byte.
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

// hashOf is a hash of the words of anchors: where those are the same, a choice is a right one, if maybe not the best.
func hashOf(anchors []anchor) string {
	h := fnv.New64a()
	for i := range anchors {
		_, _ = io.WriteString(h, anchors[i].word+"\n") // it never fails
	}
	return strconv.FormatUint(h.Sum64(), 16)
}

// formatChoices writes choices as the file has them.
func formatChoices(anchors []anchor, list []choice) string {
	var b strings.Builder
	b.WriteString(hashOf(anchors) + "\n")
	for _, c := range list {
		fmt.Fprintf(&b, "%d %d %d\n", c.anchor, c.back, c.bucket)
	}
	return b.String()
}
