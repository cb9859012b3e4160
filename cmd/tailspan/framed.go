package main

import (
	"bytes"

	"github.com/tailspan/tailspan/parser"
)

// document puts the lines of an output together that is one document, as some programs write in place of a stream; the
// lines of any other pass.
type document struct {
	limit   int // bytes; a longer one is passed on line by line, as what it is not
	framing parser.Framing
	held    [][]byte
	size    int
	out     [][]byte
}

// records returns what the parser gets for a line: nothing yet, the line, or the lines that were pending until the framing
// was known. It is valid until the next call.
func (d *document) records(line []byte) [][]byte {
	if d.framing == parser.FramingLines {
		d.out = append(d.out[:0], line)
		return d.out
	}
	d.framing = d.framing.Line(line)
	d.size += len(line) + 1
	if d.size > d.limit {
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

// end gives the document, nil if there is none.
func (d *document) end() []byte {
	if len(d.held) == 0 {
		return nil
	}
	return bytes.Join(d.held, []byte("\n"))
}
