package agentstreamreceiver

import (
	"context"
	"time"

	"github.com/tailspan/tailspan/session/pipeline"
)

// steps are what timers triggered in a stream. A restart repeats them at the same lines, because a text that was exported in parts
// has other IDs than a whole one. So a step is stored before its output is sent.
type steps struct {
	// Timed are the steps in order; the oldest are evicted.
	Timed []timedStep `json:"timed,omitempty"`
	// Unacknowledged is how many of the last steps may have output that no consumer acknowledged. No line follows them.
	Unacknowledged int `json:"unacknowledged,omitempty"`

	// left is how many of the last steps are still to be repeated. During a replay it is at least Unacknowledged: the steps before the
	// last Unacknowledged ones are replayed without output, then these are repeated with their output.
	left int
}

// timedStep is what a timer triggered after the line at offset At.
type timedStep struct {
	At int64       `json:"at"`
	Do timerAction `json:"do"`
}

type timerAction string

const (
	timedTick  timerAction = "tick"  // complete lines of unfinished texts were released
	timedQuiet timerAction = "quiet" // an end that might have been revoked was released
	timedFlush timerAction = "flush" // the stream was closed
	timedOld   timerAction = "old"   // what an old file held at its end was released
)

// maxTimed bounds the steps of a state. Steps of texts that have ended have no effect any more.
const maxTimed = 256

// record adds a step of a stream. Its output is not acknowledged yet.
func (s *steps) record(in *stream, do timerAction) {
	in.kept.ticked = true
	if in.exported != nil {
		return // it has no offsets, and its marks replace the steps
	}
	s.Timed = append(s.Timed, timedStep{in.pipeline.At.Offset, do})
	s.Unacknowledged++
	if drop := len(s.Timed) - maxTimed; drop > 0 {
		s.Timed = append(s.Timed[:0:0], s.Timed[drop:]...)
	}
}

// acknowledge records that all output was acknowledged.
func (s *steps) acknowledge() {
	if s.left == 0 {
		s.Unacknowledged = 0
	}
}

// into sets the steps of a stored state.
func (s *steps) into(state *streamState) { state.steps = *s }

// rewind makes all steps due again.
func (s *steps) rewind() {
	s.left, s.Unacknowledged = len(s.Timed), min(s.Unacknowledged, len(s.Timed))
}

// replay repeats the acknowledged steps before the line at an offset.
func (s *steps) replay(p *pipeline.Pipeline, before int64) {
	for ; s.left > s.Unacknowledged; s.left-- {
		step := s.Timed[len(s.Timed)-s.left]
		if step.At >= before {
			return
		}
		p.At.Replay = true
		step.Do.apply(p)
	}
}

// repeat repeats the unacknowledged steps after the last replayed line. Their output is sent again.
func (s *steps) repeat(p *pipeline.Pipeline) {
	for ; s.left > 0; s.left-- {
		p.At.Read = time.Time{}
		s.Timed[len(s.Timed)-s.left].Do.apply(p)
	}
}

func (d timerAction) apply(p *pipeline.Pipeline) {
	switch d {
	case timedTick:
		p.Part()
	case timedQuiet:
		p.Quiet()
	case timedFlush:
		p.EndTexts()
	case timedOld:
		p.Flush()
	}
}

// unstored is the checkpoint of a stream whose state is not stored.
type unstored struct{}

// Covers implements [tail.Checkpoint].
func (unstored) Covers(context.Context, int64) bool { return true }

// Amend implements [tail.Checkpoint].
func (unstored) Amend(context.Context, []byte) error { return nil }
