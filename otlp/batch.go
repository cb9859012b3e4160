package otlp

import (
	"iter"
	"strings"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Data holds spans and log records ready for export.
type Data struct {
	Traces ptrace.Traces
	Logs   plog.Logs
}

// Empty reports whether there are neither spans nor records.
func (d *Data) Empty() bool {
	return d.Traces.ResourceSpans().Len() == 0 && d.Logs.ResourceLogs().Len() == 0
}

// Spans iterates over the spans of all resources.
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

// Records iterates over the log records of all resources.
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
	version string // of tailspan and of the scope
	data    Data

	spansOf *Resource // resource of the spans below; nil at first
	spans   ptrace.SpanSlice
	logsOf  *Resource
	logs    plog.LogRecordSlice

	// lastSpans and lastRecords are the sizes of the previous batch, used as capacities.
	lastSpans, lastRecords int

	texts      strings.Builder
	names      spanNames
	attributes attributes // of the span or record that is being added
}

// The sizes in bytes of the first and the largest block for short texts. Each block is twice as large as the one before.
const (
	firstTexts = 256
	mostTexts  = 8 << 10
)

// keep copies a short text for the batch. The texts of a batch share blocks of memory, because they have the same
// lifetime.
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

// encodeUID encodes a UID for the batch.
func (b *Batch) encodeUID(u UID) string {
	text := u.encoded()
	return b.keep(text[:])
}

// NewBatch returns a Batch whose records w writes. version is tailspan's.
func NewBatch(w *Writer, version string) *Batch {
	b := &Batch{writer: w, version: version}
	b.reset()
	return b
}

func (b *Batch) reset() {
	b.data = Data{ptrace.NewTraces(), plog.NewLogs()}
	// The slices too: a stream without further output must not keep exported data alive.
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
	return b.spans.AppendEmpty()
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
	return b.logs.AppendEmpty()
}

// Empty reports whether nothing was collected.
func (b *Batch) Empty() bool { return b.data.Empty() }

// Take returns what was collected and clears it.
func (b *Batch) Take() Data {
	data := b.data
	b.lastSpans, b.lastRecords = data.Traces.SpanCount(), data.Logs.LogRecordCount()
	b.reset()
	return data
}

// maxSpanNames bounds the remembered span names. When it is reached, all are dropped.
const maxSpanNames = 128

// spanNames caches span names across the consecutive batches of a stream.
type spanNames struct{ names map[[2]string]string }

// of returns "{operation} {what}", or the operation alone if what is empty. A stream has few names and many spans, so
// each name is built once.
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
