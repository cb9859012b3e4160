package telemetry

import "github.com/tailspan/tailspan/otlp/metrics"

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
