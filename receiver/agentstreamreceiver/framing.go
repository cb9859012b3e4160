package agentstreamreceiver

import (
	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/internal/files/container"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/tail"
)

// framing removes the framing of container runtimes from the lines of a stream. The offset moves over parts of lines too:
// after a restart all parts are replayed before the one that ends the line.
type framing struct {
	unwrapper *container.Unwrapper // nil: lines have no framing
}

// newUnwrapper returns nil for documents and rows, which have no framing, and with container: none.
func newUnwrapper(cfg *config.Stream, s *tail.Stream) *container.Unwrapper {
	if cfg.Container == config.ContainerNone || s.Restated {
		return nil
	}
	return container.New(int(cfg.MaxLineSize))
}

// read adds a line of the source, and passes to s the line of the program that it completes.
func (f *framing) read(line *tail.Line, s *stream) {
	if f.unwrapper == nil || line.Abridged { // which begins as an object does
		s.line(line.Data, parser.Noted{Abridged: line.Abridged})
		return
	}
	if whole, ok := f.unwrapper.Line(line.Data); ok {
		s.unframed(whole)
	}
}

// unframed passes on a line without its framing.
func (s *stream) unframed(line container.Line) {
	if line.TooLong {
		s.tooLong()
		if line.Data == nil {
			return
		}
	}
	s.line(line.Data, parser.Noted{Time: line.Time, Abridged: line.TooLong})
}

// pending reports whether there are parts of a line that has not ended.
func (f *framing) pending() bool { return f.unwrapper != nil && f.unwrapper.Pending() }

// end passes on the parts of lines whose end is missing.
func (f *framing) end(s *stream) {
	if f.unwrapper == nil {
		return
	}
	for line, some := f.unwrapper.Flush(); some; line, some = f.unwrapper.Flush() {
		s.unframed(line)
	}
}
