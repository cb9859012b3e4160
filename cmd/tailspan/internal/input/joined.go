package input

import (
	"bytes"

	"github.com/tailspan/tailspan/parser"
)

// Document puts the lines of an output together that is one document, as some programs write in place of a stream; the
// lines of any other pass.
type Document struct {
	// Limit is the longest document in bytes; a longer one is passed on line by line, as what it is not.
	Limit   int
	framing parser.Framing
	held    [][]byte
	size    int
	out     [][]byte
}

// Records returns what the parser gets for a line: nothing yet, the line, or the lines that were pending until the framing
// was known. It is valid until the next call.
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

// End gives the document, nil if there is none.
func (d *Document) End() []byte {
	if len(d.held) == 0 {
		return nil
	}
	return bytes.Join(d.held, []byte("\n"))
}
