package telemetry

import (
	"math"
	"strconv"
	"time"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/outcome"
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
func (p *processEnd) of(r *run) *outcome.Exit {
	if r.closing.exitKnown {
		return r.closing.exit
	}
	return p.exit
}

// unwritten is a closed run whose span waits for the exit of its process.
type unwritten struct {
	run *run
	why otlp.CloseReason
}

// Exited applies the exit of the process that writes the stream. Call it after the last line and before Close.
func (s *Stream) Exited(e outcome.Exit) { s.work(false, func() { s.exited(e) }) }

func (s *Stream) exited(e outcome.Exit) {
	s.pending.date(s.clock.FileTime())
	s.release(releaseAll)
	s.process.exit = &e
	s.writeUnwritten()
	at := clock.Moment{At: clock.InstantOf(e.Time), Source: clock.SourceArrival}
	if e.Incomplete && s.run != nil && !s.run.closed {
		s.apply(e.IncompleteEnd(), s.clock.End(at), origin{offset: math.MaxInt64})
	}
	s.recordExit(at)
}

// writeTop writes the span of a closed run or makes it wait for the exit of its process.
func (s *Stream) writeTop(r *run, why otlp.CloseReason) {
	s.writeUnwritten()
	s.process.unwritten = &unwritten{r, why}
	if !s.settings.AwaitExit || s.process.exit != nil || s.suppressed {
		s.writeUnwritten()
		return
	}
	s.registry.startTimer(waitExit, s)
}

// writeUnwritten writes the waiting span, with or without an exit.
func (s *Stream) writeUnwritten() {
	if s.process.unwritten == nil {
		return
	}
	r, why := s.process.unwritten.run, s.process.unwritten.why
	s.process.unwritten = nil
	s.registry.timers.Stop(waitExit, s)
	r.closing.exit, r.closing.exitKnown = s.process.exit, true
	s.writeClosed(r, why)
}

// giveUpExit writes the span that has waited too long.
func (s *Stream) giveUpExit(into *batch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sink, s.suppressed = into, false
	s.writeUnwritten()
	s.meter.Flush()
}

// recordExit writes the record of the exit, under the last run or else under the span of the process.
func (s *Stream) recordExit(at clock.Moment) {
	e, stderr := s.process.exit, ""
	if e.Failed() {
		stderr = e.Stderr
	}
	out := recordAt(at, s.registry.settings.Now(), otlp.SpanRef{}, s.exitUID(at))
	if r := s.run; r != nil {
		out.In, out.Conversation, out.Agent = r.top.ref(), r.sessionID, r.top.name
	} else {
		out.In = s.writeProcess(at)
	}
	out.Sequence = s.resource.NextNumber()
	s.sink.AddExit(s.resource, &out, e.Shown(), e.Failed(), e.String(), stderr)
}

// writeProcess writes the span of a process that wrote no run, such as an agent that was not asked for its stream. Its
// parent is the step or the outer span; else it has its own trace. Only the exit code shows how its work ended.
func (s *Stream) writeProcess(ended clock.Moment) otlp.SpanRef {
	e := s.process.exit
	span := clock.Interval{Start: ended, End: ended}
	if !e.Started.IsZero() {
		began := clock.Moment{At: clock.InstantOf(e.Started), Source: clock.SourceArrival}
		span.Cover(&began)
	}
	of := []string{s.settings.Agent.Provider, s.settings.Fingerprint, strconv.FormatInt(int64(span.Start.At), 10), strconv.FormatInt(int64(ended.At), 10)}
	v := e.Verdict()
	out := otlp.Program{Executable: s.settings.Agent.ServiceName, Exit: e.Shown()}
	out.ID = otlp.NewSpanID(otlp.DomainProcess, 0, of...)
	out.Trace = otlp.NewTraceID(0, append([]string{otlp.DomainProcess}, of...)...)
	out.Start, out.End, out.TimeSource = span.Times()
	out.ErrorType, out.Error, out.Reason = v.ErrorType(), v.Message, v.Reason
	if parent := s.settings.Parent; !parent.Empty() {
		out.Trace, out.Parent = parent.TraceID, parent.SpanID
	} else if parent, ok := s.registry.runStarted(s.resource, true); ok {
		out.Trace, out.Parent = parent.Trace, parent.Span
		out.Background = s.registry.runEnded(s.resource, span, v)
	}
	s.sink.AddProgram(s.resource, &out)
	return out.Ref()
}

// exitUID returns the UID of the record of an exit. It is that of the last run, or of the time if there was no run.
func (s *Stream) exitUID(at clock.Moment) otlp.UID {
	of := strconv.FormatInt(int64(at.At), 10)
	session := s.settings.Fingerprint
	if s.run != nil {
		of, session = s.run.key, s.run.idSession
	}
	return otlp.RecordUID(0, s.settings.Agent.Provider, session, of, otlp.EventNameProcessExited)
}

// evidenceOf returns what is known of the end of a run that is closed for why.
func (p *processEnd) evidenceOf(r *run, why otlp.CloseReason) *outcome.Evidence {
	e := &outcome.Evidence{Signs: r.signs, Open: r.end.leftOpen || len(r.calls.open) > 0, Why: why, Exit: p.of(r)}
	if r.end.own {
		e.End = r.end.line
	}
	return e
}
