package watch

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/ledger"
)

// Limits of a board.
const (
	maxRuns   = 500
	maxAgents = 500
	maxCalls  = 32
	maxText   = 4 << 10
	maxStarts = 4096
	// minSources is the number of sources from which unneeded ones are removed.
	minSources = 1024
)

// sourceKey is the resource attribute with the source of data.
const sourceKey = "watch.source"

// Board holds the known runs: which are running, and how others ended.
type Board struct {
	mu      sync.Mutex
	runs    map[pcommon.TraceID]*run
	sources map[string]*Source // by ID
	sweepAt int                // number of sources at which unneeded ones are removed
	prices  ledger.Prices
	changed chan struct{}
}

// NewBoard returns an empty board. The prices estimate costs that agents do not report.
func NewBoard(prices ledger.Prices) *Board {
	return &Board{
		runs: map[pcommon.TraceID]*run{}, sources: map[string]*Source{}, sweepAt: minSources, prices: prices, changed: make(chan struct{}, 1),
	}
}

// Changed returns a channel that has a value if anything changed since the last one.
func (b *Board) Changed() <-chan struct{} { return b.changed }

// notify makes Changed ready.
func (b *Board) notify() {
	select {
	case b.changed <- struct{}{}:
	default:
	}
}

// Describe adds or updates a source.
func (b *Board) Describe(id string, of Source) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if known := b.sources[id]; known != nil {
		of.Read = of.Read || known.Read
		if of == *known {
			return
		}
	}
	b.sources[id] = &of
	if len(b.sources) > b.sweepAt {
		b.sweep()
	}
	b.notify()
}

// sweep removes closed sources that nothing on the board refers to.
func (b *Board) sweep() {
	needed := map[string]bool{}
	for _, r := range b.runs {
		needed[r.source] = true
		for _, a := range r.agents {
			needed[a.source] = true
		}
	}
	maps.DeleteFunc(b.sources, func(id string, of *Source) bool { return of.Closed && !needed[id] })
	b.sweepAt = max(minSources, 2*len(b.sources))
}

// Apply applies exported data.
func (b *Board) Apply(data *otlp.Data) {
	if data.Empty() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, rl := range data.Logs.ResourceLogs().All() {
		m := rl.Resource().Attributes()
		for _, scope := range rl.ScopeLogs().All() {
			for _, record := range scope.LogRecords().All() {
				b.record(m, record)
			}
		}
	}
	for _, rs := range data.Traces.ResourceSpans().All() {
		m := rs.Resource().Attributes()
		for _, scope := range rs.ScopeSpans().All() {
			for _, span := range scope.Spans().All() {
				b.span(m, span)
			}
		}
	}
	b.evict()
	b.notify()
}

// record applies a log record.
func (b *Board) record(resource pcommon.Map, lr plog.LogRecord) {
	var ev events.DisplayEvent
	if !otlp.EventFromRecord(lr, &ev) {
		return
	}
	r := b.run(resource, lr.TraceID())
	if ev.Time.IsZero() {
		ev.Time = lr.ObservedTimestamp().AsTime()
	}
	a := r.agentOf(&ev, otlp.Str(lr.Attributes(), otlp.AttrGenAIAgentName))
	a.source = cmp.Or(a.source, otlp.Str(resource, sourceKey))
	a.apply(&ev, lr.SpanID(), b.prices)
	r.apply(a, &ev, lr.SpanID())
}

// span applies the span of an agent: the end of a run, or of a sub-agent's task.
func (b *Board) span(resource pcommon.Map, span ptrace.Span) {
	m := span.Attributes()
	if otlp.Str(m, otlp.AttrGenAIOperationName) != otlp.OperationInvokeAgent {
		return
	}
	r := b.run(resource, span.TraceID())
	_, top := m.Get(otlp.AttrRunKey)
	r.end(top, span)
}

// run returns the run of a trace.
func (b *Board) run(resource pcommon.Map, trace pcommon.TraceID) *run {
	r := b.runs[trace]
	if r == nil {
		r = newRun(trace)
		b.runs[trace] = r
	}
	r.service = cmp.Or(r.service, otlp.Str(resource, otlp.AttrServiceName))
	r.source = cmp.Or(r.source, otlp.Str(resource, sourceKey))
	return r
}

// evict removes the runs that ended first if there are too many.
func (b *Board) evict() {
	if len(b.runs) <= maxRuns+maxRuns/10 {
		return
	}
	all := b.sorted()
	for _, r := range all[maxRuns:] {
		delete(b.runs, r.trace)
	}
}

// sorted returns the runs, running ones first, each newest first.
func (b *Board) sorted() []*run {
	list := slices.Collect(maps.Values(b.runs))
	slices.SortFunc(list, func(x, y *run) int {
		if x.atWork() != y.atWork() {
			if x.atWork() {
				return -1
			}
			return 1
		}
		return cmp.Or(y.since().Compare(x.since()), cmp.Compare(x.trace.String(), y.trace.String()))
	})
	return list
}

// Runs returns the current runs, running ones first, each newest first. It leaves out runs whose source is still in its first
// read: their end may follow.
func (b *Board) Runs() []Run {
	b.mu.Lock()
	defer b.mu.Unlock()
	var runs []Run
	for _, r := range b.sorted() {
		if of := b.sources[r.source]; of != nil && of.Read {
			runs = append(runs, r.snapshot(b.sources))
		}
	}
	return runs
}
