package pipeline

import (
	"bytes"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/redact"
)

// Limits of a line of plain text: how much of it is read, in bytes, and kept, in runes.
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

// quoted is the plain text so far, and what redacts its lines; nil if nothing is redacted.
type quoted struct {
	PlainText
	lines *redact.Lines
}

// PlainText returns what was written as plain text until now, if EventSettings.Plain requests it.
func (e *Events) PlainText() PlainText {
	if e.plain == nil {
		return PlainText{}
	}
	return e.plain.PlainText
}

// takePlain takes in the plain text of the current line.
func (e *Events) takePlain() {
	if e.plain == nil {
		return
	}
	for _, line := range e.Source.Plain() {
		e.plain.Lines++
		indented := line[0] == ' ' || line[0] == '\t'
		line = e.plain.redact(line)
		if !e.plain.Ends || e.plain.Last == "" || !indented {
			e.plain.Last = quote(line)
		}
		e.plain.Ends = true
	}
	if s := e.LineStatus(); s == events.LineOK || s == events.LineUnknownType {
		e.plain.Ends = false
	}
}

// redact removes the secrets from the next line, of which it returns the beginning.
func (q *quoted) redact(line []byte) []byte {
	if len(line) > plainHead {
		line = line[:max(bytes.LastIndexByte(line[:plainHead], ' '), 0)]
	}
	if q.lines != nil {
		line = q.lines.Bytes(line)
	}
	return line
}

// quote returns the first line of a text without secrets, cut.
func quote(line []byte) string {
	first, _, _ := bytes.Cut(bytes.TrimSpace(line), []byte("\n"))
	return strings.Clone(events.CleanLine(string(first), plainRunes))
}
