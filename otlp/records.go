package otlp

import (
	"bytes"
	"time"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/events"
)

// Record is what every record has, whatever it is of. What is empty has no attribute.
type Record struct {
	Time       int64 // Unix nanoseconds
	Observed   time.Time
	TimeSource string // empty: the line itself
	In         SpanRef
	UID        UID
	Agent      string // that it is about
	// Conversation is the session of a record of no event.
	Conversation string
	// Sequence is its number in the stream; 0 for a record that no line brings.
	Sequence int64
	// ParentUnknown is the call that started the agent, where nobody saw that.
	ParentUnknown string
}

// AddEvent appends the record of an event under r. Service names the agent program.
func (b *Batch) AddEvent(r *Resource, of *Record, ev *events.DisplayEvent, service string) {
	if b.writer.Discard {
		return
	}
	lr := b.record(r)
	if !b.writer.write(lr, ev) {
		b.putLine(lr, ev, service)
	}
	b.stamp(lr, of)
}

// AddRaw appends a line as it is under r: a string, or bytes where the line is no UTF-8, since a string would have to be
// repaired, or has a NUL byte, which not every backend takes in a string. [RawLine] is the inverse. A copy is of a line that is
// understood too.
func (b *Batch) AddRaw(r *Resource, of *Record, line []byte, isCopy bool) {
	m, body := b.addRecord(r, of, EventNameRaw, plog.SeverityNumberInfo)
	if utf8.Valid(line) && bytes.IndexByte(line, 0) < 0 {
		body.SetStr(string(line))
	} else {
		body.SetEmptyBytes().FromRaw(line)
	}
	PutTrue(m, AttrRawCopy, isCopy)
}

// AddRunStarted appends the record of a run that began, and that is watched live. Service names the agent program.
func (b *Batch) AddRunStarted(r *Resource, of *Record, service, model string) {
	m, body := b.addRecord(r, of, EventNameStepStarted, plog.SeverityNumberInfo)
	body.SetStr(string(appendStart(nil, "step", service, model)))
	PutStr(m, AttrGenAIRequestModel, model)
}

// AddProgress appends the record of how long a run has taken, and will take yet.
func (b *Batch) AddProgress(r *Resource, of *Record, elapsed, left time.Duration) {
	m, body := b.addRecord(r, of, EventNameProgress, plog.SeverityNumberInfo)
	body.SetStr(string(appendElapsed(nil, elapsed, left)))
	m.PutDouble(AttrElapsed, elapsed.Seconds())
	m.PutDouble(AttrStepETA, left.Seconds())
}

// AddStalled appends the record of a run that goes without a line.
func (b *Batch) AddStalled(r *Resource, of *Record, elapsed, silent time.Duration) {
	m, body := b.addRecord(r, of, EventNameStalled, plog.SeverityNumberWarn)
	body.SetStr("no output for " + silent.Round(time.Second).String())
	m.PutDouble(AttrElapsed, elapsed.Seconds())
	m.PutDouble(AttrSilent, silent.Seconds())
}

// AddRunEnd appends the record of the end of an agent's run that no line of the format ends.
func (b *Batch) AddRunEnd(r *Resource, of *Record, end *events.End, agentID string, reason CloseReason) {
	severity := plog.SeverityNumberInfo
	if end.Error {
		severity = plog.SeverityNumberError
	}
	m, body := b.addRecord(r, of, EventNameRunEnd, severity)
	body.SetStr(string(appendEnd(nil, "run", end)))
	PutStr(m, AttrAgentID, agentID)
	m.PutStr(AttrCloseReason, string(reason))
	b.writer.end(m, end)
}

// AddExit appends the record of a process that ended, with what it says of that. Stderr is set if it failed.
func (b *Batch) AddExit(r *Resource, of *Record, e *Exit, failed bool, text, stderr string) {
	severity := plog.SeverityNumberInfo
	if failed {
		severity = plog.SeverityNumberError
	}
	m, body := b.addRecord(r, of, EventNameProcessExited, severity)
	body.SetStr(text)
	PutStr(m, AttrProcessStderr, stderr)
	e.put(m)
}

// addRecord appends a record under r that is of no event. It returns its attributes, and its body.
func (b *Batch) addRecord(r *Resource, of *Record, name string, severity plog.SeverityNumber) (pcommon.Map, pcommon.Value) {
	lr := b.record(r)
	lr.SetEventName(name)
	lr.SetSeverityNumber(severity)
	lr.SetSeverityText(severityText(severity))
	return b.stamp(lr, of), lr.Body()
}

// stamp sets when and where a record was made, and whose it is.
func (b *Batch) stamp(lr plog.LogRecord, of *Record) pcommon.Map {
	lr.SetTimestamp(pcommon.Timestamp(of.Time))
	lr.SetObservedTimestamp(pcommon.NewTimestampFromTime(of.Observed))
	lr.SetTraceID(of.In.Trace)
	lr.SetSpanID(of.In.Span)
	m := lr.Attributes()
	PutStr(m, AttrTimeSource, of.TimeSource)
	m.PutStr(AttrLogRecordUID, b.encodeUID(of.UID))
	PutStr(m, AttrGenAIAgentName, of.Agent)
	PutStr(m, AttrGenAIConversationID, of.Conversation)
	if of.Sequence > 0 {
		m.PutInt(AttrSequence, of.Sequence)
	}
	PutStr(m, AttrParentUnknown, of.ParentUnknown)
	return m
}

func severityText(n plog.SeverityNumber) string {
	switch n {
	case plog.SeverityNumberError:
		return "ERROR"
	case plog.SeverityNumberWarn:
		return "WARN"
	default:
		return "INFO"
	}
}
