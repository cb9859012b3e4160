package agentstreamreceiver

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/redact"
)

// lines are what makes events of the lines of a stream. It is the greater part of what a quiet stream takes, and all that
// it knows stands in the file.
type lines struct {
	parser *parser.Source
	joiner *redact.Joiner
	events events.DisplayEventSource // parser, joiner and redaction
}

func (r *agentStream) newLines(provider string) (lines, error) {
	p, err := parser.New(provider)
	if err != nil {
		return lines{}, err
	}
	l := lines{parser: p, joiner: redact.NewJoiner(p, redact.JoinSettings{})}
	l.events = l.joiner
	if r.redactor != nil {
		l.events = redact.New(l.joiner, r.redactor)
	}
	return l, nil
}

// Rest lets go of the parser, unless it holds something back. The fold stays: what is open in it is owed, also if the file
// is deleted, and other streams may wait for it or it for them.
func (s *stream) Rest() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.suspended || s.refused || len(s.pending) > 0 || s.last.Silent || s.timedLeft > 0 {
		return false
	}
	if s.joiner.Holding() || s.parser.Owes() {
		return false
	}
	s.lines = lines{}
	s.begun, s.seen, s.timedLeft = false, parser.Stats{}, len(s.kept.Timed)
	s.unfinished.Store(false)
	s.restless.Store(false)
	return true
}

// resting tells whether there is no parser.
func (s *stream) resting() bool { return s.parser == nil }

// rise makes a parser for a stream that rested. The lines that come now are its old ones, for the parser alone.
func (s *stream) rise() error {
	if !s.resting() {
		return nil
	}
	l, err := s.receiver.newLines(s.origin.provider)
	if err != nil {
		return err
	}
	s.lines, s.rereading = l, true
	return nil
}
