package eventjson

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/show"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/pipeline"
)

// Stream is one input on its way to events as JSON.
type Stream struct {
	Lines  *input.Lines
	In     io.Reader
	Events *pipeline.Events
	// Live is true if the input may be written while it is read: what is known of it is written at once.
	Live bool
	// End is the end that an input does not have whose program did not live to write it; nil writes that it is missing.
	End func() *events.DisplayEvent
}

// To writes the events of the input to its end, and last the summary.
func (s *Stream) To(w io.Writer) error {
	out := bufio.NewWriterSize(w, input.BufferSize)
	p := New(out)
	err := s.events(p, out)
	if err == nil {
		err = errors.Join(p.Events(s.Events.Flush()), p.Raw(s.Events.Raw()))
	}
	if err == nil && s.Events.Incomplete() {
		err = p.Events([]events.DisplayEvent{*s.end()})
	}
	if err == nil {
		err = p.Summary(s.Events.Provider(), s.Events.Stats(), s.Lines.TooLong())
	}
	if flushed := out.Flush(); err == nil && flushed != nil {
		err = fmt.Errorf("write events: %w", flushed)
	}
	return err
}

// events writes those that lines have.
func (s *Stream) events(p *Printer, out *bufio.Writer) error {
	var mu sync.Mutex
	var ticked error // of a write; the next line returns it
	if s.Live {
		s.Events.Live()
		stop := show.Ticking(&mu, func() {
			ticked = errors.Join(ticked, p.Events(s.Events.Tick()), p.Raw(s.Events.Raw()), out.Flush())
		})
		defer stop()
	}
	return s.Lines.Records(s.In, func(line []byte) error {
		mu.Lock()
		defer mu.Unlock()
		if ticked != nil {
			return ticked
		}
		if err := p.Events(s.Events.ParseEvents(line)); err != nil {
			return err
		}
		if err := p.Raw(s.Events.Raw()); err != nil || !s.Live {
			return err
		}
		return out.Flush() // who writes may write on for hours
	})
}

func (s *Stream) end() *events.DisplayEvent {
	if s.End != nil {
		return s.End()
	}
	return &events.DisplayEvent{
		Kind: events.KindSessionEnded,
		End:  &events.End{Error: true, Code: "incomplete", Err: "the stream ended before its result"},
	}
}
