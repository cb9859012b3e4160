package emit

import (
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/otlp/metrics"
	"github.com/tailspan/tailspan/session/cicd"
	"github.com/tailspan/tailspan/session/exported"
	"github.com/tailspan/tailspan/session/program"
)

// Settings describe the stream of an [Emitter].
type Settings struct {
	IDs       *exported.Table // of all streams
	Pipelines *cicd.Tree      // of all streams
	Program   *program.Program
	Parent    otlp.Parent // the outer span, if there is one
	OnUsed    func(Used)  // if set, is called with the usage of models
}

// Emitter writes the spans and records of one stream.
type Emitter struct {
	Meter metrics.Meter
	Sink  *otlp.Batch // what is written goes here; nil if nothing is
	// Suppressed is set while the current line is replayed and exports nothing.
	Suppressed bool

	set    Settings
	counts *Counts // since the last TakeCounts; nil if there are none
}

// New returns the emitter of a stream.
func New(set Settings, of *metrics.Set) Emitter {
	return Emitter{set: set, Meter: metrics.NewMeter(of, set.Program.Resource)}
}

// Count returns the counts since the last [Emitter.TakeCounts], to be added to.
func (e *Emitter) Count() *Counts {
	if e.counts == nil {
		e.counts = new(Counts)
	}
	return e.counts
}

// TakeCounts returns the counts since the last call, and flushes the metrics.
func (e *Emitter) TakeCounts() (counts Counts) {
	e.Meter.Flush()
	if e.counts != nil {
		counts, e.counts = *e.counts, nil
	}
	counts.ImplausibleDurations += e.Meter.TakeIgnored()
	return counts
}

// Trim releases caches.
func (e *Emitter) Trim() {
	e.Sink = nil
	e.Meter.Flush()
}
