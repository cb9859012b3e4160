package telemetry

import (
	"slices"

	"github.com/tailspan/tailspan/otlp"
)

// At a shutdown all streams are closed, in any order. A stream that waits for the first account of a run cannot end
// before that account's stream: its output would suppress items that the first account still has open.

// deferred holds the streams that were closed while they waited. The owner locks it.
type deferred []deferredClose

type deferredClose struct {
	stream *Stream
	reason otlp.CloseReason
}

// closeDeferred closes the streams that waited.
func (r *Registry) closeDeferred(into *batch) {
	r.mu.Lock()
	list := slices.Clone(r.deferred)
	r.deferred = nil
	r.mu.Unlock()
	for _, d := range list {
		d.stream.workInto(into, false, func() { d.stream.close(d.reason) })
		r.leave(d.stream)
		counts := d.stream.Take().Counts
		r.mu.Lock()
		r.counts.add(&counts)
		r.mu.Unlock()
	}
}
