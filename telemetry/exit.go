package telemetry

import (
	"math"
	"strconv"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
)

// exitGrace is how long the span of a run that has reported its result waits for its process to exit. Agents that stay after
// their result are known; their spans then go out without the exit.
const exitGrace = 5 * time.Second

// Exit is how the process that wrote a stream ended.
type Exit struct {
	// Code is what it returned, where no signal ended it.
	Code int
	// Signal is the name of the signal that ended it, such as "SIGTERM"; empty if none did.
	Signal string
	// Time is when it ended.
	Time time.Time
	// Dropped is how many bytes of its output were lost before they could be read.
	Dropped int64
	// Stderr is the end of what it wrote to standard error, fit for a log.
	Stderr string
	// Incomplete is set if the stream has no end, by its parser. It then gets one that reports the failure.
	Incomplete bool
	// Interrupted shows that the user stopped it: SIGINT was forwarded to it.
	Interrupted bool
	// Stopped shows that tailspan asked it to end.
	Stopped bool
}

// interruptCode is what a program returns that SIGINT ended: 128 and the signal's number.
const interruptCode = 130

// interrupted reports whether the user ended the process.
func (e *Exit) interrupted() bool { return e.Signal == "SIGINT" || e.Code == interruptCode }

// Failed reports whether the process ended otherwise than a program does that did its work.
func (e *Exit) Failed() bool { return e.Signal != "" || e.Code != 0 }

// Reason is why that closes which the process left open.
func (e *Exit) Reason() otlp.CloseReason {
	return (&evidence{exit: e, why: otlp.CloseReasonNoResult}).verdict().reason
}

// String says how it ended: "exit code 3", "ended by SIGTERM".
func (e *Exit) String() string {
	if e.Signal != "" {
		return "ended by " + e.Signal
	}
	return "exit code " + strconv.Itoa(e.Code)
}

// IncompleteEnd is the end that the process did not live to write.
func (e *Exit) IncompleteEnd() *events.DisplayEvent {
	v := (&evidence{exit: e, why: otlp.CloseReasonNoResult}).verdict()
	end := &events.End{Error: true, Code: otlp.EndCodeIncomplete, Decided: v.outcome, Cause: events.Cause(v.errorType()), Err: e.String() + beforeResult}
	if v.outcome == events.OutcomeInterrupted {
		end.Error, end.Interrupted = false, true
	}
	return &events.DisplayEvent{Kind: events.KindSessionEnded, Synthetic: true, End: end}
}

// shown is what the span of the run that it ended shows of it; nil without one.
func (e *Exit) shown() *otlp.Exit {
	if e == nil {
		return nil
	}
	return &otlp.Exit{Code: e.Code, Signal: e.Signal, Dropped: e.Dropped}
}

// unwritten is a run that is closed, and whose span waits for the exit of its process.
type unwritten struct {
	run *run
	why otlp.CloseReason
}

// Exited reports how the process that writes the stream ended, after its last line. Close follows it.
func (s *Stream) Exited(e Exit) { s.work(false, func() { s.exited(e) }) }

func (s *Stream) exited(e Exit) {
	s.date(s.clock.FileTime())
	s.release(releaseAll)
	s.exit = &e
	s.writeUnwritten()
	at := clock.Moment{At: clock.InstantOf(e.Time), Source: clock.SourceArrival}
	if e.Incomplete && s.run != nil && !s.run.closed {
		s.apply(e.IncompleteEnd(), s.clock.End(at), origin{offset: math.MaxInt64})
	}
	s.recordExit(at)
}

// writeTop writes the span of a closed run, or lets it wait for the exit of its process.
func (s *Stream) writeTop(r *run, why otlp.CloseReason) {
	s.writeUnwritten()
	s.unwritten = &unwritten{r, why}
	if !s.settings.AwaitExit || s.exit != nil || s.suppressed {
		s.writeUnwritten()
		return
	}
	s.registry.await(s.registry.exits, s)
}

// writeUnwritten writes the span that waited, whether or not there was an exit.
func (s *Stream) writeUnwritten() {
	if s.unwritten == nil {
		return
	}
	r, why := s.unwritten.run, s.unwritten.why
	s.unwritten = nil
	s.registry.release(s.registry.exits, s)
	r.closing.exit, r.closing.exitKnown = s.exit, true
	s.writeClosed(r, why)
}

// giveUpExit writes the span that waited for too long.
func (s *Stream) giveUpExit(into *batch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sink, s.suppressed = into, false
	s.writeUnwritten()
	s.meter.Flush()
}

// recordExit writes the record of the exit, under the last run if there was one.
func (s *Stream) recordExit(at clock.Moment) {
	e, stderr := s.exit, ""
	if e.Failed() {
		stderr = e.Stderr
	}
	out := recordAt(at, s.registry.settings.Now(), otlp.SpanRef{}, s.exitUID(at))
	if r := s.run; r != nil {
		out.In, out.Conversation, out.Agent = r.top.ref(), r.sessionID, r.top.name
	}
	out.Sequence = s.resource.NextNumber()
	s.sink.AddExit(s.resource, &out, e.shown(), e.Failed(), e.String(), stderr)
}

// exitUID is the identity of the record of an exit: the last run's, or of a process that began none that of its time.
func (s *Stream) exitUID(at clock.Moment) otlp.UID {
	of := strconv.FormatInt(int64(at.At), 10)
	session := s.settings.Fingerprint
	if s.run != nil {
		of, session = s.run.key, s.run.idSession
	}
	return otlp.RecordUID(0, s.settings.Agent.Provider, session, of, otlp.EventNameProcessExited)
}
