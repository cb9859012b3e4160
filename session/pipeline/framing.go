package pipeline

import (
	"iter"

	"github.com/tailspan/tailspan/internal/files/container"
	"github.com/tailspan/tailspan/parser"
)

// Framing removes the framing of container runtimes from the lines of one stream, and joins the parts of lines. The zero value
// takes lines as they are. It holds the parts of lines that have not ended: after a restart they are replayed.
type Framing struct {
	unwrapper *container.Unwrapper // nil: lines have no framing
}

// NewFraming makes a Framing for lines of up to limit bytes.
func NewFraming(limit int) Framing { return Framing{container.New(limit)} }

// Line is a line of the program. It is valid as long as the line that went in, and until the next call.
type Line struct {
	// Data is the line without its newline; nil if nothing was kept of one that is too long.
	Data []byte
	// Noted is what is known of it beside its bytes.
	Noted parser.Noted
	// TooLong is true if it was joined, and longer than the limit.
	TooLong bool
}

// Lines takes a line of the file, and returns the lines of the program that it completes: none or one.
func (f *Framing) Lines(data []byte, abridged bool) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		if f.unwrapper == nil || abridged { // which begins as an object does
			yield(Line{Data: data, Noted: parser.Noted{Abridged: abridged}})
			return
		}
		if whole, ok := f.unwrapper.Line(data); ok {
			yield(joined(whole))
		}
	}
}

// Pending reports whether there are parts of a line that has not ended.
func (f *Framing) Pending() bool { return f.unwrapper != nil && f.unwrapper.Pending() }

// Rest returns the parts of lines whose end is missing, when no line follows.
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
