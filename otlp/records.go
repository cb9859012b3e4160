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
	m := &b.attributes
	if !b.writer.write(lr, m, ev) {
		b.putLine(lr, ev, service)
	}
	b.stamp(lr, m, of)
	r.finish(m, lr.Attributes())
}

// AddRaw appends a line unchanged under r. The body is a string, or bytes if the line is invalid UTF-8, which a string
// would have to repair, or contains a NUL byte, which some back ends reject in strings. [RawLine] is the inverse.
// isCopy is true if the line was also parsed.
func (b *Batch) AddRaw(r *Resource, of *Record, line []byte, isCopy bool) {
	lr, m := b.addRecord(r, of, EventNameRaw, plog.SeverityNumberInfo)
	if utf8.Valid(line) && bytes.IndexByte(line, 0) < 0 {
		lr.Body().SetStr(string(line))
	} else {
		lr.Body().SetEmptyBytes().FromRaw(line)
	}
	m.flag(AttrRawCopy, isCopy)
	r.finish(m, lr.Attributes())
}

// AddRunStarted appends the start record of a live run. service is the name of the agent program.
func (b *Batch) AddRunStarted(r *Resource, of *Record, service, model string) {
	lr, m := b.addRecord(r, of, EventNameStepStarted, plog.SeverityNumberInfo)
	lr.Body().SetStr(string(appendStart(nil, "step", service, model)))
	m.text(AttrGenAIRequestModel, model)
	r.finish(m, lr.Attributes())
}

// AddProgress appends the record of a run's elapsed and estimated remaining time.
func (b *Batch) AddProgress(r *Resource, of *Record, elapsed, left time.Duration) {
	lr, m := b.addRecord(r, of, EventNameProgress, plog.SeverityNumberInfo)
	lr.Body().SetStr(string(appendElapsed(nil, elapsed, left)))
	m.double(AttrElapsed, Seconds(elapsed))
	m.double(AttrStepETA, Seconds(left))
	r.finish(m, lr.Attributes())
}

// AddStalled appends the record of a run, or of a prompt before its run is known, without new lines.
func (b *Batch) AddStalled(r *Resource, of *Record, elapsed, silent time.Duration) {
	lr, m := b.addRecord(r, of, EventNameStalled, plog.SeverityNumberWarn)
	lr.Body().SetStr(string(appendDuration([]byte("no output for "), silent)))
	m.double(AttrElapsed, Seconds(elapsed))
	m.double(AttrSilent, Seconds(silent))
	r.finish(m, lr.Attributes())
}

// AddRunEnd appends the record of the end of an agent's run that no line of the format ends.
func (b *Batch) AddRunEnd(r *Resource, of *Record, end *events.End, agentID string, reason CloseReason) {
	severity := plog.SeverityNumberInfo
	if end.Error {
		severity = plog.SeverityNumberError
	}
	lr, m := b.addRecord(r, of, EventNameRunEnd, severity)
	lr.Body().SetStr(string(appendEnd(nil, "run", end)))
	m.text(AttrAgentID, agentID)
	m.str(AttrCloseReason, string(reason))
	b.writer.end(m, end)
	r.finish(m, lr.Attributes())
}

// AddExit appends the record of a process exit with its description. stderr is set if the process failed.
func (b *Batch) AddExit(r *Resource, of *Record, e *Exit, failed bool, text, stderr string) {
	severity := plog.SeverityNumberInfo
	if failed {
		severity = plog.SeverityNumberError
	}
	lr, m := b.addRecord(r, of, EventNameProcessExited, severity)
	lr.Body().SetStr(text)
	m.text(AttrProcessStderr, stderr)
	e.put(m)
	r.finish(m, lr.Attributes())
}

// addRecord appends a record without an event under r. The caller adds attributes and calls [Resource.finish].
func (b *Batch) addRecord(r *Resource, of *Record, name string, severity plog.SeverityNumber) (plog.LogRecord, *attributes) {
	lr := b.record(r)
	lr.SetEventName(name)
	lr.SetSeverityNumber(severity)
	lr.SetSeverityText(severityText(severity))
	b.stamp(lr, &b.attributes, of)
	return lr, &b.attributes
}

// stamp sets the times, the span, the UID and the agent of a record.
func (b *Batch) stamp(lr plog.LogRecord, m *attributes, of *Record) {
	lr.SetTimestamp(pcommon.Timestamp(of.Time))
	lr.SetObservedTimestamp(pcommon.NewTimestampFromTime(of.Observed))
	lr.SetTraceID(of.In.Trace)
	lr.SetSpanID(of.In.Span)
	m.text(AttrTimeSource, of.TimeSource)
	m.str(AttrLogRecordUID, b.encodeUID(of.UID))
	m.text(AttrGenAIAgentName, of.Agent)
	m.text(AttrGenAIConversationID, of.Conversation)
	if of.Sequence > 0 {
		m.int(AttrSequence, of.Sequence)
	}
	m.text(AttrParentUnknown, of.ParentUnknown)
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
