package agentstreamreceiver

import (
	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/source"
	"github.com/tailspan/tailspan/source/container"
)

// newUnwrapper makes what takes the framing of container runtimes off a stream's lines; nil for documents and rows, which
// have none, and where the settings want none.
func (r *agentStream) newUnwrapper(s source.Stream) *container.Unwrapper {
	if r.config.Stream.Container == config.ContainerNone || s.Restated {
		return nil
	}
	return container.New(int(r.config.Stream.MaxLineSize))
}

// unwrap takes a line of the source, and what the program wrote with it. The position moves over parts of lines too: after a
// restart all lines come again, parts among them, before the one that ends the line.
func (s *stream) unwrap(data []byte) {
	if s.unwrapper == nil {
		s.line(data)
		return
	}
	if line, whole := s.unwrapper.Line(data); whole {
		s.unwrapped(line)
	}
}

func (s *stream) unwrapped(line container.Line) {
	if line.TooLong {
		if !s.fold.At.Silent {
			s.receiver.meter.notParsed(source.SkipReasonTooLong.String(), 1)
		}
		return
	}
	s.fold.Noted = parser.Noted{Time: line.Time}
	s.line(line.Data)
}

// endParts takes the parts of lines whose end will not come.
func (s *stream) endParts() {
	if s.unwrapper == nil {
		return
	}
	for line, some := s.unwrapper.Flush(); some; line, some = s.unwrapper.Flush() {
		s.unwrapped(line)
	}
}
