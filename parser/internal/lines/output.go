package lines

import (
	"bytes"
	"math"
	"strings"
	"unicode/utf8"

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

// Output makes the texts of results: of each its summary, its size and, unless texts are dropped, the text itself.
// The texts of a line lie in one buffer, which Reset empties. A text that is dropped is made as far as its summary needs
// it, and its rest is counted as encoded in the line.
//
// The parts of a text are given in order, between Begin and End.
type Output struct {
	strings scan.Strings
	dropped bool
	buf     []byte
	start   int    // of the text that is made, in buf
	parts   []part // of texts that are looked into, see Text

	// want is how many bytes of the text are to be made before the next look at them.
	want    int
	whole   bool // the text is wanted whole
	size    int
	summary string
	known   bool // summary is the text's
}

// Drop leaves texts out from now on, but for heads of [events.OutputHead] bytes.
func (o *Output) Drop() { o.dropped = true }

// Reset releases the texts of the last line.
func (o *Output) Reset() {
	o.buf, o.parts = Buffer(o.buf), o.parts[:0]
}

// Begin begins a text. whole marks one that must not be dropped, since the parser has to look into it.
func (o *Output) Begin(whole bool) {
	o.start, o.want, o.whole = len(o.buf), summaryBytes, whole || !o.dropped
	o.size, o.summary, o.known = 0, "", false
	if o.whole {
		o.want = math.MaxInt
	}
}

// String adds the text of a string, given the bytes between its quotes.
func (o *Output) String(body []byte) {
	if o.want == summaryBytes && len(o.buf) == o.start {
		o.plainSummary(body)
	}
	for o.missing() > 0 && len(body) > 0 {
		if o.want == math.MaxInt {
			o.buf = scan.AppendString(o.buf, body)
			return
		}
		o.buf, body = scan.AppendHead(o.buf, body, o.missing())
		o.look()
	}
	o.size += scan.TextLen(body)
}

// plainSummary makes the summary of a text that begins with a short line of letters, signs, blanks and tabs, as most do:
// nothing of the text has to be made.
func (o *Output) plainSummary(body []byte) {
	var line [events.SummaryRunes]byte
	n, tab := 0, false
	for i := 0; i < len(body) && n < len(line); i++ {
		c := body[i]
		if c == '\\' {
			if i++; i == len(body) {
				return
			}
			switch c = body[i]; c {
			case 'n', 'r':
				if text := bytes.TrimSpace(line[:n]); len(text) > 0 {
					o.summary, o.known, o.want = o.strings.Copy(text), true, 0
				}
				return
			case 't': // one blank for a sequence of them
				if !tab {
					line[n] = ' '
					n++
				}
				tab = true
				continue
			case '"', '\\', '/':
			default:
				return
			}
		}
		if !plainByte(c) {
			return
		}
		line[n], tab = c, false
		n++
	}
}

// plainByte reports whether c is a letter, a sign or a blank that needs no cleaning.
func plainByte(c byte) bool { return c >= ' ' && c < 0x7f }

// JSON adds a value as it stands, invalid UTF-8 replaced.
func (o *Output) JSON(raw []byte) {
	if !utf8.Valid(raw) {
		raw = scan.AppendJSON(nil, raw)
	}
	for len(raw) > 0 && o.missing() > 0 {
		n := min(o.missing(), len(raw))
		for n < len(raw) && !utf8.RuneStart(raw[n]) {
			n++
		}
		o.buf, raw = append(o.buf, raw[:n]...), raw[n:]
		o.look()
	}
	o.size += len(raw)
}

// Newline adds a line break.
func (o *Output) Newline() {
	if o.missing() <= 0 {
		o.size++
		return
	}
	o.buf = append(o.buf, '\n')
	o.look()
}

// missing is how much more of the text is to be made.
func (o *Output) missing() int { return o.want - (len(o.buf) - o.start) }

// look makes the summary once enough of the text is there, and wants more of it otherwise. Behind a summary that was cut
// the text goes on to the size of a head.
func (o *Output) look() {
	if o.known || o.missing() > 0 {
		return
	}
	switch o.summary, o.known = summaryOf(&o.strings, o.buf[o.start:], false); {
	case o.known && !wasCut(o.summary):
		o.want = 0
	case o.want < events.OutputHead:
		o.want = events.OutputHead
	case !o.known:
		o.want = math.MaxInt
	}
}

func wasCut(summary string) bool { return strings.HasSuffix(summary, "…") }

// End ends the text and fills in the fields of t that describe it. It returns the text, which is all of it if Begin asked for that.
func (o *Output) End(t *events.Tool) []byte {
	text := o.buf[o.start:len(o.buf):len(o.buf)]
	if !o.known {
		o.summary, _ = summaryOf(&o.strings, text, true)
	}
	t.Size, t.Summary = len(text)+o.size, o.summary
	if o.whole || wasCut(o.summary) {
		t.Output = text
	} else {
		o.buf = o.buf[:o.start]
	}
	return text
}

// Summary gives the first line of a text that says something, as [events.Summary] has it.
func (o *Output) Summary(text []byte) string {
	s, _ := summaryOf(&o.strings, text, true)
	return s
}

// StringSummary gives the summary of a string that is no result's text itself, given the bytes between its quotes.
func (o *Output) StringSummary(body []byte) string {
	var t events.Tool
	o.Begin(false)
	o.String(body)
	o.End(&t)
	o.buf = o.buf[:o.start]
	return t.Summary
}

// summaryOf is the summary of a text, of which the beginning may do; false if it does not. Without a it has
// memory of its own.
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
	if a == nil {
		return events.Summary(string(line))
	}
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
