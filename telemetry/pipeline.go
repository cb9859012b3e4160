package telemetry

import (
	"slices"
	"time"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/outcome"
)

// pipelines holds the pipeline runs that streams work under, and their steps. The spans of a pipeline and its steps go
// out once, when all has been quiet for a while, since no format has their end; what comes later hangs under them all
// the same, their ids being pure functions of their names.
type pipelines struct {
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
	node     node
	tasks    map[taskKey]*task
	order    []taskKey
}

type task struct {
	resource *otlp.Resource
	key      taskKey
	node     node
}

// node is what a pipeline and a step have in common.
type node struct {
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

func newPipelines(limit int, service string) pipelines {
	return pipelines{limit: limit, service: service, runs: map[pipelineKey]*pipelineRun{}}
}

func keysOf(res *otlp.Resource) (pipelineKey, taskKey, bool) {
	name, runID, ok := res.PipelineRun()
	return pipelineKey{name, runID}, taskKey{res.Value(otlp.AttrTaskName), res.Value(otlp.AttrTaskRunID)}, ok
}

// started enters a run and returns its trace and parent; ok is false without pipeline identity.
func (p *pipelines) started(res *otlp.Resource, counts bool) (trace otlp.TraceID, parent otlp.SpanID, ok bool) {
	n := 0
	if counts {
		n = 1
	}
	key, tkey, ok := keysOf(res)
	if !ok {
		return trace, parent, false
	}
	run := p.run(key, res)
	run.node.open += n
	if tkey.name == "" {
		return run.traceID, run.node.spanID, true
	}
	t := run.tasks[tkey]
	if t == nil {
		t = &task{resource: res.Of(p.service), key: tkey}
		t.node.spanID = otlp.NewSpanID(otlp.DomainTask, 0, key.name, key.runID, tkey.name, tkey.runID)
		t.node.restore(p.wasExported(t.node.spanID))
		run.tasks[tkey] = t
		run.order = append(run.order, tkey)
	}
	t.node.open += n
	return run.traceID, t.node.spanID, true
}

func (p *pipelines) run(key pipelineKey, res *otlp.Resource) *pipelineRun {
	run := p.runs[key]
	if run != nil {
		return run
	}
	step := []string{otlp.AttrTaskName, otlp.AttrTaskRunID, otlp.AttrTaskRunURL} // of one below it
	run = &pipelineRun{resource: res.Of(p.service, step...), traceID: otlp.NewTraceID(0, "pipeline", key.name, key.runID), tasks: map[taskKey]*task{}}
	run.node.spanID = otlp.NewSpanID(otlp.DomainPipeline, 0, key.name, key.runID)
	run.node.restore(p.wasExported(run.node.spanID))
	p.runs[key] = run
	p.order = append(p.order, key)
	return run
}

func (p *pipelines) moved(res *otlp.Resource, now time.Time) {
	p.each(res, func(n *node) { n.moved = now })
}

// ended takes a run out of its pipeline and step, and reports whether it came too late: the span above it is out.
func (p *pipelines) ended(res *otlp.Resource, span clock.Interval, v outcome.Verdict, now time.Time) (late bool) {
	p.each(res, func(n *node) {
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

// link has the step of res, or without a step its pipeline, link to a run.
func (p *pipelines) link(res *otlp.Resource, to otlp.SpanRef) {
	var last *node
	p.each(res, func(n *node) { last = n })
	if last != nil && len(last.links) < maxLinks && !slices.Contains(last.links, to) {
		last.links = append(last.links, to)
	}
}

// each calls f for the pipeline and the step of res.
func (p *pipelines) each(res *otlp.Resource, f func(*node)) {
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

// flush writes the spans of what has been quiet since before, and forgets the oldest pipelines over the limit, and the
// oldest steps of one. It returns how many.
func (p *pipelines) flush(b *batch, before time.Time) (forgotten int) {
	kept := p.order[:0]
	for i, key := range p.order {
		run := p.runs[key]
		run.flush(b, key, before)
		forgotten += run.forget(p.limit)
		if excess := len(p.order) - i - p.limit; excess > 0 && run.node.accepted {
			delete(p.runs, key)
			forgotten++
			continue
		}
		kept = append(kept, key)
	}
	p.order = kept
	return forgotten
}

// forget drops the oldest steps over the limit whose spans are out, and returns how many.
func (r *pipelineRun) forget(limit int) (forgotten int) {
	excess := len(r.order) - limit
	if excess <= 0 {
		return 0
	}
	r.order = slices.DeleteFunc(r.order, func(key taskKey) bool {
		if forgotten == excess || !r.tasks[key].node.accepted {
			return false
		}
		delete(r.tasks, key)
		forgotten++
		return true
	})
	return forgotten
}

// flush writes the steps that are quiet, also those that came after the pipeline's span went out, then the pipeline.
func (r *pipelineRun) flush(b *batch, key pipelineKey, before time.Time) {
	for _, tkey := range r.order {
		if t := r.tasks[tkey]; t.node.quiet(before) {
			t.write(b, r)
			b.nodes = append(b.nodes, &t.node)
		}
	}
	if !r.node.quiet(before) {
		return
	}
	b.nodes = append(b.nodes, &r.node)
	b.AddPipeline(r.resource, &otlp.Pipeline{
		Span: r.node.outline(r.traceID, otlp.SpanID{}), Name: key.name, RunID: key.runID, Result: r.node.worst.Result(),
	})
}

func (t *task) write(b *batch, r *pipelineRun) {
	of := t.node.outline(r.traceID, r.node.spanID)
	of.Background = r.node.emitted && !r.node.span.Contains(t.node.span) // it came too late
	b.AddStep(t.resource, &otlp.Step{
		Span: of, Name: t.key.name, RunID: t.key.runID, URL: t.resource.Value(otlp.AttrTaskRunURL), Result: t.node.worst.Result(),
	})
}

// restore notes whether the span was exported before a restart.
func (n *node) restore(exported bool) { n.emitted, n.accepted = exported, exported }

// quiet reports whether the node has something that was not exported, and nothing moved since before.
func (n *node) quiet(before time.Time) bool {
	return n.open <= 0 && !n.emitted && n.span.Start.Known() && !n.moved.After(before)
}

// outline is the span of the node, which is exported now.
func (n *node) outline(trace otlp.TraceID, parent otlp.SpanID) otlp.Span {
	n.emitted = true
	of := otlp.Span{Trace: trace, ID: n.spanID, Parent: parent, Links: n.links, ErrorType: n.worst.ErrorType()}
	setTimes(&of, &n.span)
	return of
}
