package parsertest

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/decode"
)

// Source is a provider's parser as a source of events.
type Source struct {
	parser decode.Parser
	last   decode.Result
}

// New returns a parser as a source.
func New(p decode.Parser) *Source { return &Source{parser: p} }

// ParseEvents returns the events of a line.
func (s *Source) ParseEvents(line []byte) []events.DisplayEvent {
	s.last = s.parser.Parse(line)
	return s.last.Events
}

// Flush returns the pending events of the ended stream.
func (s *Source) Flush() []events.DisplayEvent {
	s.last = s.parser.Flush()
	return s.last.Events
}

// Quiet returns the events that are pending only because the agent may go on.
func (s *Source) Quiet() []events.DisplayEvent { return s.parser.Quiet() }

// LineStatus is the status of the last line, or of the stream's end.
func (s *Source) LineStatus() events.LineStatus { return s.last.Status }

// UnknownType is the unknown type of the last line.
func (s *Source) UnknownType() string { return s.last.UnknownType }

// State is what the stream holds.
func (s *Source) State() decode.State { return s.parser.State() }

// Drop leaves arguments of calls and texts of results out.
func (s *Source) Drop(inputs, outputs bool) { s.parser.Drop(inputs, outputs) }
