package telemetry

import (
	"strconv"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/events"
)

// sighting is an event at its time and its place in the stream.
type sighting struct {
	ev   *events.DisplayEvent
	at   moment
	from origin
}

// record writes the log record of what the agent did, about a call or none, and reports whether it went out.
func (s *Stream) record(a *agent, of *call, what sighting) bool {
	r, ev := a.run, what.ev
	r.sequence++
	if !a.heard() {
		return false
	}
	id := s.uid(r, of, what)
	if !s.registry.firstRecord(id) || s.silent {
		return false
	}
	lr := s.sink.record(r.resource)
	s.writer.write(lr, ev)
	s.stamp(lr, what.at, s.moved)
	lr.SetTraceID(r.traceID)
	lr.SetSpanID(a.spanID)
	if of != nil {
		lr.SetSpanID(of.spanID)
	} else if a.chat != nil && a.chat.messageID == ev.MessageID && ev.MessageID != "" {
		lr.SetSpanID(a.chat.spanID)
	}
	m := lr.Attributes()
	putStr(m, AttrGenAIAgentName, a.name)
	putStr(m, AttrProvider, s.settings.Agent.Provider)
	m.PutInt(AttrSequence, r.sequence)
	m.PutStr(AttrLogRecordUID, id.String())
	if ev.ParentID != "" && a.call == nil {
		m.PutStr(AttrParentUnknown, ev.ParentID)
	}
	return true
}

// uid is the identity of a record: the line's own id where the format gives one, so that two sources of a session agree;
// else the call; else the place in the stream.
func (s *Stream) uid(r *run, of *call, what sighting) uid {
	ev, o := what.ev, what.from
	kind, provider := ev.Kind.String(), s.settings.Agent.Provider
	switch {
	case ev.ItemID != "":
		return recordUID(o.nth, provider, r.sessionID, kind, ev.ItemID)
	case of != nil && ev.Kind != events.KindToolProgress:
		return recordUID(of.occurrence, provider, r.sessionID, r.idScope, kind, of.id)
	default:
		return recordUID(o.index, provider, r.sessionID, kind, s.settings.ID, strconv.FormatInt(o.offset, 10))
	}
}

// stamp sets the times of a record: when it happened, and when we saw it.
func (s *Stream) stamp(lr plog.LogRecord, at moment, seen time.Time) {
	lr.SetTimestamp(pcommon.NewTimestampFromTime(at.at))
	lr.SetObservedTimestamp(pcommon.NewTimestampFromTime(seen))
	lr.Attributes().PutStr(AttrTimeSource, string(at.source))
}

// span appends a span with what all spans of a run have; ok is false if it is not to go out: folded silently, told by
// another file before, or history of another session.
func (s *Stream) span(a *agent, id, parent pcommon.SpanID, i *interval) (span ptrace.Span, ok bool) {
	if !a.heard() || !s.registry.firstSpan(a.run.traceID, id) || s.silent {
		return span, false
	}
	span = s.sink.span(a.run.resource)
	span.SetTraceID(a.run.traceID)
	span.SetSpanID(id)
	span.SetParentSpanID(parent)
	span.SetStartTimestamp(pcommon.NewTimestampFromTime(i.start.at))
	span.SetEndTimestamp(pcommon.NewTimestampFromTime(i.end.at))
	m := span.Attributes()
	m.EnsureCapacity(16) // as a rule
	putStr(m, AttrSessionID, a.run.sessionID)
	putStr(m, AttrGenAIConversationID, a.run.sessionID)
	m.PutStr(AttrTimeSource, string(worst(i.start.source, i.end.source)))
	return span, true
}

// spanName is "{operation} {what}", or the operation alone where nothing more is known.
func spanName(operation, what string) string {
	if what == "" {
		return operation
	}
	return operation + " " + what
}

func setError(span ptrace.Span, errorType, message string) {
	if errorType == "" {
		return
	}
	span.Status().SetCode(ptrace.StatusCodeError)
	span.Status().SetMessage(events.CutRunes(message, errTextRunes))
	span.Attributes().PutStr(AttrErrorType, errorType)
}

// countDuration adds a span's duration to the metrics.
func (s *Stream) countDuration(a *agent, key seriesKey, i *interval) {
	of := resourceKey(a.run.resource)
	key.service, key.pipeline, key.task, key.system = of.service, of.pipeline, of.task, of.system
	s.registry.metrics.record(key, i.end.at.Sub(i.start.at).Seconds())
}
