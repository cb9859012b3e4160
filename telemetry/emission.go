package telemetry

import (
	"strconv"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/otlp/metrics"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/pending"
)

// emitter receives the spans, records and counts of a stream.
type emitter struct {
	meter      metrics.Meter
	out        *batch  // output of the stream's own lines; nil after Trim
	sink       *batch  // current destination: out, or the batch of the stream whose line released the events
	counts     *Counts // since the last Take; nil if there are none
	suppressed bool    // the current line is replayed and exports nothing
}

// count returns the counts since the last Take, to be added to.
func (e *emitter) count() *Counts {
	if e.counts == nil {
		e.counts = new(Counts)
	}
	return e.counts
}

// own returns the stream's own batch.
func (e *emitter) own(r *Registry) *batch {
	if e.out == nil {
		e.out = newBatch(r)
	}
	return e.out
}

// take returns the output since the last call and clears it.
func (e *emitter) take(r *Registry) Output {
	out := e.own(r).take()
	e.meter.Flush()
	if e.counts != nil {
		out.Counts, e.counts = *e.counts, nil
	}
	out.Counts.ImplausibleDurations += e.meter.TakeIgnored()
	return out
}

// trim releases caches and an empty batch.
func (e *emitter) trim() {
	e.sink = nil
	e.meter.Trim()
	if e.out != nil && e.out.empty() {
		e.out = nil
	}
}

// sighting is an event with its time and its position in the stream.
type sighting struct {
	ev   *events.DisplayEvent
	at   clock.Moment
	from pending.Origin
	// number is the record's sequence number if it was assigned before, else 0.
	number int64
}

// record writes the log record of an event, about a call or none, and reports whether it was exported.
func (s *writing) record(a *agent, of *call, what sighting) bool {
	switch s.exportsRecord(a, of, what) {
	case recordWaits:
		return false
	case recordDropped:
		s.dropped(a.run)
		return false
	default:
		return s.writeRecord(a, of, what)
	}
}

// writeRecord writes the record after the accounts of the run decided to export it.
func (s *writing) writeRecord(a *agent, of *call, what sighting) bool {
	r, ev := a.run, what.ev
	// A UID is made only for exported records. Most replayed lines and second accounts only need to know whether the
	// record was exported, which a cheaper hash of the same parts answers.
	parts := r.appendUIDParts(make([]byte, 0, otlp.PartsRoom), s.settings.Agent.Provider, of, what)
	number := what.number
	if number == 0 {
		number = r.resource.NextNumber()
	}
	isNew := s.registry.ids.FirstRecord(parts)
	if r.standing == account.First && content.ModelWorks(ev) {
		s.noteSigns(a, ev, !isNew)
		if key, ok := s.copyKey(ev); ok {
			s.registry.ids.Say(&key)
		}
	}
	if !isNew || s.suppressed {
		if !isNew && r.isSecond() {
			s.dropped(r)
		}
		return false
	}
	in := a.ref()
	if of != nil {
		in.Span = of.SpanID
	} else if a.chat.isNamed(ev) && !(r.standing == account.Twin && a.chat.elsewhere) {
		in.Span = a.chat.ID
	}
	out := recordAt(what.at, s.moved, in, otlp.UIDOf(parts))
	out.Agent, out.Sequence = a.name, number
	if a.call == nil {
		out.ParentUnknown = ev.ParentID
	}
	s.sink.AddEvent(r.resource, &out, ev, s.settings.Agent.ServiceName)
	return true
}

// appendUIDParts appends the parts of a record's identity: the ID of its line if the format has one, so that two
// sources of a session agree; else the call; else the position in the stream.
func (r *run) appendUIDParts(buf []byte, provider string, of *call, what sighting) []byte {
	ev, o := what.ev, what.from
	kind := ev.Kind.String()
	var call []byte
	if of != nil {
		call = of.Content[:]
	}
	switch {
	case ev.ItemID != "":
		buf = otlp.AppendParts(buf, otlp.DomainRecord, o.Nth, provider, r.idSession, kind, ev.ItemID)
	case of != nil && ev.Kind != events.KindToolProgress:
		buf = otlp.AppendParts(buf, otlp.DomainRecord, int(of.Occurrence), provider, r.idSession, r.idScope, kind, of.ID)
	default:
		buf = otlp.AppendParts(buf, otlp.DomainRecord, o.Index, provider, r.idSession, kind, r.key, r.childKey.Agent, strconv.FormatInt(o.Offset, 10))
	}
	return content.Append(buf, r.key, call, ev)
}

// recordAt returns a record of something that happened at a moment and was observed later.
func recordAt(at clock.Moment, seen time.Time, in otlp.SpanRef, uid otlp.UID) otlp.Record {
	return otlp.Record{Time: int64(at.At), TimeSource: at.Source.String(), Observed: seen, In: in, UID: uid}
}

// span returns the common part of a span of an agent's run. It has no trace if it must not be exported: it is replayed,
// was exported by another file, or is history of another session.
func (s *writing) span(a *agent, id, parent otlp.SpanID, i *clock.Interval) otlp.Span {
	if !a.exports() || !s.registry.ids.FirstSpan(otlp.SpanRef{Trace: a.run.traceID, Span: id}) || s.suppressed {
		return otlp.Span{}
	}
	of := otlp.Span{Trace: a.run.traceID, ID: id, Parent: parent, Conversation: a.run.sessionID, Background: a.run.outside(a, i), Clamped: i.Clamped()}
	of.Start, of.End, of.TimeSource = i.Times()
	return of
}

// measureSpan records the duration of a span, unless it ends with the time of a file, which measures nothing.
func measureSpan(m *metrics.Meter, key metrics.Key, i *clock.Interval, in otlp.SpanRef) {
	if i.End.Source.Rank() != clock.SourceFile {
		m.Duration(key, i.End.At.Sub(i.Start.At), in)
	}
}

// recordEnd writes the record of a run's end if no line of the format ends the run, so that every run has one. It has
// the attributes of an event that ends a run.
func (s *writing) recordEnd(r *run, why otlp.CloseReason) {
	if r.end.by != events.KindUnspecified || !r.top.exports() || r.isSecond() {
		return
	}
	parts := otlp.AppendParts(make([]byte, 0, 256), otlp.DomainRecord, 0, s.settings.Agent.Provider, r.sessionID, otlp.EventNameRunEnd, r.traceID.String(), r.top.spanID.String())
	if !s.registry.ids.FirstRecord(parts) || s.suppressed {
		return
	}
	v := s.process.evidenceOf(r, why).Verdict()
	at := r.top.span.End
	end := events.End{
		Error: v.ErrorType() != "", Interrupted: v.Outcome == events.OutcomeInterrupted, Decided: v.Outcome,
		Cause: events.Cause(v.ErrorType()), Err: v.Message, Totals: r.totalsAt(at),
	}
	out := recordAt(at, s.moved, r.top.ref(), otlp.UIDOf(parts))
	out.Conversation, out.Agent = r.sessionID, r.top.name
	s.sink.AddRunEnd(r.resource, &out, &end, r.top.id, v.Reason)
}
