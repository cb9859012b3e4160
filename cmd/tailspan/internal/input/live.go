package input

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/tail"
	"github.com/tailspan/tailspan/telemetry"
)

// Live passes the output of a program to a pipeline while it is written.
type Live struct {
	*pipeline.Pipeline
	document Document
}

// NewLive returns a Live. A document longer than maxLine bytes is read as lines.
func NewLive(s pipeline.Settings, maxLine config.Size) (*Live, error) {
	p, err := pipeline.New(s)
	if err != nil {
		return nil, err
	}
	return &Live{Pipeline: p, document: Document{Limit: int(maxLine)}}, nil
}

// Lines passes on lines that are read at now.
func (l *Live) Lines(lines []tail.Line, now time.Time) {
	for i := range lines {
		line := &lines[i]
		arrival := line.Arrival
		if arrival.IsZero() {
			arrival = now
		}
		l.At = telemetry.Line{Offset: line.Offset, Arrival: arrival, Live: true}
		l.Noted = parser.Noted{Abridged: line.Abridged}
		for _, record := range l.document.Records(line.Data) {
			l.Line(record)
		}
	}
}

// Flush passes on what is pending at the end of the output.
func (l *Live) Flush() {
	if rest := l.document.End(); rest != nil {
		l.Line(rest)
	}
	l.Pipeline.Flush()
}

// Document assembles the lines of an output that is one document, which some programs write in place of a stream. It passes the
// lines of any other output through.
type Document struct {
	// Limit bounds a document, in bytes; a longer one is passed through line by line.
	Limit   int
	framing parser.Framing
	held    [][]byte
	size    int
	out     [][]byte
}

// Records returns what the parser gets for a line: nothing yet, the line, or the lines that were pending until the framing was
// known. The result is valid until the next call.
func (d *Document) Records(line []byte) [][]byte {
	if d.framing == parser.FramingLines {
		d.out = append(d.out[:0], line)
		return d.out
	}
	d.framing = d.framing.Line(line)
	d.size += len(line) + 1
	if d.size > d.Limit {
		d.framing = parser.FramingLines
	}
	if d.framing != parser.FramingLines {
		d.held = append(d.held, bytes.Clone(line))
		return nil
	}
	d.out = append(append(d.out[:0], d.held...), line)
	d.held = nil
	return d.out
}

// End returns the document, or nil if there is none.
func (d *Document) End() []byte {
	if len(d.held) == 0 {
		return nil
	}
	document := bytes.Join(d.held, []byte("\n"))
	d.held, d.size = nil, 0
	return document
}

// Idle is like End for an output that may continue: while the document is incomplete, it returns nil, and waits is true.
func (d *Document) Idle() (document []byte, waits bool) {
	if d.framing != parser.FramingDocument || len(d.held) == 0 {
		return nil, false
	}
	last := d.held[len(d.held)-1]
	if ends := len(last) > 0 && (last[0] == '}' || last[0] == ']'); !ends || !json.Valid(bytes.Join(d.held, []byte("\n"))) {
		return nil, true
	}
	return d.End(), false
}
