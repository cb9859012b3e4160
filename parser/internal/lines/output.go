package lines

import (
	"bytes"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// keepBytes is the capacity above which the buffer of a line's texts is not reused for the next line.
const keepBytes = 1 << 20

// Buffer empties a buffer for the next line. It releases a buffer that a large line made large.
func Buffer(b []byte) []byte {
	if cap(b) > keepBytes {
		return nil
	}
	return b[:0]
}

// summaryBytes is how much of a text is decoded at first if only its summary is needed: most first lines are shorter.
const summaryBytes = 128

// Output is the memory of the texts of a line's results, each of which is a [Text]. A dropped text is decoded only as far as
// its summary requires; the size of the rest is computed from its encoded form.
type Output struct {
	strings scan.Strings
	dropped bool
	buf     []byte
	parts   []part // of the texts
}

// Drop omits texts from now on, except for heads of [events.OutputHead] bytes.
func (o *Output) Drop() { o.dropped = true }

// Reset releases the texts of the previous line.
func (o *Output) Reset() {
	o.buf, o.parts = Buffer(o.buf), o.parts[:0]
}

// plainByte reports whether c is printable ASCII, which needs no cleaning.
func plainByte(c byte) bool { return c >= ' ' && c < 0x7f }

func wasCut(summary string) bool { return strings.HasSuffix(summary, "…") }

// Summary returns the first non-blank line of a text, like [events.Summary].
func (o *Output) Summary(text []byte) string {
	s, _ := summaryOf(&o.strings, text, true)
	return s
}

// summaryOf returns the summary of text, which may be only the beginning of a text. It returns false if that is too short.
func summaryOf(a *scan.Strings, text []byte, whole bool) (string, bool) {
	for len(text) > 0 {
		line, ended := text, whole
		if i := lineEnd(text); i >= 0 {
			line, text, ended = text[:i], text[i+1:], true
		} else {
			text = nil
		}
		if len(line) > maxSummaryBytes {
			line, ended = bytes.ToValidUTF8(line[:maxSummaryBytes], nil), true
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if !ended {
			return "", false
		}
		if s := lineSummary(a, line); s != "" {
			return s, true
		}
	}
	return "", whole
}

// lineEnd returns the offset of the end of the first line, or -1 if there is none.
func lineEnd(text []byte) int {
	end := bytes.IndexByte(text, '\n')
	if end < 0 {
		return bytes.IndexByte(text, '\r')
	}
	if i := bytes.IndexByte(text[:end], '\r'); i >= 0 {
		return i
	}
	return end
}

// lineSummary returns events.Summary of a line without surrounding blanks. Most lines are printable ASCII; then only
// the visible part is copied.
func lineSummary(a *scan.Strings, line []byte) string {
	const shown = events.SummaryRunes
	plain := 0
	for plain < len(line) && plain <= shown && plainByte(line[plain]) {
		plain++
	}
	switch {
	case plain == len(line) && plain <= shown:
		return a.Copy(line)
	case plain > shown && line[shown] != ' ': // the remainder cannot shorten the text below the limit
		return a.Join(line[:shown-1], "…")
	}
	return events.Summary(a.Copy(line))
}
