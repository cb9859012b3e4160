package pipeline

import (
	"iter"

	"github.com/tailspan/tailspan/internal/files/container"
	"github.com/tailspan/tailspan/parser"
)

// Framing removes the framing of container runtimes from the lines of one stream and joins the parts of lines. The zero
// value passes lines unchanged. Parts of unfinished lines are pending; after a restart they are replayed.
type Framing struct {
	unwrapper *container.Unwrapper // nil if lines have no framing
}

// NewFraming returns a Framing for lines of up to limit bytes.
func NewFraming(limit int) Framing { return Framing{container.New(limit)} }

// Line is a line of the program. It is valid until the next call, and only as long as the input line.
type Line struct {
	// Data is the line without its newline; nil if nothing was kept of a line that is too long.
	Data []byte
	// Noted is what is known of the line besides its bytes.
	Noted parser.Noted
	// TooLong is true if the line was joined and exceeded the limit.
	TooLong bool
}

// Lines receives a line of the file and returns the line of the program that it completes, if any.
func (f *Framing) Lines(data []byte, abridged bool) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		if f.unwrapper == nil || abridged { // it already begins as an object
			yield(Line{Data: data, Noted: parser.Noted{Abridged: abridged}})
			return
		}
		if whole, ok := f.unwrapper.Line(data); ok {
			yield(joined(whole))
		}
	}
}

// Pending reports whether parts of an unfinished line are pending.
func (f *Framing) Pending() bool { return f.unwrapper != nil && f.unwrapper.Pending() }

// Rest returns the parts of unfinished lines when no line follows.
func (f *Framing) Rest() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		if f.unwrapper == nil {
			return
		}
		for line, some := f.unwrapper.Flush(); some && yield(joined(line)); line, some = f.unwrapper.Flush() {
		}
	}
}

func joined(line container.Line) Line {
	return Line{Data: line.Data, Noted: parser.Noted{Time: line.Time, Abridged: line.TooLong}, TooLong: line.TooLong}
}
