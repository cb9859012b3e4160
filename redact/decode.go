package redact

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/redact/internal/find"
	"github.com/tailspan/tailspan/redact/internal/text"
)

// decoded searches s without its control sequences, which a renderer removes, and with its escapes decoded. It replaces
// in s what it finds.
func (r *Redactor) decoded(s string, cut bool) (string, int) {
	buf, _ := r.buffers.Get().(*[]byte)
	if buf == nil {
		buf = new([]byte)
	}
	bare := (*buf)[:0]
	for i := 0; i < len(s); {
		plain := i
		for i < len(s) && !text.Is(s[i], text.Unit) {
			i++
		}
		if bare = append(bare, s[plain:i]...); i == len(s) {
			break
		}
		c, n, hidden := unitAt(s, i)
		if !hidden {
			bare = append(bare, c)
		}
		i += n
	}
	var f find.Finder[[]byte]
	f.Init(r.search, bare, cut)
	var b strings.Builder
	last, lastBare, count := 0, 0, 0
	at, atBare := 0, 0 // the same position in s and in bare
	locate := func(want int) (start, end int) {
		for {
			_, n, hidden := unitAt(s, at)
			switch {
			case hidden:
				at += n
				continue
			case atBare == want:
				return at, at + n
			}
			at += n
			atBare++
		}
	}
	for {
		sp, ok := f.Next(lastBare)
		if !ok {
			break
		}
		start, _ := locate(sp.Start)
		b.WriteString(s[last:start])
		b.WriteString(sp.Quote + text.Marker(sp.Kind) + sp.Quote)
		_, last = locate(sp.End - 1)
		lastBare = sp.End
		count++
	}
	if cap(bare) <= maxPooled {
		*buf = bare
		r.buffers.Put(buf)
	}
	if count == 0 {
		return s, 0
	}
	b.WriteString(s[last:])
	return b.String(), count
}

// unitAt returns the unit at i of a text: a byte, a decoded escape, or a control sequence, which is hidden.
func unitAt(s string, i int) (c byte, n int, hidden bool) {
	if !text.Is(s[i], text.Unit) {
		return s[i], 1, false
	}
	if n := hiddenLen(s, i); n > 0 {
		return 0, n, true
	}
	if c, n := text.EscapeAt(s, i); n > 0 {
		return c, n, false
	}
	return s[i], 1, false
}

// hiddenLen returns the length of the control sequence or invisible character at i; line breaks and tabs do not count.
func hiddenLen(s string, i int) int {
	if n := text.InvisibleLen(s, i); n > 0 {
		return n
	}
	if !text.ControlAt(s, i) {
		return 0
	}
	return events.EscapeLen(s[i:])
}
