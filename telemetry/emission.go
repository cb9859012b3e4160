package telemetry

import (
	"strconv"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/otlp/metrics"
	"github.com/tailspan/tailspan/session/clock"
)

// sighting is an event at its time and its place in the stream.
type sighting struct {
	ev   *events.DisplayEvent
	at   clock.Moment
	from origin
	// number is that of its record, where it was given one before; else 0.
	number int64
}

// record writes the log record of what the agent did, about a call or none, and reports whether it went out.
func (s *Stream) record(a *agent, of *call, what sighting) bool {
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

// writeRecord is record for what the accounts of the run have decided on.
func (s *Stream) writeRecord(a *agent, of *call, what sighting) bool {
	r, ev := a.run, what.ev
	// The uid is made only of what is exported: most replayed lines, and all of a second account, need it for nothing
	// but the question whether they went out, which a cheaper hash of the same parts answers.
	parts := s.appendUIDParts(make([]byte, 0, otlp.PartsRoom), r, of, what)
	number := what.number
	if number == 0 {
		number = r.resource.NextNumber()
	}
	isNew := s.registry.firstRecord(parts)
	if r.standing == standingFirst && modelWorks(ev) {
		s.noteSigns(a, ev, !isNew)
		if key, ok := s.copyKey(ev); ok {
			s.registry.said.First(s.registry.mark(&key))
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
		in.Span = of.spanID
	} else if a.chat.is(ev) && !a.chat.spanID.IsEmpty() && !(r.standing == standingTwin && a.chat.elsewhere) {
		in.Span = a.chat.spanID
	}
	m := s.sink.AddEvent(r.resource, recordAt(what.at, s.moved, in, otlp.UIDOf(parts)), s.writer, ev, s.settings.Agent.ServiceName)
	otlp.PutStr(m, otlp.AttrGenAIAgentName, a.name)
	m.PutInt(otlp.AttrSequence, number)
	if ev.ParentID != "" && a.call == nil {
		m.PutStr(otlp.AttrParentUnknown, ev.ParentID)
	}
	return true
}

// appendUIDParts appends what makes a record's identity: the line's own id where the format gives one, so that two sources
// of a session agree; else the call; else the place in the stream.
func (s *Stream) appendUIDParts(buf []byte, r *run, of *call, what sighting) []byte {
	ev, o := what.ev, what.from
	kind, provider := ev.Kind.String(), s.settings.Agent.Provider
	switch {
	case ev.ItemID != "":
		buf = otlp.AppendParts(buf, otlp.DomainRecord, o.nth, provider, r.idSession, kind, ev.ItemID)
	case of != nil && ev.Kind != events.KindToolProgress:
		buf = otlp.AppendParts(buf, otlp.DomainRecord, int(of.occurrence), provider, r.idSession, r.idScope, kind, of.id)
	default:
		buf = otlp.AppendParts(buf, otlp.DomainRecord, o.index, provider, r.idSession, kind, r.key, r.childKey.agent, strconv.FormatInt(o.offset, 10))
	}
	return appendContent(buf, r, of, ev)
}

// recordAt is a record of what happened at a moment, and was seen later.
func recordAt(at clock.Moment, seen time.Time, in otlp.SpanRef, uid otlp.UID) *otlp.Record {
	return &otlp.Record{Time: int64(at.At), TimeSource: at.Source.String(), Observed: seen, In: in, UID: uid}
}

// span appends a span of an agent's run, with the name and times that are missing, and returns its attributes; ok is false if
// it is not to be exported: replayed, exported by another file before, or history of another session.
func (s *Stream) span(a *agent, of *otlp.Span, operation, what string, i *clock.Interval) (m pcommon.Map, ok bool) {
	if of.Trace = a.run.traceID; !a.exports() || !s.registry.firstSpan(of.Trace, of.ID) || s.suppressed {
		return m, false
	}
	of.Name = s.spanNames.of(operation, what)
	setTimes(of, i)
	m = s.sink.AddSpan(a.run.resource, of)
	otlp.PutStr(m, otlp.AttrGenAIConversationID, a.run.sessionID)
	m.PutStr(otlp.AttrGenAIOperationName, operation)
	otlp.PutTrue(m, otlp.AttrBackground, a.run.outside(a, i))
	return m, true
}

// setTimes gives a span the times of an interval.
func setTimes(of *otlp.Span, i *clock.Interval) {
	of.Start, of.End, of.TimeSource = int64(i.Start.At), int64(i.End.At), clock.Worst(i.Start.Source, i.End.Source).String()
}

// maxSpanNames is how many names of spans a stream remembers; one with more than that begins anew.
const maxSpanNames = 128

// spanNames are the names of a stream's spans.
type spanNames struct{ names map[[2]string]string }

// of is "{operation} {what}", or the operation alone where nothing more is known. A stream has few names and many
// spans, so each is made once.
func (n *spanNames) of(operation, what string) string {
	if what == "" {
		return operation
	}
	parts := [2]string{operation, what}
	name, known := n.names[parts]
	if !known {
		name = operation + " " + what
		switch {
		case n.names == nil:
			n.names = map[[2]string]string{}
		case len(n.names) == maxSpanNames:
			clear(n.names)
		}
		n.names[[2]string{operation, name[len(operation)+1:]}] = name
	}
	return name
}

// measureSpan adds the length of a span, unless that ends with the time of a file, which measures nothing.
func measureSpan(m *metrics.Meter, key metrics.Key, i *clock.Interval, in otlp.SpanRef) {
	if i.End.Source.Rank() != clock.SourceFile {
		m.Duration(key, i.End.At.Sub(i.Start.At), in)
	}
}
