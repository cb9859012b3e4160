package telemetry

import (
	"sync"
	"time"

	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/emit"
	"github.com/tailspan/tailspan/session/exported"
	"github.com/tailspan/tailspan/session/family"
	"github.com/tailspan/tailspan/session/program"
	"github.com/tailspan/tailspan/session/replay"
	"github.com/tailspan/tailspan/session/share"
	"github.com/tailspan/tailspan/session/work"
)

// core is the lowest layer of a [Stream]: the state that all layers share. Each layer embeds the one below it and knows none of
// those above it; a method belongs to the lowest layer that has what it needs. docs/architecture.md lists the layers.
type core struct {
	self     *Stream // by which registries know the stream
	registry *Registry
	settings StreamSettings // without Agent, Identity and State, which are for the start
	mu       sync.Mutex     // held while the stream is running, because parents also call it
	emit     emit.Emitter
	out      *batch // output of the stream's own lines; nil after Trim
	sink     *batch // current destination: out, or the batch of the stream whose line released the events
	program  program.Program
	reading
	seen   exported.Seen
	share  share.Share[*Stream]
	family family.Family[*Stream]

	run    *work.Run
	open   work.Open
	clock  clock.Clock
	past   past
	replay replay.Replay
}

// isOld reports whether the stream is complete: its last change is older than the gap, and no line was written while it was
// followed. An eager registry also goes by the time of the last line, because a restored file is as new as its copy.
func (s *core) isOld(gap time.Duration) bool {
	last := s.changed
	if gap <= 0 || last.IsZero() {
		return false
	}
	if s.registry.settings.Eager {
		last = clock.InstantOf(s.lineWritten())
	}
	return clock.InstantOf(s.registry.settings.Now()).Sub(last) >= gap
}

// lineWritten is lastWrite or, in a file that was written before it was followed, the time of its last line if that is earlier.
func (s *core) lineWritten() time.Time {
	last := s.lastWrite()
	if line := s.clock.LastLine(); !s.changed.IsZero() && line.Known() && line.At.Before(s.changed) {
		last = time.Unix(0, int64(line.At))
	}
	return last
}

// recordStep records a step that no line of the stream caused. It counts as done once its output, in batch into, was acknowledged.
func (s *core) recordStep(do replay.Kind, into *batch) { s.recordRunStep("", do, into) }

// recordRunStep records a step that affected the run with a key.
func (s *core) recordRunStep(run string, do replay.Kind, into *batch) {
	into.steps = append(into.steps, sentStep{s.self, s.replay.Record(do, run)})
}

// own returns the stream's own batch.
func (s *core) own() *batch {
	if s.out == nil {
		s.out = newBatch(s.registry)
	}
	return s.out
}

// writeInto sets where output goes, and whether there is any.
func (s *core) writeInto(sink *batch, suppressed bool) {
	s.sink, s.emit.Sink, s.emit.Suppressed = sink, sink.Batch, suppressed
}
