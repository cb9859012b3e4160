package otlp

import (
	"iter"
	"strings"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Data are spans and records as they are exported.
type Data struct {
	Traces ptrace.Traces
	Logs   plog.Logs
}

// Empty reports whether there are neither spans nor records.
func (d *Data) Empty() bool {
	return d.Traces.ResourceSpans().Len() == 0 && d.Logs.ResourceLogs().Len() == 0
}

// Spans are all spans, whatever their resource.
func (d *Data) Spans() iter.Seq[ptrace.Span] {
	return func(yield func(ptrace.Span) bool) {
		for _, rs := range d.Traces.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					if !yield(span) {
						return
					}
				}
			}
		}
	}
}

// Records are all log records, whatever their resource.
func (d *Data) Records() iter.Seq[plog.LogRecord] {
	return func(yield func(plog.LogRecord) bool) {
		for _, rl := range d.Logs.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, lr := range sl.LogRecords().All() {
					if !yield(lr) {
						return
					}
				}
			}
		}
	}
}

// Move moves the data to the end of other data.
func (d *Data) Move(to *Data) {
	d.Traces.ResourceSpans().MoveAndAppendTo(to.Traces.ResourceSpans())
	d.Logs.ResourceLogs().MoveAndAppendTo(to.Logs.ResourceLogs())
}

// Batch collects spans and records under their resources.
type Batch struct {
	writer  *Writer
	version string // of tailspan, the scope's
	data    Data

	spansOf *Resource // resource of spans below; nil at first
	spans   ptrace.SpanSlice
	logsOf  *Resource
	logs    plog.LogRecordSlice

	// lastSpans and lastRecords are how many the batch before had: room for as many is made at once.
	lastSpans, lastRecords int

	texts strings.Builder
	names spanNames
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

// encodeUID encodes a uid that goes out with the batch.
func (b *Batch) encodeUID(u UID) string {
	text := u.encoded()
	return b.keep(text[:])
}

// NewBatch makes a batch whose records w writes. Version is tailspan's own.
func NewBatch(w *Writer, version string) *Batch {
	b := &Batch{writer: w, version: version}
	b.reset()
	return b
}

func (b *Batch) reset() {
	b.data = Data{ptrace.NewTraces(), plog.NewLogs()}
	// The slices too: what was taken is not to be held by a stream that has nothing more to say.
	b.spansOf, b.spans, b.logsOf, b.logs = nil, ptrace.SpanSlice{}, nil, plog.LogRecordSlice{}
	b.texts = strings.Builder{}
}

// span appends a span under r.
func (b *Batch) span(r *Resource) ptrace.Span {
	if b.spansOf != r {
		rs := b.data.Traces.ResourceSpans().AppendEmpty()
		rs.SetSchemaUrl(b.writer.Semconv.SchemaURL())
		r.fill(rs.Resource().Attributes())
		ss := rs.ScopeSpans().AppendEmpty()
		ss.SetSchemaUrl(b.writer.Semconv.SchemaURL())
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
		rl := b.data.Logs.ResourceLogs().AppendEmpty()
		rl.SetSchemaUrl(b.writer.Semconv.SchemaURL())
		r.fill(rl.Resource().Attributes())
		sl := rl.ScopeLogs().AppendEmpty()
		sl.SetSchemaUrl(b.writer.Semconv.SchemaURL())
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
func (b *Batch) Empty() bool { return b.data.Empty() }

// Take hands over what was collected and begins anew.
func (b *Batch) Take() Data {
	data := b.data
	b.lastSpans, b.lastRecords = data.Traces.SpanCount(), data.Logs.LogRecordCount()
	b.reset()
	return data
}

// maxSpanNames is how many names of spans a batch remembers; one with more than that begins anew.
const maxSpanNames = 128

// spanNames are the names of spans, whose batches a stream makes one after the other.
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
