package telemetry

import (
	"time"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/work"
)

// exitGrace is how long the span of a run with a result waits for the exit of its process. Some agents stay after their
// result; their spans are then exported without the exit.
const exitGrace = 5 * time.Second

// processEnd is the end of a stream's process and the run that waits for it.
type processEnd struct {
	unwritten *unwritten    // a closed run whose span is waiting
	exit      *outcome.Exit // nil until the process ended
}

// of returns the exit of the process if the run was its last, or nil if unknown.
func (p *processEnd) of(r *work.Run) *outcome.Exit {
	if r.Closing.ExitKnown {
		return r.Closing.Exit
	}
	return p.exit
}

// unwritten is a closed run whose span waits for the exit of its process.
type unwritten struct {
	run *work.Run
	why otlp.CloseReason
}

// writeTop writes the span of a closed run or makes it wait for the exit of its process.
func (s *endings) writeTop(r *work.Run, why otlp.CloseReason) {
	s.writeUnwritten()
	s.process.unwritten = &unwritten{r, why}
	if !s.settings.AwaitExit || s.process.exit != nil || s.suppressed {
		s.writeUnwritten()
		return
	}
	s.registry.startTimer(waitExit, s.self)
}

// writeUnwritten writes the waiting span, with or without an exit.
func (s *endings) writeUnwritten() {
	if s.process.unwritten == nil {
		return
	}
	r, why := s.process.unwritten.run, s.process.unwritten.why
	s.process.unwritten = nil
	s.registry.timers.Stop(waitExit, s.self)
	r.Closing.Exit, r.Closing.ExitKnown = s.process.exit, true
	s.writeClosed(r, why)
}

// giveUpExit writes the span that has waited too long.
func (s *endings) giveUpExit(into *batch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sink, s.suppressed = into, false
	s.writeUnwritten()
	s.meter.Flush()
}

// evidenceOf returns what is known of the end of a run that is closed for why.
func (p *processEnd) evidenceOf(r *work.Run, why otlp.CloseReason) *outcome.Evidence {
	return r.Evidence(why, p.of(r))
}
