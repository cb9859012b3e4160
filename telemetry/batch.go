package telemetry

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Output is what a stream exports.
type Output struct {
	Traces ptrace.Traces
	Logs   plog.Logs
	// Counts are the irregularities since the last Take; see [Counts].
	Counts Counts

	// steps and nodes, whose spans these are, are acknowledged by Accepted.
	steps    []sentStep
	nodes    []*node
	registry *Registry // of nodes
}

// Accepted acknowledges the output; to be called once, after every consumer took it.
func (o *Output) Accepted() {
	for _, sent := range o.steps {
		sent.stream.accepted(sent.step)
	}
	o.steps = nil
	if len(o.nodes) > 0 {
		o.registry.nodesAccepted(o.nodes)
		o.nodes = nil
	}
}

// Empty reports whether there is nothing to hand on.
func (o *Output) Empty() bool {
	return o.Traces.ResourceSpans().Len() == 0 && o.Logs.ResourceLogs().Len() == 0 && len(o.steps) == 0
}

// batch collects spans and records under their resources.
type batch struct {
	schemaURL string
	version   string // of tailspan, the scope's
	out       Output

	spansOf *resource // resource of spans below; nil at first
	spans   ptrace.SpanSlice
	logsOf  *resource
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
func (b *batch) keep(text []byte) string {
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
func (b *batch) encodeUID(u uid) string {
	text := u.encoded()
	return b.keep(text[:])
}

func newBatch(schemaURL, version string) *batch {
	b := &batch{schemaURL: schemaURL, version: version}
	b.reset()
	return b
}

func (b *batch) reset() {
	b.out = Output{Traces: ptrace.NewTraces(), Logs: plog.NewLogs()}
	// The slices too: what was taken is not to be held by a stream that has nothing more to say.
	b.spansOf, b.spans, b.logsOf, b.logs = nil, ptrace.SpanSlice{}, nil, plog.LogRecordSlice{}
	b.texts = strings.Builder{}
}

// span appends a span under r.
func (b *batch) span(r *resource) ptrace.Span {
	if b.spansOf != r {
		rs := b.out.Traces.ResourceSpans().AppendEmpty()
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
func (b *batch) record(r *resource) plog.LogRecord {
	if b.logsOf != r {
		rl := b.out.Logs.ResourceLogs().AppendEmpty()
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

// take hands over what was collected and begins anew.
func (b *batch) take() Output {
	out := b.out
	b.lastSpans, b.lastRecords = out.Traces.SpanCount(), out.Logs.LogRecordCount()
	b.reset()
	return out
}
