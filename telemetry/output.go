package telemetry

import (
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/otlp/metrics"
	"github.com/tailspan/tailspan/session/cicd"
)

// Output is what a stream exports.
type Output struct {
	otlp.Data
	// Counts are the irregularities since the last Take; see [Counts].
	Counts Counts

	// steps and nodes are acknowledged by Accepted.
	steps     []sentStep
	nodes     []*cicd.Node
	pipelines *cicd.Tree // of nodes
}

// Accepted acknowledges the output. Call it once, after every consumer accepted it.
func (o *Output) Accepted() {
	for _, sent := range o.steps {
		sent.stream.accepted(sent.step)
	}
	o.steps = nil
	if len(o.nodes) > 0 {
		o.pipelines.Accept(o.nodes)
		o.nodes = nil
	}
}

// Empty reports whether there is nothing to export or acknowledge.
func (o *Output) Empty() bool { return o.Data.Empty() && len(o.steps) == 0 }

// batch collects the output of streams and the steps that its acknowledgement completes.
type batch struct {
	*otlp.Batch
	steps []sentStep
}

func newBatch(r *Registry) *batch {
	return &batch{Batch: otlp.NewBatch(&r.writer, r.settings.Version)}
}

// empty reports whether there is nothing to export or acknowledge.
func (b *batch) empty() bool { return b.Batch.Empty() && len(b.steps) == 0 }

// take returns what was collected and clears it.
func (b *batch) take() Output {
	out := Output{Data: b.Batch.Take(), steps: b.steps}
	b.steps = nil
	return out
}

// emitter receives the spans, records and counts of a stream.
type emitter struct {
	meter      metrics.Meter
	out        *batch  // output of the stream's own lines; nil after Trim
	sink       *batch  // current destination: out, or the batch of the stream whose line released the events
	counts     *Counts // since the last Take; nil if there are none
	suppressed bool    // the current line is replayed and exports nothing
}

// count returns the counts since the last Take, to be added to.
func (e *emitter) count() *Counts {
	if e.counts == nil {
		e.counts = new(Counts)
	}
	return e.counts
}

// own returns the stream's own batch.
func (e *emitter) own(r *Registry) *batch {
	if e.out == nil {
		e.out = newBatch(r)
	}
	return e.out
}

// take returns the output since the last call and clears it.
func (e *emitter) take(r *Registry) Output {
	out := e.own(r).take()
	e.meter.Flush()
	if e.counts != nil {
		out.Counts, e.counts = *e.counts, nil
	}
	out.Counts.ImplausibleDurations += e.meter.TakeIgnored()
	return out
}

// trim releases caches and an empty batch.
func (e *emitter) trim() {
	e.sink = nil
	e.meter.Trim()
	if e.out != nil && e.out.empty() {
		e.out = nil
	}
}
