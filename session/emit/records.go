package emit

import (
	"strconv"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/pending"
	"github.com/tailspan/tailspan/session/work"
)

// Record writes the record of an event, about a call or none, that was observed at a time.
func (e *Emitter) Record(a *work.Agent, of *work.Call, what pending.Sighting, uid otlp.UID, seen time.Time) {
	r, ev, in := a.Run, what.Event, a.Span()
	if of != nil {
		in.Span = of.SpanID
	} else if a.Chat.IsNamed(ev) && !(r.Standing == account.Twin && a.Chat.Elsewhere) {
		in.Span = a.Chat.ID
	}
	out := work.RecordAt(what.At, seen, in, uid)
	out.Agent, out.Sequence = a.Name, what.Number
	if a.Call == nil {
		out.ParentUnknown = ev.ParentID
	}
	e.Sink.AddEvent(r.Resource, &out, ev, e.set.Program.Agent.ServiceName)
}

// End writes the record of a run's end if no line of the format ends the run, so that every run has one. It has
// the attributes of an event that ends a run.
func (e *Emitter) End(r *work.Run, v outcome.Verdict, seen time.Time) {
	if r.End.By != events.KindUnspecified || !r.Top.Exports() || r.Standing.IsSecond() {
		return
	}
	provider, trace, span := e.set.Program.Agent.Provider, r.TraceID.String(), r.Top.SpanID.String()
	parts := otlp.AppendParts(make([]byte, 0, 256), otlp.DomainRecord, 0, provider, r.SessionID, otlp.EventNameRunEnd, trace, span)
	if !e.set.IDs.FirstRecord(parts) || e.Suppressed {
		return
	}
	at := r.Top.Time.End
	end := events.End{
		Error: v.ErrorType() != "", Interrupted: v.Outcome == events.OutcomeInterrupted, Decided: v.Outcome,
		Cause: events.Cause(v.ErrorType()), Err: v.Message, Totals: r.TotalsAt(at),
	}
	out := work.RecordAt(at, seen, r.Top.Span(), otlp.UIDOf(parts))
	out.Conversation, out.Agent = r.SessionID, r.Top.Name
	e.Sink.AddRunEnd(r.Resource, &out, &end, r.Top.ID, v.Reason)
}

// Exit writes the record of the exit of a process, under its last run or, without one, under the span of the process.
func (e *Emitter) Exit(r *work.Run, at clock.Moment, exit *outcome.Exit, now time.Time) {
	stderr := ""
	if exit.Failed() {
		stderr = exit.Stderr
	}
	out := work.RecordAt(at, now, otlp.SpanRef{}, e.exitUID(r, at))
	if r != nil {
		out.In, out.Conversation, out.Agent = r.Top.Span(), r.SessionID, r.Top.Name
	} else {
		out.In = e.process(at, exit, now)
	}
	out.Sequence = e.set.Program.Resource.NextNumber()
	e.Sink.AddExit(e.set.Program.Resource, &out, exit.Shown(), exit.Failed(), exit.String(), stderr)
}

// exitUID returns the UID of the record of an exit. It is that of the last run, or of the time if there was no run.
func (e *Emitter) exitUID(r *work.Run, at clock.Moment) otlp.UID {
	of := strconv.FormatInt(int64(at.At), 10)
	session := e.set.Program.Fingerprint
	if r != nil {
		of, session = r.Key, r.IDSession
	}
	return otlp.RecordUID(0, e.set.Program.Agent.Provider, session, of, otlp.EventNameProcessExited)
}

// Dropped counts a record that is not exported because another stream exports it or its original.
func (e *Emitter) Dropped(r *work.Run) {
	switch {
	case e.Suppressed:
	case r.IsCopy():
		e.Count().Copied++
	default:
		e.Count().OtherAccount++
	}
}
