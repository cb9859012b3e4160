package telemetry

import (
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/cicd"
	"github.com/tailspan/tailspan/session/emit"
)

// Output is what a stream exports.
type Output struct {
	otlp.Data
	// Counts are the irregularities since the last Take; see [emit.Counts].
	Counts emit.Counts
	// Claims are what the stream has the first account of, if the IDs in Data depend on a new one; see [StreamState.Claiming].
	Claims []uint64

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
