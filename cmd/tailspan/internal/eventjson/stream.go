package eventjson

import (
	"errors"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/session/pipeline"
)

// Stream is one input that is converted to JSON events.
type Stream struct {
	Events *pipeline.Events
	// Origin is what each event says about the input. Its provider is filled in once known.
	Origin Origin
	// Live reports whether the input may still be written: its events are flushed at once.
	Live bool
	// End returns the missing end of an input whose program was killed before it wrote one; nil reports the end as missing.
	End func() *events.DisplayEvent
}

// Printed passes one input to a printer, record by record.
type Printed struct {
	printer  *Printer
	stream   *Stream
	replayed parser.Stats // counts of replayed records
}

// Open begins an input; several may share a printer. The Origin of s may change.
func (p *Printer) Open(s *Stream) *Printed {
	if s.Live {
		s.Events.Live()
	}
	return &Printed{printer: p, stream: s}
}

// Note records metadata of the next record.
func (s *Printed) Note(n parser.Noted) { s.stream.Events.Note(n) }

// Record prints the events of a line or a document.
func (s *Printed) Record(record []byte) error {
	err := s.print(s.stream.Events.ParseEvents(record))
	if err != nil || !s.stream.Live {
		return err
	}
	return s.printer.Flush() // the writer may continue for hours
}

// Replay restores what an earlier stream of the input knew after a record, and prints nothing.
func (s *Printed) Replay(record []byte) {
	s.stream.Events.Reparse(record)
	s.replayed = s.stream.Events.Stats()
}

// Tick prints what is due while no record arrives.
func (s *Printed) Tick() error {
	return errors.Join(s.print(s.stream.Events.Tick()), s.printer.Flush())
}

// Close prints pending events and adds the counts of the input to the summary.
func (s *Printed) Close(tooLong int) error {
	err := s.print(s.stream.Events.Flush())
	if err == nil && s.stream.Events.Incomplete() {
		err = s.print([]events.DisplayEvent{*s.end()})
	}
	stats := s.stream.Events.Stats()
	s.printer.count(s.stream.Events.Provider(), stats.Since(&s.replayed), tooLong)
	return err
}

// print writes events and the lines that the parser passed through.
func (s *Printed) print(evs []events.DisplayEvent) error {
	s.stream.Origin.Provider = s.stream.Events.Provider()
	return errors.Join(s.printer.Events(evs, &s.stream.Origin), s.printer.Raw(s.stream.Events.Raw(), &s.stream.Origin))
}

func (s *Printed) end() *events.DisplayEvent {
	if s.stream.End != nil {
		return s.stream.End()
	}
	return &events.DisplayEvent{
		Kind: events.KindSessionEnded,
		End:  &events.End{Error: true, Code: "incomplete", Err: "the stream ended before its result"},
	}
}
