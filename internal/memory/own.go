package memory

import "strings"

// Own gives strings memory of their own, one piece for all. Those of events are cut out of larger pieces, together with
// texts; what is kept for as long as a session is open must not keep these alive.
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
