package memory

import "strings"

// Own copies strings into one new allocation. Strings of events share memory with large texts, and what an open session
// keeps must not keep those texts alive.
func Own(strs ...*string) {
	n := 0
	for _, s := range strs {
		n += len(*s)
	}
	var b strings.Builder
	b.Grow(n)
	for _, s := range strs {
		b.WriteString(*s)
	}
	all := b.String()
	for _, s := range strs {
		n := len(*s)
		*s, all = all[:n], all[n:]
	}
}
