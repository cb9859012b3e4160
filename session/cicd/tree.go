package cicd

import (
	"slices"
	"time"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/outcome"
)

// Tree holds the pipeline runs and their steps.
type Tree struct {
	limit    int
	service  string // of their spans
	runs     map[pipelineKey]*pipelineRun
	order    []pipelineKey // oldest first, for eviction
	exported []string      // ids of spans that went out, the oldest first, in hexadecimal
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

// Node is what a pipeline and a step have in common.
type Node struct {
	spanID  otlp.SpanID
	span    clock.Interval
	open    int             // runs at work below
	moved   time.Time       // clock time of the last sign of life
	links   []otlp.SpanRef  // runs that other accounts of the work below were the first with
	worst   outcome.Verdict // of the runs below
	emitted bool
	// accepted is set once the span was acknowledged. Until then it is pending, also for the next process.
	accepted bool
}

// maxLinks bounds the links of a step.
const maxLinks = 128

// New makes a Tree. Its limit bounds the pipelines and the steps of one; service is that of their spans.
func New(limit int, service string) Tree {
	return Tree{limit: limit, service: service, runs: map[pipelineKey]*pipelineRun{}}
}

func keysOf(res *otlp.Resource) (pipelineKey, taskKey, bool) {
	name, runID, ok := res.PipelineRun()
	return pipelineKey{name, runID}, taskKey{res.Value(otlp.AttrTaskName), res.Value(otlp.AttrTaskRunID)}, ok
}

// Start enters a run and returns what it lies below; ok is false without pipeline identity. One that does not count is not
// waited for: a second account of a run, or the work of a sub-agent.
func (p *Tree) Start(res *otlp.Resource, counts bool) (parent otlp.SpanRef, ok bool) {
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
	step := []string{otlp.AttrTaskName, otlp.AttrTaskRunID, otlp.AttrTaskRunURL} // of one below it
	ref := otlp.PipelineRef(key.name, key.runID)
	run = &pipelineRun{resource: res.Of(p.service, step...), traceID: ref.Trace, tasks: map[taskKey]*task{}}
	run.node.spanID = ref.Span
	run.node.restore(p.wasExported(run.node.spanID))
	p.runs[key] = run
	p.order = append(p.order, key)
	return run
}

// Moved notes that a run under the pipeline of res is still at work.
func (p *Tree) Moved(res *otlp.Resource, now time.Time) {
	p.each(res, func(n *Node) { n.moved = now })
}

// End takes a run out of its pipeline and step, and reports whether it came too late: the span above it is out.
func (p *Tree) End(res *otlp.Resource, span clock.Interval, v outcome.Verdict, now time.Time) (late bool) {
	p.each(res, func(n *Node) {
		n.open--
		n.moved = now
		late = n.emitted // of the last, which is the run's parent
		if !n.emitted {
			n.span.CoverAll(&span)
			if v.WorseThan(&n.worst) {
				n.worst = v
			}
		}
	})
	return late
}

// Link has the step of res, or without a step its pipeline, link to a run.
func (p *Tree) Link(res *otlp.Resource, to otlp.SpanRef) {
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

// Flush writes the spans of what has been quiet since before, and evicts the oldest pipelines over the limit, and the
// oldest steps of one. It returns whose spans those are, to accept, and how many were evicted.
func (p *Tree) Flush(b *otlp.Batch, before time.Time) (written []*Node, evicted int) {
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

// evict drops the oldest steps over the limit whose spans are out, and returns how many.
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

// flush writes the steps that are quiet, also those that came after the pipeline's span went out, then the pipeline.
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

// restore notes whether the span was exported before a restart.
func (n *Node) restore(exported bool) { n.emitted, n.accepted = exported, exported }

// quiet reports whether the node has something that was not exported, and nothing moved since before.
func (n *Node) quiet(before time.Time) bool {
	return n.open <= 0 && !n.emitted && n.span.Start.Known() && !n.moved.After(before)
}

// outline is the span of the node, which is exported now.
func (n *Node) outline(trace otlp.TraceID, parent otlp.SpanID) otlp.Span {
	n.emitted = true
	of := otlp.Span{Trace: trace, ID: n.spanID, Parent: parent, Links: n.links, ErrorType: n.worst.ErrorType()}
	of.Start, of.End, of.TimeSource = n.span.Times()
	return of
}

// Names are the names and ids of the pipeline run and the step of a resource; empty where it has none.
func Names(res *otlp.Resource) (pipeline, runID, step, stepID string) {
	key, tkey, _ := keysOf(res)
	return key.name, key.runID, tkey.name, tkey.runID
}

// Same reports whether two resources belong to one step of one pipeline run.
func Same(a, b *otlp.Resource) bool {
	pipelineA, taskA, _ := keysOf(a)
	pipelineB, taskB, _ := keysOf(b)
	return pipelineA == pipelineB && taskA == taskB
}
