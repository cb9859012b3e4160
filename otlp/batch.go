package otlp

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
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
func (b *Batch) EncodeUID(u UID) string {
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

// Span appends a span under r.
func (b *Batch) Span(r *Resource) ptrace.Span {
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

// Record appends a log record under r.
func (b *Batch) Record(r *Resource) plog.LogRecord {
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
