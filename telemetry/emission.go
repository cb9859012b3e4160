package telemetry

import (
	"strconv"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

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
	lr := s.sink.Record(r.resource)
	if !s.writer.Write(lr, ev) {
		s.sink.PutLine(lr, ev, s.settings.Agent.ServiceName)
	}
	stamp(lr, what.at, s.moved)
	lr.SetTraceID(r.traceID)
	lr.SetSpanID(a.spanID)
	if of != nil {
		lr.SetSpanID(of.spanID)
	} else if a.chat.is(ev) && !a.chat.spanID.IsEmpty() && !(r.standing == standingTwin && a.chat.elsewhere) {
		lr.SetSpanID(a.chat.spanID)
	}
	m := lr.Attributes()
	otlp.PutStr(m, otlp.AttrGenAIAgentName, a.name)
	m.PutInt(otlp.AttrSequence, number)
	m.PutStr(otlp.AttrLogRecordUID, s.sink.EncodeUID(otlp.UIDOf(parts)))
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

// stamp sets the times of a record: when it happened, and when we saw it.
func stamp(lr plog.LogRecord, at clock.Moment, seen time.Time) {
	lr.SetTimestamp(pcommon.Timestamp(at.At))
	lr.SetObservedTimestamp(pcommon.NewTimestampFromTime(seen))
	lr.Attributes().PutStr(otlp.AttrTimeSource, at.Source.String())
}

// outline is what all spans of a run have.
type outline struct {
	id, parent      pcommon.SpanID
	kind            ptrace.SpanKind
	operation, what string // its name is both, or the operation alone
	attributes      int    // how many, for the room that they take
}

// span appends a span of an agent's run; ok is false if it is not to be exported: replayed, exported by another file before,
// or history of another session.
func (s *Stream) span(a *agent, of outline, i *clock.Interval) (span ptrace.Span, ok bool) {
	if !a.exports() || !s.registry.firstSpan(a.run.traceID, of.id) || s.suppressed {
		return span, false
	}
	span = s.sink.Span(a.run.resource)
	span.SetTraceID(a.run.traceID)
	span.SetSpanID(of.id)
	span.SetParentSpanID(of.parent)
	span.SetKind(of.kind)
	span.SetName(s.spanNames.of(of.operation, of.what))
	span.SetStartTimestamp(pcommon.Timestamp(i.Start.At))
	span.SetEndTimestamp(pcommon.Timestamp(i.End.At))
	m := span.Attributes()
	m.EnsureCapacity(of.attributes)
	otlp.PutStr(m, otlp.AttrGenAIConversationID, a.run.sessionID)
	m.PutStr(otlp.AttrTimeSource, clock.Worst(i.Start.Source, i.End.Source).String())
	m.PutStr(otlp.AttrGenAIOperationName, of.operation)
	otlp.PutTrue(m, otlp.AttrBackground, a.run.outside(a, i))
	return span, true
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

func setError(span ptrace.Span, errorType, message string) {
	if errorType == "" {
		return
	}
	span.Status().SetCode(ptrace.StatusCodeError)
	span.Status().SetMessage(events.CutRunes(message, otlp.ErrTextRunes))
	span.Attributes().PutStr(otlp.AttrErrorType, errorType)
	span.Attributes().PutStr(otlp.AttrStatusCode, otlp.StatusCodeError)
}

// measureSpan adds the length of a span, unless that ends with the time of a file, which measures nothing.
func measureSpan(m *metrics.Meter, key metrics.Key, i *clock.Interval, in otlp.SpanRef) {
	if i.End.Source.Rank() != clock.SourceFile {
		m.Duration(key, i.End.At.Sub(i.Start.At), in)
	}
}
