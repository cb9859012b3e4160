package agentstreamreceiver

import (
	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/source"
	"github.com/tailspan/tailspan/source/container"
)

// framing takes the framing of container runtimes off the lines of a stream. The position moves over parts of lines too:
// after a restart all lines come again, parts among them, before the one that ends the line.
type framing struct {
	unwrapper *container.Unwrapper // nil: lines are taken as they are
}

// newUnwrapper makes what a stream needs; nil for documents and rows, which have no framing, and where the settings want
// none.
func newUnwrapper(cfg *config.Stream, s *source.Stream) *container.Unwrapper {
	if cfg.Container == config.ContainerNone || s.Restated {
		return nil
	}
	return container.New(int(cfg.MaxLineSize))
}

// read takes a line of the source, and hands on to s what the program wrote that ends with it.
func (f *framing) read(line *source.Line, s *stream) {
	if f.unwrapper == nil || line.Abridged { // which begins as an object does
		s.line(line.Data, parser.Noted{Abridged: line.Abridged})
		return
	}
	if whole, ok := f.unwrapper.Line(line.Data); ok {
		s.unframed(whole)
	}
}

// unframed takes what stood in a framing.
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

// end takes the parts of lines whose end will not come.
func (f *framing) end(s *stream) {
	if f.unwrapper == nil {
		return
	}
	for line, some := f.unwrapper.Flush(); some; line, some = f.unwrapper.Flush() {
		s.unframed(line)
	}
}
