package fold

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// Tick releases the whole lines of texts after a quiet time, and reports whether there were any.
func (s *Stream) Tick() bool {
	t, ok := s.events.(interface{ Tick() []events.DisplayEvent })
	if !ok {
		return false
	}
	evs := t.Tick()
	s.take(evs)
	return len(evs) > 0
}

// Quiet releases what is pending only because more lines may arrive: an end that may yet be revoked, lines of no detected
// provider. It reports whether there was anything.
func (s *Stream) Quiet() bool {
	evs := s.parser.Quiet()
	raw := s.parser.Raw()
	some := len(evs)+len(raw) > 0
	s.pass(raw)
	s.take(s.clean(evs))
	return some
}

// Part releases the whole lines of all unfinished texts at once.
func (s *Stream) Part() { s.take(s.clean(s.joiner.Part())) }

// EndTexts releases all unfinished texts.
func (s *Stream) EndTexts() { s.take(s.clean(s.joiner.Flush())) }

func (s *Stream) clean(evs []events.DisplayEvent) []events.DisplayEvent {
	if r := s.redactor; r != nil {
		for i := range evs {
			r.Event(&evs[i])
		}
	}
	return evs
}

// Idle marks that all that was there has been read.
func (s *Stream) Idle() {
	if s.fold != nil {
		s.fold.Idle()
	}
}

// Flush applies what is pending in the parser at the end of the stream.
func (s *Stream) Flush() {
	if s.Suspended() || s.reparsing {
		return // nothing was pending when it was suspended
	}
	f, ok := s.events.(events.Flusher)
	if !ok {
		return
	}
	evs := f.Flush()
	s.pass(s.parser.Raw())
	s.take(evs)
}

// Exited applies the exit of the process that wrote the stream, and whether its end line is missing.
func (s *Stream) Exited(e telemetry.Exit) {
	s.open()
	e.Incomplete = s.parser.Incomplete()
	if r := s.redactor; r != nil {
		e.Stderr = r.String(e.Stderr)
	}
	s.fold.Exited(e)
	s.fold.Close(e.Reason())
}

// Close closes open spans for the reason.
func (s *Stream) Close(reason otlp.CloseReason) {
	if s.fold != nil {
		s.fold.Close(reason)
	}
}

// Detach stops the stream without closing its spans.
func (s *Stream) Detach() {
	if s.fold != nil {
		s.fold.Detach()
	}
}

// Waiting is how many of the last applied events are pending.
func (s *Stream) Waiting() int {
	if s.fold == nil {
		return 0
	}
	return s.fold.Waiting()
}

// State returns the telemetry state to store, and whether something is open; ok is false while the provider is unknown.
func (s *Stream) State() (state telemetry.StreamState, open, ok bool) {
	if s.fold == nil {
		return state, false, false
	}
	state, open = s.fold.State()
	return state, open, true
}
