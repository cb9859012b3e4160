package otlp

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/events"
)

// Batch collects spans and records under their resources.
type Batch struct {
	schemaURL string
	version   string // of tailspan, the scope's
	traces    ptrace.Traces
	records   plog.Logs

	spansOf *Resource // resource of spans below; nil at first
	spans   ptrace.SpanSlice
	logsOf  *Resource
	logs    plog.LogRecordSlice

	// lastSpans and lastRecords are how many the batch before had: room for as many is made at once.
	lastSpans, lastRecords int

	texts strings.Builder
}

// The first piece of memory of a batch for its short texts, in bytes, and the largest: each is twice the one before.
const (
	firstTexts = 256
	mostTexts  = 8 << 10
)

// keep copies a short text that goes out with the batch. The texts of a batch share pieces of memory, since they live and
// die together.
func (b *Batch) keep(text []byte) string {
	if b.texts.Cap()-b.texts.Len() < len(text) {
		size := max(firstTexts, min(2*b.texts.Cap(), mostTexts), len(text))
		b.texts = strings.Builder{}
		b.texts.Grow(size)
	}
	at := b.texts.Len()
	b.texts.Write(text)
	return b.texts.String()[at:]
}

// spell spells a uid that goes out with the batch.
func (b *Batch) encodeUID(u UID) string {
	text := u.encoded()
	return b.keep(text[:])
}

func NewBatch(schemaURL, version string) *Batch {
	b := &Batch{schemaURL: schemaURL, version: version}
	b.reset()
	return b
}

func (b *Batch) reset() {
	b.traces, b.records = ptrace.NewTraces(), plog.NewLogs()
	// The slices too: what was taken is not to be held by a stream that has nothing more to say.
	b.spansOf, b.spans, b.logsOf, b.logs = nil, ptrace.SpanSlice{}, nil, plog.LogRecordSlice{}
	b.texts = strings.Builder{}
}

// span appends a span under r.
func (b *Batch) span(r *Resource) ptrace.Span {
	if b.spansOf != r {
		rs := b.traces.ResourceSpans().AppendEmpty()
		rs.SetSchemaUrl(b.schemaURL)
		r.fill(rs.Resource().Attributes())
		ss := rs.ScopeSpans().AppendEmpty()
		ss.SetSchemaUrl(b.schemaURL)
		ss.Scope().SetName(ScopeName)
		ss.Scope().SetVersion(b.version)
		b.spansOf, b.spans = r, ss.Spans()
		b.spans.EnsureCapacity(b.lastSpans)
		b.lastSpans = 0
	}
	span := b.spans.AppendEmpty()
	if len(r.attributes) > 0 {
		r.putOwn(span.Attributes())
	}
	return span
}

// record appends a log record under r.
func (b *Batch) record(r *Resource) plog.LogRecord {
	if b.logsOf != r {
		rl := b.records.ResourceLogs().AppendEmpty()
		rl.SetSchemaUrl(b.schemaURL)
		r.fill(rl.Resource().Attributes())
		sl := rl.ScopeLogs().AppendEmpty()
		sl.SetSchemaUrl(b.schemaURL)
		sl.Scope().SetName(ScopeName)
		sl.Scope().SetVersion(b.version)
		sl.Scope().Attributes().PutStr(AttrStreamID, r.numbers.stream)
		b.logsOf, b.logs = r, sl.LogRecords()
		b.logs.EnsureCapacity(b.lastRecords)
		b.lastRecords = 0
	}
	record := b.logs.AppendEmpty()
	if len(r.attributes) > 0 {
		r.putOwn(record.Attributes())
	}
	return record
}

// Empty reports whether nothing was collected.
func (b *Batch) Empty() bool {
	return b.traces.ResourceSpans().Len() == 0 && b.records.ResourceLogs().Len() == 0
}

// Take hands over what was collected and begins anew.
func (b *Batch) Take() (ptrace.Traces, plog.Logs) {
	traces, records := b.traces, b.records
	b.lastSpans, b.lastRecords = traces.SpanCount(), records.LogRecordCount()
	b.reset()
	return traces, records
}

