package link

import (
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/team"
)

// RunID identifies a run globally by its trace and top span.
type RunID struct {
	Trace [16]byte `json:"trace"`
	Top   [8]byte  `json:"top"`
}

// Run is what a child needs to know of its run. Its JSON form is stored for a restart, without the team and the
// accounts.
type Run struct {
	RunID
	Key      string
	Scope    string // mixed into the IDs of its items
	Session  string
	Exported bool          // the span and the times of the run are exported as in its stream
	Recorded bool          // its first account is a transcript
	Inline   bool          // it is a sub-agent in a stream that also has its run
	Begun    clock.Instant // time of its first line; zero if unknown
	Account  uint64        // stream of the first account; 0 if that is from an earlier process
	Team     *team.Team

	span    atomic.Pointer[clock.Interval] // nil until the run is over
	totals  atomic.Bool                    // see [Run.End]; set before span
	unused  atomic.Bool                    // see [Run.Unused]; set before span
	written atomic.Bool
	back    atomic.Pointer[clock.SetBack] // nil if the agent's clock was not set back
	moved   atomic.Int64                  // clock time of the last line of its sub-agents, in nanoseconds
}

// SetBack records that the agent's clock was set back during the run.
func (r *Run) SetBack(back clock.SetBack) { r.back.Store(&back) }

// Back returns how the agent's clock was set back during the run.
func (r *Run) Back() clock.SetBack {
	if back := r.back.Load(); back != nil {
		return *back
	}
	return clock.SetBack{}
}

// Move records that a line of a sub-agent in a separate stream was written at a time.
func (r *Run) Move(at time.Time) {
	for nano := at.UnixNano(); ; {
		if last := r.moved.Load(); nano <= last || r.moved.CompareAndSwap(last, nano) {
			return
		}
	}
}

// Moved returns the time of the last such line, or a time long ago if there was none.
func (r *Run) Moved() time.Time { return time.Unix(0, r.moved.Load()) }

// End ends the run. totals is true if its end reports totals, which include usage that its stream does not show.
func (r *Run) End(span clock.Interval, totals bool) {
	r.totals.Store(totals)
	r.span.Store(&span)
}

// Span returns the time of the run, or nil until it is over.
func (r *Run) Span() *clock.Interval { return r.span.Load() }

// HasTotals reports whether the end of the run has totals.
func (r *Run) HasTotals() bool { return r.totals.Load() }

// SetUnused records that the stream of the run reported no tokens at all.
func (r *Run) SetUnused() { r.unused.Store(true) }

// Unused reports whether the stream of the run, which is over, reported no tokens: another account may.
func (r *Run) Unused() bool { return r.unused.Load() }

// Write records that nothing of the run is open any more, including background work. It reports whether that is new.
func (r *Run) Write() bool { return !r.written.Swap(true) }

// Written reports whether nothing of the run is open any more.
func (r *Run) Written() bool { return r.written.Load() }

// runState is the JSON form of a Run.
type runState struct {
	RunID
	Key      string          `json:"key"`
	Scope    string          `json:"scope,omitempty"`
	Session  string          `json:"session,omitempty"`
	Ended    *clock.Interval `json:"ended,omitempty"`
	Begun    clock.Instant   `json:"begun,omitempty"`
	Back     clock.SetBack   `json:"set_back,omitzero"`
	Exported bool            `json:"exported,omitempty"`
	Totals   bool            `json:"totals,omitempty"`
	Unused   bool            `json:"unused,omitempty"`
}

// state returns the stored part of the run. It omits Recorded, so it clears the totals of a transcript.
func (r *Run) state() runState {
	s := runState{
		RunID: r.RunID, Key: r.Key, Scope: r.Scope, Session: r.Session, Begun: r.Begun, Back: r.Back(),
		Exported: r.Exported, Totals: r.HasTotals() && !r.Recorded, Unused: r.Unused(),
	}
	if span := r.Span(); span != nil && span.Start.Known() {
		s.Ended = span
	}
	return s
}

func (s *runState) run() *Run {
	r := &Run{RunID: s.RunID, Key: s.Key, Scope: s.Scope, Session: s.Session, Begun: s.Begun, Exported: s.Exported}
	r.SetBack(s.Back)
	r.unused.Store(s.Unused)
	if r.totals.Store(s.Totals); s.Ended != nil {
		r.span.Store(s.Ended)
	}
	return r
}

// Snapshot returns a copy of the stored part of the run.
func (r *Run) Snapshot() *Run {
	state := r.state()
	return state.run()
}

// MarshalJSON encodes the stored part of the run.
func (r *Run) MarshalJSON() ([]byte, error) { return json.Marshal(r.state()) }

// UnmarshalJSON decodes the stored part of the run.
func (r *Run) UnmarshalJSON(data []byte) error {
	var s runState
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	r.RunID, r.Key, r.Scope, r.Session, r.Begun, r.Exported = s.RunID, s.Key, s.Scope, s.Session, s.Begun, s.Exported
	r.SetBack(s.Back)
	r.totals.Store(s.Totals)
	r.unused.Store(s.Unused)
	r.span.Store(s.Ended)
	return nil
}
