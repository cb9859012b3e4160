package cicd

import (
	"slices"
	"sync"
	"time"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/outcome"
)

// Tree holds the pipeline runs and their steps.
type Tree struct {
	limit   int
	service string // of their spans

	mu       sync.Mutex
	runs     map[pipelineKey]*pipelineRun
	order    []pipelineKey // oldest first, for eviction
	exported []string      // hexadecimal IDs of exported spans, oldest first
}

type pipelineKey struct{ name, runID string }

type taskKey struct{ name, runID string }

type pipelineRun struct {
	resource *otlp.Resource
	traceID  otlp.TraceID
	node     Node
	tasks    map[taskKey]*task
	order    []taskKey
}

type task struct {
	resource *otlp.Resource
	key      taskKey
	node     Node
}

// Node is the common part of a pipeline and a step.
type Node struct {
	spanID  otlp.SpanID
	span    clock.Interval
	open    int             // active runs below
	moved   time.Time       // time of the last activity, by the clock
	links   []otlp.SpanRef  // runs of the first accounts, if the work below is a further account
	worst   outcome.Verdict // of the runs below
	emitted bool
	// accepted is set when the span is acknowledged. Until then it is pending, also in the next process.
	accepted bool
}

// maxLinks bounds the links of a step.
const maxLinks = 128

// New returns a Tree. limit bounds the pipelines and the steps of each. service is the service name of their spans.
func New(limit int, service string) *Tree {
	return &Tree{limit: limit, service: service, runs: map[pipelineKey]*pipelineRun{}}
}

func keysOf(res *otlp.Resource) (pipelineKey, taskKey, bool) {
	name, runID, ok := res.PipelineRun()
	return pipelineKey{name, runID}, taskKey{res.Value(otlp.AttrTaskName), res.Value(otlp.AttrTaskRunID)}, ok
}

// Start adds a run and returns its parent span. ok is false if the resource names no pipeline. The span does not wait
// for a run that does not count: a second account of a run or the work of a sub-agent.
func (p *Tree) Start(res *otlp.Resource, counts bool) (parent otlp.SpanRef, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.start(res, counts)
}

// StartAccount adds a second account of a run to the pipeline and step of its resource, with a link to the first account's run. It does
// nothing if both have the same step. ofFirst is nil if the first account's resource is unknown.
func (p *Tree) StartAccount(res, ofFirst *otlp.Resource, first otlp.SpanRef) (inPipeline bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ofFirst != nil && same(res, ofFirst) {
		return false
	}
	if _, inPipeline = p.start(res, true); inPipeline {
		p.link(res, first)
	}
	return inPipeline
}

func (p *Tree) start(res *otlp.Resource, counts bool) (parent otlp.SpanRef, ok bool) {
	n := 0
	if counts {
		n = 1
	}
	key, tkey, ok := keysOf(res)
	if !ok {
		return parent, false
	}
	run := p.run(key, res)
	run.node.open += n
	if tkey.name == "" {
		return otlp.SpanRef{Trace: run.traceID, Span: run.node.spanID}, true
	}
	t := run.tasks[tkey]
	if t == nil {
		t = &task{resource: res.Of(p.service), key: tkey}
		t.node.spanID = otlp.StepRef(key.name, key.runID, tkey.name, tkey.runID).Span
		t.node.restore(p.wasExported(t.node.spanID))
		run.tasks[tkey] = t
		run.order = append(run.order, tkey)
	}
	t.node.open += n
	return otlp.SpanRef{Trace: run.traceID, Span: t.node.spanID}, true
}

func (p *Tree) run(key pipelineKey, res *otlp.Resource) *pipelineRun {
	run := p.runs[key]
	if run != nil {
		return run
	}
	step := []string{otlp.AttrTaskName, otlp.AttrTaskRunID, otlp.AttrTaskRunURL} // only spans of the step have them
	ref := otlp.PipelineRef(key.name, key.runID)
	run = &pipelineRun{resource: res.Of(p.service, step...), traceID: ref.Trace, tasks: map[taskKey]*task{}}
	run.node.spanID = ref.Span
	run.node.restore(p.wasExported(run.node.spanID))
	p.runs[key] = run
	p.order = append(p.order, key)
	return run
}

// Moved records that a run under the pipeline of res is active.
func (p *Tree) Moved(res *otlp.Resource, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.each(res, func(n *Node) { n.moved = now })
}

// End removes a run from its pipeline and step. late reports whether its parent's span was exported before.
func (p *Tree) End(res *otlp.Resource, span clock.Interval, v outcome.Verdict, now time.Time) (late bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.each(res, func(n *Node) {
		n.open--
		n.moved = now
		late = n.emitted // the last node is the run's parent
		if !n.emitted {
			n.span.CoverAll(&span)
			if v.WorseThan(&n.worst) {
				n.worst = v
			}
		}
	})
	return late
}

