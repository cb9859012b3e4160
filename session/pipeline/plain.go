package pipeline

import (
	"bytes"
	"strings"

	"github.com/tailspan/tailspan/events"
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

// PlainText returns what was written as plain text until now, if EventSettings.Plain requests it.
func (e *Events) PlainText() PlainText {
	if e.plain == nil {
		return PlainText{}
	}
	return *e.plain
}

// takePlain takes in the plain text of the current line.
func (e *Events) takePlain() {
	if e.plain == nil {
		return
	}
	for _, line := range e.Source.Plain() {
		e.plain.Lines++
		if !e.plain.Ends || e.plain.Last == "" || line[0] != ' ' && line[0] != '\t' {
			e.plain.Last = e.quote(line)
		}
		e.plain.Ends = true
	}
	if s := e.LineStatus(); s == events.LineOK || s == events.LineUnknownType {
		e.plain.Ends = false
	}
}

// quote returns the beginning of a line, which is cleaned before it is cut.
func (e *Events) quote(line []byte) string {
	if len(line) > plainHead {
		line = line[:max(bytes.LastIndexByte(line[:plainHead], ' '), 0)]
	}
	if e.redactor != nil {
		line = e.redactor.Bytes(line)
	}
	first, _, _ := bytes.Cut(bytes.TrimSpace(line), []byte("\n"))
	return strings.Clone(events.CleanLine(string(first), plainRunes))
}
