package link

import (
	"encoding/json"
	"sync/atomic"

	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/team"
)

// RunID names a run among all: its trace, and its top span.
type RunID struct {
	Trace [16]byte `json:"trace"`
	Top   [8]byte  `json:"top"`
}

// Run is what a child needs to know of the run that it belongs to. As JSON it is kept over a restart; its team and its accounts
// are not.
type Run struct {
	RunID
	Key      string
	Scope    string // what the ids of its items are mixed with
	Session  string
	Exported bool   // the run's span and times are exported as its stream has them
	Recorded bool   // its first account is a transcript
	Inline   bool   // it is a sub-agent in a stream that has its run too
	Account  uint64 // of the stream that was the first with it; 0 if that is of an earlier process
	Team     *team.Team

	span    atomic.Pointer[clock.Interval] // nil until the run is over
	totals  atomic.Bool                    // see [Run.End]; set before span is
	written atomic.Bool
}

// End ends the run. With totals its end has totals, which hold what its stream does not show.
func (r *Run) End(span clock.Interval, totals bool) {
	r.totals.Store(totals)
	r.span.Store(&span)
}

// Span is the time of the run; nil until it is over.
func (r *Run) Span() *clock.Interval { return r.span.Load() }

// HasTotals reports whether the run's end has totals.
func (r *Run) HasTotals() bool { return r.totals.Load() }

// Write notes that nothing of the run is open any more, not in the background either. It reports whether that is new.
func (r *Run) Write() bool { return !r.written.Swap(true) }

// Written reports whether nothing of the run is open any more.
func (r *Run) Written() bool { return r.written.Load() }

// runState is a run as JSON.
type runState struct {
	RunID
	Key      string          `json:"key"`
	Scope    string          `json:"scope,omitempty"`
	Session  string          `json:"session,omitempty"`
	Ended    *clock.Interval `json:"ended,omitempty"`
	Exported bool            `json:"exported,omitempty"`
	Totals   bool            `json:"totals,omitempty"`
}

// state is what is kept of the run. Whether its stream is a transcript is not: its totals are none then.
func (r *Run) state() runState {
	s := runState{RunID: r.RunID, Key: r.Key, Scope: r.Scope, Session: r.Session, Exported: r.Exported, Totals: r.HasTotals() && !r.Recorded}
	if span := r.Span(); span != nil && span.Start.Known() {
		s.Ended = span
	}
	return s
}

func (s *runState) run() *Run {
	r := &Run{RunID: s.RunID, Key: s.Key, Scope: s.Scope, Session: s.Session, Exported: s.Exported}
	if r.totals.Store(s.Totals); s.Ended != nil {
		r.span.Store(s.Ended)
	}
	return r
}

// Snapshot is the run as it is now, without its team.
func (r *Run) Snapshot() *Run {
	state := r.state()
	return state.run()
}

// MarshalJSON writes what is kept of the run.
func (r *Run) MarshalJSON() ([]byte, error) { return json.Marshal(r.state()) }

// UnmarshalJSON reads it.
func (r *Run) UnmarshalJSON(data []byte) error {
	var s runState
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	r.RunID, r.Key, r.Scope, r.Session, r.Exported = s.RunID, s.Key, s.Scope, s.Session, s.Exported
	r.totals.Store(s.Totals)
	r.span.Store(s.Ended)
	return nil
}
