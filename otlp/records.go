package otlp

import (
	"bytes"
	"time"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/events"
)

// Record is the common part of all records. Empty fields have no attribute.
type Record struct {
	Time       int64 // Unix nanoseconds
	Observed   time.Time
	TimeSource string // empty for SourceLine
	In         SpanRef
	UID        UID
	Agent      string // that the record is about
	// Conversation is the session of a record without an event.
	Conversation string
	// Sequence is the number in the stream; 0 for a record that no line caused.
	Sequence int64
	// ParentUnknown is the call that started the agent, if the call was never seen.
	ParentUnknown string
}

// AddEvent appends the record of an event under r. service is the name of the agent program.
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

// AddRaw appends a line unchanged under r. The body is a string, or bytes if the line is invalid UTF-8, which a string
// would have to repair, or contains a NUL byte, which some back ends reject in strings. [RawLine] is the inverse.
// isCopy is true if the line was also parsed.
func (b *Batch) AddRaw(r *Resource, of *Record, line []byte, isCopy bool) {
	m, body := b.addRecord(r, of, EventNameRaw, plog.SeverityNumberInfo)
	if utf8.Valid(line) && bytes.IndexByte(line, 0) < 0 {
		body.SetStr(string(line))
	} else {
		body.SetEmptyBytes().FromRaw(line)
	}
	PutTrue(m, AttrRawCopy, isCopy)
}

// AddRunStarted appends the start record of a live run. service is the name of the agent program.
func (b *Batch) AddRunStarted(r *Resource, of *Record, service, model string) {
	m, body := b.addRecord(r, of, EventNameStepStarted, plog.SeverityNumberInfo)
	body.SetStr(string(appendStart(nil, "step", service, model)))
	PutStr(m, AttrGenAIRequestModel, model)
}

// AddProgress appends the record of a run's elapsed and estimated remaining time.
func (b *Batch) AddProgress(r *Resource, of *Record, elapsed, left time.Duration) {
	m, body := b.addRecord(r, of, EventNameProgress, plog.SeverityNumberInfo)
	body.SetStr(string(appendElapsed(nil, elapsed, left)))
	m.PutDouble(AttrElapsed, elapsed.Seconds())
	m.PutDouble(AttrStepETA, left.Seconds())
}

// AddStalled appends the record of a run without new lines.
func (b *Batch) AddStalled(r *Resource, of *Record, elapsed, silent time.Duration) {
	m, body := b.addRecord(r, of, EventNameStalled, plog.SeverityNumberWarn)
	body.SetStr(string(appendDuration([]byte("no output for "), silent)))
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

// AddExit appends the record of a process exit with its description. stderr is set if the process failed.
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

// addRecord appends a record without an event under r. It returns its attributes and its body.
func (b *Batch) addRecord(r *Resource, of *Record, name string, severity plog.SeverityNumber) (pcommon.Map, pcommon.Value) {
	lr := b.record(r)
	lr.SetEventName(name)
	lr.SetSeverityNumber(severity)
	lr.SetSeverityText(severityText(severity))
	return b.stamp(lr, of), lr.Body()
}

// stamp sets the times, the span, the UID and the agent of a record.
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
