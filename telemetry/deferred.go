package telemetry

import (
	"slices"

	"github.com/tailspan/tailspan/otlp"
)

// All streams are closed when the reading stops, in no order. One that waits for the first account of a run, whose stream is
// closed later, is not at its end before that: what it would export now would be in the way of what the first has open.

// deferred are streams that were closed while they waited. Their owner locks.
type deferred []deferredClose

type deferredClose struct {
	stream *Stream
	reason otlp.CloseReason
}

// deferClose reports whether the end of the stream has to wait, and notes that.
func (s *Stream) deferClose(reason otlp.CloseReason) bool {
	if reason != otlp.CloseReasonShutdown || !s.awaitsAccount() {
		return false
	}
	r := s.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	r.deferred = append(r.deferred, deferredClose{s, reason})
	return true
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
