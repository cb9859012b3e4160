package lines

import (
	"bytes"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// keepBytes is the size from which the buffer of a line's texts is not kept for the next line.
const keepBytes = 1 << 20

// Buffer empties a buffer for the next line; one that a large line made large is released.
func Buffer(b []byte) []byte {
	if cap(b) > keepBytes {
		return nil
	}
	return b[:0]
}

// summaryBytes is how much of a text is made at first, where only its summary is wanted: most first lines are shorter.
const summaryBytes = 128

// Output is the memory of the texts of a line's results, each of which is a [Text]. A text that is dropped is made as far as
// its summary needs it, and its rest is counted as encoded in the line.
type Output struct {
	strings scan.Strings
	dropped bool
	buf     []byte
	parts   []part // of the texts
}

// Drop leaves texts out from now on, but for heads of [events.OutputHead] bytes.
func (o *Output) Drop() { o.dropped = true }

// Reset releases the texts of the last line.
func (o *Output) Reset() {
	o.buf, o.parts = Buffer(o.buf), o.parts[:0]
}

// plainByte reports whether c is a letter, a sign or a blank that needs no cleaning.
func plainByte(c byte) bool { return c >= ' ' && c < 0x7f }

func wasCut(summary string) bool { return strings.HasSuffix(summary, "…") }

// Summary gives the first line of a text that says something, as [events.Summary] has it.
func (o *Output) Summary(text []byte) string {
	s, _ := summaryOf(&o.strings, text, true)
	return s
}

// summaryOf is the summary of a text, of which the beginning may do; false if it does not.
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

// lineEnd finds the end of the first line; -1 if there is none.
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

// lineSummary is events.Summary of a line without blanks at its ends. Most are of plain letters, and then nothing more
// is copied than what is shown.
func lineSummary(a *scan.Strings, line []byte) string {
	const shown = events.SummaryRunes
	plain := 0
	for plain < len(line) && plain <= shown && plainByte(line[plain]) {
		plain++
	}
	switch {
	case plain == len(line) && plain <= shown:
		return a.Copy(line)
	case plain > shown && line[shown] != ' ': // what follows can't take the text back below the limit
		return a.Join(line[:shown-1], "…")
	}
	return events.Summary(a.Copy(line))
}
