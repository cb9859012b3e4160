package replay

import (
	"slices"

	"github.com/tailspan/tailspan/session/pending"
)

// MaxSteps bounds the steps of a stream; the oldest are evicted.
const MaxSteps = 256

// Replay is the progress of a stream, whose lines may be replayed. The zero value is that of a new stream.
type Replay struct {
	Active       bool // its lines are being replayed
	LastReplayed bool // the last applied event was replayed

	restored bool  // the stream was opened with a state
	end      int64 // the offset of the last line plus 1; 0 before the first
	// steps are the steps of the stream. The last left of them are not repeated yet.
	steps       []*Taken
	left        int
	pendingFrom *Place    // the first event that was pending; nil if none was
	inFlight    *inFlight // nil if there is none
}

// inFlight counts unacknowledged outputs of other streams that contain events of this stream.
type inFlight struct {
	handOvers int
	events    int   // number of the events in these outputs
	first     Place // the first of the events
}

// Restore restores the progress of an earlier process: its last offset plus 1, its steps, and the first event that was pending, if any.
func (r *Replay) Restore(end int64, steps []Step, pendingFrom *Place) {
	for _, step := range steps {
		r.steps = append(r.steps, &Taken{step, true})
	}
	r.left, r.restored, r.pendingFrom = len(r.steps), end > 0, pendingFrom
}

// Restored reports whether the stream has a state of an earlier process.
func (r *Replay) Restored() bool { return r.restored }

// Begin starts a line.
func (r *Replay) Begin(offset int64, replayed bool) { r.end, r.Active = offset+1, replayed }

// Offset returns the offset of the last line, and End the same plus 1; both are 0 before the first.
func (r *Replay) Offset() int64 { return max(r.end-1, 0) }
func (r *Replay) End() int64    { return r.end }

// Delivered reports whether an event of a replayed line was exported before. Only events that were pending then were not.
func (r *Replay) Delivered(o pending.Origin) bool {
	return r.pendingFrom == nil || o.Offset < r.pendingFrom.Offset || o.Offset == r.pendingFrom.Offset && o.Index < r.pendingFrom.Index
}

// DeliveryOf returns the delivery of an event of the current line. delivered is true if the event was exported before.
func (r *Replay) DeliveryOf(delivered bool) pending.Delivery {
	switch {
	case delivered:
		return pending.Done
	case r.Active:
		return pending.Again
	default:
		return pending.New
	}
}

// Record records a step after the last line. run is the key of the affected run, if it affected one.
func (r *Replay) Record(do Kind, run string) *Taken {
	step := &Taken{Step: Step{At: r.Offset(), Do: do, Run: run}}
	r.steps = append(r.steps, step)
	if drop := len(r.steps) - MaxSteps; drop > 0 {
		r.steps = slices.Delete(r.steps, 0, drop)
	}
	return step
}

// Behind reports whether steps are left to be repeated.
func (r *Replay) Behind() bool { return r.left > 0 }

// Next returns the next step to be repeated before the line at an offset. ok is false if there is none.
func (r *Replay) Next(before int64) (step Step, ok bool) {
	if r.left == 0 {
		return Step{}, false
	}
	next := r.steps[len(r.steps)-r.left]
	if next.At >= before {
		return Step{}, false
	}
	r.left--
	return next.Step, true
}

// Steps returns the acknowledged steps. open is true if the stream has others.
func (r *Replay) Steps() (accepted []Step, open bool) {
	for _, step := range r.steps {
		if !step.accepted {
			open = true
			continue
		}
		accepted = append(accepted, step.Step)
	}
	return accepted, open
}

// HandOver records that the batch of another stream has a number of events from first on.
func (r *Replay) HandOver(first Place, events int) {
	if r.inFlight == nil {
		r.inFlight = &inFlight{first: first}
	}
	r.inFlight.handOvers++
	r.inFlight.events += events
}

// AcceptHandOver records that one of these batches was acknowledged.
func (r *Replay) AcceptHandOver() {
	if r.inFlight.handOvers--; r.inFlight.handOvers == 0 {
		r.inFlight = nil
	}
}

// InFlight returns the number of events in unacknowledged batches of other streams, and the first one, or nil.
func (r *Replay) InFlight() (events int, first *Place) {
	if r.inFlight == nil {
		return 0, nil
	}
	at := r.inFlight.first
	return r.inFlight.events, &at
}