// Span is what every span has, whatever it is of. What is empty has no attribute.
type Span struct {
	Trace      pcommon.TraceID
	ID, Parent pcommon.SpanID
	Kind       ptrace.SpanKind
	Name       string
	Start, End int64 // Unix nanoseconds
	TimeSource string
	// ErrorType is set for a span that failed; Error is its text.
	ErrorType, Error string
	Links            []SpanRef
	Room             int // for how many attributes
}

// AddSpan appends a span under r. It returns its attributes, for what such a span has beside.
func (b *Batch) AddSpan(r *Resource, of *Span) pcommon.Map {
	span := b.span(r)
	span.SetTraceID(of.Trace)
	span.SetSpanID(of.ID)
	span.SetParentSpanID(of.Parent)
	span.SetKind(of.Kind)
	span.SetName(of.Name)
	span.SetStartTimestamp(pcommon.Timestamp(of.Start))
	span.SetEndTimestamp(pcommon.Timestamp(of.End))
	for _, to := range of.Links {
		link := span.Links().AppendEmpty()
		link.SetTraceID(to.Trace)
		link.SetSpanID(to.Span)
	}
	m := span.Attributes()
	m.EnsureCapacity(of.Room)
	m.PutStr(AttrTimeSource, of.TimeSource)
	if of.ErrorType != "" {
		span.Status().SetCode(ptrace.StatusCodeError)
		span.Status().SetMessage(events.CutRunes(of.Error, ErrTextRunes))
		m.PutStr(AttrErrorType, of.ErrorType)
		m.PutStr(AttrStatusCode, StatusCodeError)
	}
	return m
}

// Record is what every record has.
type Record struct {
	Time       int64 // Unix nanoseconds
	Observed   time.Time
	TimeSource string
	In         SpanRef
	UID        UID
}

// AddEvent appends the record of an event under r. Service names the agent program. It returns its attributes, for what the
// event does not have.
func (b *Batch) AddEvent(r *Resource, of *Record, w *Writer, ev *events.DisplayEvent, service string) pcommon.Map {
	lr := b.record(r)
	if !w.write(lr, ev) {
		b.putLine(lr, ev, service)
	}
	return b.stamp(lr, of)
}

// AddRecord appends a record under r that is of no event, with a body. It returns its attributes.
func (b *Batch) AddRecord(r *Resource, of *Record, name string, severity plog.SeverityNumber, body string) pcommon.Map {
	lr := b.record(r)
	lr.SetEventName(name)
	lr.SetSeverityNumber(severity)
	lr.SetSeverityText(severityText(severity))
	lr.Body().SetStr(body)
	return b.stamp(lr, of)
}

// AddRaw appends a line as it is under r: a string, or bytes where the line is no UTF-8, since a string would have to be
// repaired, or has a NUL byte, which not every backend takes in a string. [RawLine] is the inverse. It returns its attributes.
func (b *Batch) AddRaw(r *Resource, of *Record, line []byte) pcommon.Map {
	lr := b.record(r)
	lr.SetEventName(EventNameRaw)
	lr.SetSeverityNumber(plog.SeverityNumberInfo)
	lr.SetSeverityText(severityText(plog.SeverityNumberInfo))
	if utf8.Valid(line) && bytes.IndexByte(line, 0) < 0 {
		lr.Body().SetStr(string(line))
	} else {
		lr.Body().SetEmptyBytes().FromRaw(line)
	}
	return b.stamp(lr, of)
}

// stamp sets when and where a record was made, and its identity.
func (b *Batch) stamp(lr plog.LogRecord, of *Record) pcommon.Map {
	lr.SetTimestamp(pcommon.Timestamp(of.Time))
	lr.SetObservedTimestamp(pcommon.NewTimestampFromTime(of.Observed))
	lr.SetTraceID(of.In.Trace)
	lr.SetSpanID(of.In.Span)
	m := lr.Attributes()
	m.PutStr(AttrTimeSource, of.TimeSource)
	m.PutStr(AttrLogRecordUID, b.encodeUID(of.UID))
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
