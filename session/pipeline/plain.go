package pipeline

import (
	"bytes"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/redact"
)

// Limits of a line of plain text: how much of it is read for a quote, in bytes, and kept, in runes.
const (
	plainHead  = 64 << 10
	plainRunes = 200
)

// PlainText is what a program wrote as plain text around or between its records.
type PlainText struct {
	Lines int
	// Last is the last line, without secrets and cut. Indented lines continue the one before, as those of a stack trace do.
	Last string
	// Ends is true if nothing that was understood came after it.
	Ends bool
}

// text is the lines of the last call that are no records, without secrets. A secret may continue from one of these lines to the next,
// so each is redacted once, in the order of the stream.
type text struct {
	lines      *redact.Lines // nil if nothing is redacted
	raw, plain [][]byte
	last       []byte // of the malformed lines, plain text or not
}

// take takes the lines of the last call of a source.
func (t *text) take(s *parser.Source) {
	t.clear()
	for _, line := range s.Raw() {
		t.raw = append(t.raw, t.clean(line))
	}
	for _, line := range s.Malformed() {
		t.last = t.clean(line)
		if parser.IsPlain(line) {
			t.plain = append(t.plain, t.last)
		}
	}
}

func (t *text) clear() { t.raw, t.plain, t.last = t.raw[:0], t.plain[:0], nil }

func (t *text) clean(line []byte) []byte {
	if t.lines == nil {
		return line
	}
	return t.lines.Bytes(line)
}

// PlainText returns what was written as plain text until now, if EventSettings.Plain requests it.
func (e *Events) PlainText() PlainText {
	if e.quoted == nil {
		return PlainText{}
	}
	return *e.quoted
}

// quote counts and quotes the plain text of the current line.
func (e *Events) quote() {
	q := e.quoted
	if q == nil {
		return
	}
	for _, line := range e.text.plain {
		q.Lines++
		indented := line[0] == ' ' || line[0] == '\t'
		if !q.Ends || q.Last == "" || !indented {
			q.Last = quoteOf(line)
		}
		q.Ends = true
	}
	if s := e.LineStatus(); s == events.LineOK || s == events.LineUnknownType {
		q.Ends = false
	}
}

// quoteOf returns the first line of a text without secrets, cut.
func quoteOf(line []byte) string {
	first, _, _ := bytes.Cut(bytes.TrimSpace(line), []byte("\n"))
	return strings.Clone(events.CleanLine(string(first[:min(len(first), plainHead)]), plainRunes))
}
