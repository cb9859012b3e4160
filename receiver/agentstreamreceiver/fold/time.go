package fold

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/telemetry"
)

// Tick lets the whole lines of texts go that were quiet for long enough, and reports whether there were any.
func (s *Stream) Tick() bool {
	t, ok := s.events.(interface{ Tick() []events.DisplayEvent })
	if !ok {
		return false
	}
	evs := t.Tick()
	s.take(evs)
	return len(evs) > 0
}

// Quiet lets go what is held back only because more may come: an end that may yet be taken back, lines that do not tell
// their provider. It reports whether there was anything.
func (s *Stream) Quiet() bool {
	evs := s.parser.Quiet()
	raw := s.parser.Raw()
	some := len(evs)+len(raw) > 0
	s.pass(raw)
	s.take(s.clean(evs))
	return some
}

// Part lets the whole lines of all unfinished texts go, however quiet they are.
func (s *Stream) Part() { s.take(s.clean(s.joiner.Part())) }

// EndTexts lets all unfinished texts go.
func (s *Stream) EndTexts() { s.take(s.clean(s.joiner.Flush())) }

func (s *Stream) clean(evs []events.DisplayEvent) []events.DisplayEvent {
	if r := s.redactor; r != nil {
		for i := range evs {
			r.Event(&evs[i])
		}
	}
	return evs
}

// Idle tells the fold that all that was there has been read.
func (s *Stream) Idle() {
	if s.fold != nil {
		s.fold.Idle()
	}
}

// Flush takes what the ended stream still owes.
func (s *Stream) Flush() {
	if s.Resting() || s.rereading {
		return // it owed nothing when it began to rest
	}
	f, ok := s.events.(events.Flusher)
	if !ok {
		return
	}
	evs := f.Flush()
	s.pass(s.parser.Raw())
	s.take(evs)
}

// Exited tells how the process ended that wrote the stream, and whether its stream did not live to tell its end.
func (s *Stream) Exited(e telemetry.Exit) {
	s.open()
	e.Incomplete = s.parser.Incomplete()
	if r := s.redactor; r != nil {
		e.Stderr = r.String(e.Stderr)
	}
	s.fold.Exited(e)
	s.fold.Close(e.Reason())
}

// Close ends the fold: what is open is closed for the reason.
func (s *Stream) Close(reason telemetry.CloseReason) {
	if s.fold != nil {
		s.fold.Close(reason)
	}
}

// Suspend ends the fold and leaves open what is open.
func (s *Stream) Suspend() {
	if s.fold != nil {
		s.fold.Detach()
	}
}

// Waiting is how many of the last events that were folded have not gone out yet.
func (s *Stream) Waiting() int {
	if s.fold == nil {
		return 0
	}
	return s.fold.Waiting()
}

// State is what the fold wants back when the stream is folded again, and whether it owes something; ok is false while
// there is no fold.
func (s *Stream) State() (state telemetry.StreamState, owes, ok bool) {
	if s.fold == nil {
		return state, false, false
	}
	state, owes = s.fold.State()
	return state, owes, true
}
