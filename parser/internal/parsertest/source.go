package parsertest

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/decode"
)

// Source adapts a provider's parser to a source of events.
type Source struct {
	parser decode.Parser
	last   decode.Result
}

// New returns a Source for a parser.
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

// Quiet returns the events that are pending only because the agent may continue.
func (s *Source) Quiet() []events.DisplayEvent { return s.parser.Quiet() }

// LineStatus returns the status of the last line, or of the end of the stream.
func (s *Source) LineStatus() events.LineStatus { return s.last.Status }

// UnknownType returns the unknown type of the last line.
func (s *Source) UnknownType() string { return s.last.UnknownType }

// State returns the state of the parser.
func (s *Source) State() decode.State { return s.parser.State() }

// Drop omits arguments of calls and texts of results.
func (s *Source) Drop(inputs, outputs bool) { s.parser.Drop(inputs, outputs) }