// link adds a link to a run to the step of res, or to its pipeline if it has no step.
func (p *Tree) link(res *otlp.Resource, to otlp.SpanRef) {
	var last *Node
	p.each(res, func(n *Node) { last = n })
	if last != nil && len(last.links) < maxLinks && !slices.Contains(last.links, to) {
		last.links = append(last.links, to)
	}
}

// each calls f for the pipeline and the step of res.
func (p *Tree) each(res *otlp.Resource, f func(*Node)) {
	key, tkey, ok := keysOf(res)
	if !ok {
		return
	}
	run := p.runs[key]
	if run == nil {
		return
	}
	f(&run.node)
	if t := run.tasks[tkey]; t != nil {
		f(&t.node)
	}
}

// Flush writes the spans of nodes that have been quiet since before and evicts the oldest pipelines and steps over the
// limit. It returns the nodes of these spans, for Accept, and the number of evictions.
func (p *Tree) Flush(b *otlp.Batch, before time.Time) (written []*Node, evicted int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := p.order[:0]
	for i, key := range p.order {
		run := p.runs[key]
		written = run.flush(written, b, key, before)
		evicted += run.evict(p.limit)
		if excess := len(p.order) - i - p.limit; excess > 0 && run.node.accepted {
			delete(p.runs, key)
			evicted++
			continue
		}
		kept = append(kept, key)
	}
	p.order = kept
	return written, evicted
}

// evict removes the oldest steps over the limit whose spans were accepted, and returns their number.
func (r *pipelineRun) evict(limit int) (evicted int) {
	excess := len(r.order) - limit
	if excess <= 0 {
		return 0
	}
	r.order = slices.DeleteFunc(r.order, func(key taskKey) bool {
		if evicted == excess || !r.tasks[key].node.accepted {
			return false
		}
		delete(r.tasks, key)
		evicted++
		return true
	})
	return evicted
}

// flush writes the quiet steps, including those that came after the pipeline's span was exported, then the pipeline.
func (r *pipelineRun) flush(written []*Node, b *otlp.Batch, key pipelineKey, before time.Time) []*Node {
	for _, tkey := range r.order {
		if t := r.tasks[tkey]; t.node.quiet(before) {
			t.write(b, r)
			written = append(written, &t.node)
		}
	}
	if !r.node.quiet(before) {
		return written
	}
	b.AddPipeline(r.resource, &otlp.Pipeline{
		Span: r.node.outline(r.traceID, otlp.SpanID{}), Name: key.name, RunID: key.runID, Result: r.node.worst.Result(),
	})
	return append(written, &r.node)
}

func (t *task) write(b *otlp.Batch, r *pipelineRun) {
	of := t.node.outline(r.traceID, r.node.spanID)
	of.Background = r.node.emitted && !r.node.span.Contains(t.node.span) // it came too late
	b.AddStep(t.resource, &otlp.Step{
		Span: of, Name: t.key.name, RunID: t.key.runID, URL: t.resource.Value(otlp.AttrTaskRunURL), Result: t.node.worst.Result(),
	})
}

// restore records whether the span was exported before a restart.
func (n *Node) restore(exported bool) { n.emitted, n.accepted = exported, exported }

// quiet reports whether the node has content to export and has not moved since before.
func (n *Node) quiet(before time.Time) bool {
	return n.open <= 0 && !n.emitted && n.span.Start.Known() && !n.moved.After(before)
}

// outline returns the span of the node and marks it as emitted.
func (n *Node) outline(trace otlp.TraceID, parent otlp.SpanID) otlp.Span {
	n.emitted = true
	of := otlp.Span{Trace: trace, ID: n.spanID, Parent: parent, Links: n.links, ErrorType: n.worst.ErrorType(), Clamped: n.span.Clamped()}
	of.Start, of.End, of.TimeSource = n.span.Times()
	return of
}

// Names returns the names and IDs of the pipeline run and the step of a resource; they are empty if it has none.
func Names(res *otlp.Resource) (pipeline, runID, step, stepID string) {
	key, tkey, _ := keysOf(res)
	return key.name, key.runID, tkey.name, tkey.runID
}

// same reports whether two resources belong to one step of one pipeline run.
func same(a, b *otlp.Resource) bool {
	pipelineA, taskA, _ := keysOf(a)
	pipelineB, taskB, _ := keysOf(b)
	return pipelineA == pipelineB && taskA == taskB
}
