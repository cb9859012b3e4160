package find

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"hash/fnv"
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

// hashOf is a hash of anchors, and of the sample by which pairs are chosen.
func hashOf(anchors []anchor) string {
	h := fnv.New64a()
	buf := []byte(sample)
	for i := range anchors {
		a := &anchors[i]
		buf = append(buf, a.word...)
		buf = binary.AppendVarint(append(buf, 0, flag(a.fold), flag(a.begins)), int64(a.reach))
		for _, set := range []*[256]bool{a.before, a.after} {
			for c := 0; set != nil && c < len(set); c++ {
				buf = append(buf, flag(set[c]))
			}
		}
	}
	_, _ = h.Write(buf) // it never fails
	return fmt.Sprintf("%016x", h.Sum64())
}

func flag(is bool) byte {
	if is {
		return 1
	}
	return 0
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
