package container

import (
	"time"

	"github.com/tailspan/tailspan/internal/files/abridge"
)

// Line is a line of the program.
type Line struct {
	// Data is the line without its newline. For a line over the limit it is what package abridge keeps, or nil.
	Data []byte
	// Time is when the runtime received the line or its last part; zero if the line was not framed.
	Time time.Time
	// TooLong is true if the line is longer than the limit.
	TooLong bool
}

// output is one of the two output streams of a program.
type output uint8

const (
	stdout output = iota
	stderr
	outputs
)

// frame is one parsed line of a runtime.
type frame struct {
	data   []byte
	time   time.Time
	output output
	part   bool // the line continues in the next frame of the same output
}

// Unwrapper removes the framing from the lines of one stream.
type Unwrapper struct {
	limit  int
	framed *framed // nil before the first framed line
}

// framed is the state that an Unwrapper needs for framed lines.
type framed struct {
	text  []byte // decoded text of a Docker string
	parts [outputs]parts
}

// parts are those of an unfinished line.
type parts struct {
	data   []byte
	length int
	begun  bool
	short  *abridge.Abridger // for a line over the limit; nil before the first
}

// keepBytes is the size above which the memory of a line's parts is not reused for the next line.
const keepBytes = 1 << 20

// New returns an Unwrapper for lines of up to limit bytes.
func New(limit int) *Unwrapper { return &Unwrapper{limit: limit} }

// Line processes the next line, without its newline. It returns the program's line that ends with it, or false if none does.
func (u *Unwrapper) Line(data []byte) (Line, bool) {
	if !mayBeFramed(data) {
		return Line{Data: data}, true
	}
	if u.framed == nil {
		u.framed = new(framed)
	}
	f, ok := u.framed.frame(data)
	if !ok {
		return Line{Data: data}, true
	}
	p := &u.framed.parts[f.output]
	if !p.begun && !f.part {
		return Line{Data: f.data, Time: f.time}, true
	}
	p.add(f.data, u.limit)
	if f.part {
		return Line{}, false
	}
	return p.take(f.time, u.limit), true
}

// Pending reports whether there are parts of an unfinished line.
func (u *Unwrapper) Pending() bool {
	return u.framed != nil && (u.framed.parts[stdout].begun || u.framed.parts[stderr].begun)
}

// Flush returns the parts of a line whose end will not arrive, or false if there are none. There may be two such lines.
func (u *Unwrapper) Flush() (Line, bool) {
	if u.framed == nil {
		return Line{}, false
	}
	for i := range u.framed.parts {
		if p := &u.framed.parts[i]; p.begun {
			return p.take(time.Time{}, u.limit), true
		}
	}
	return Line{}, false
}

func (p *parts) add(data []byte, limit int) {
	if !p.begun {
		*p = parts{data: p.data[:0], begun: true, short: p.short}
		if cap(p.data) > keepBytes {
			p.data = nil
		}
	}
	before := p.length
	switch p.length += len(data); {
	case p.length <= limit:
		p.data = append(p.data, data...)
		return
	case p.short == nil:
		p.short = new(abridge.Abridger)
		fallthrough
	case before <= limit:
		p.short.Reset()
		p.short.Write(p.data)
	}
	p.short.Write(data)
}

func (p *parts) take(at time.Time, limit int) Line {
	p.begun = false
	if p.length > limit {
		line := Line{Time: at, TooLong: true}
		if short, ok := p.short.Line(); ok {
			line.Data = short
		}
		return line
	}
	return Line{Data: p.data, Time: at}
}
