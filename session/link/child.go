package link

import (
	"time"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/outcome"
)

// Call is what a child needs to know of the call that started it. It is immutable.
type Call struct {
	Span     [8]byte `json:"span"`
	Type     string  `json:"type,omitempty"` // of the agent
	Tool     string  `json:"tool,omitempty"`
	Exported bool    `json:"exported,omitempty"` // its span is or will be exported, at the latest when its stream ends
}

// End is how the call of a sub-agent or its background work ended.
type End struct {
	outcome.Verdict
	Span clock.Interval `json:"call_times,omitzero"` // of the call; empty for background work, or if unknown
	// Took is the duration of background work as reported by the notice of its end; 0 if it reports none.
	Took time.Duration `json:"took_ns,omitempty"`
}

// Child is what is known of a sub-agent. Its JSON form is stored for a restart.
type Child struct {
	Key
	Run        *Run  `json:"run,omitempty"`  // nil until a call or turn of the sub-agent is announced
	Call       *Call `json:"call,omitempty"` // nil if unknown
	Background bool  `json:"background,omitempty"`
	// Ended is true once the call is over or, for background work, once its end was reported.
	Ended bool `json:"ended,omitempty"`
	End   End  `json:"end,omitzero"`
	// Done is true once its span was written.
	Done bool `json:"-"`
}

// Over reports whether the call of the sub-agent, or a notice, shows that its work is over.
func (c *Child) Over() bool { return c.Ended && c.End.Reason != otlp.CloseReasonTimeout }

// entry is what both sides know of one sub-agent.
type entry[S comparable] struct {
	Child
	child S // the stream that it works in, once seen
	maker S // the stream whose call started it
	// members are the agents that share this ID as their group. Their final number is unknown, so such an entry is
	// never done: it stays in the state of the stream of its call.
	members []Key
}

// begun records which call started the sub-agent.
func (e *entry[S]) begun(maker S, run *Run, call *Call) { e.maker, e.Run, e.Call = maker, run, call }

// startedBy reports whether a call of a run is the one that started the sub-agent. Runs of one session can have calls with the same ID.
func (e *entry[S]) startedBy(run *Run, call [8]byte) bool {
	return run != nil && e.Run != nil && e.Run.RunID == run.RunID && e.Call != nil && e.Call.Span == call
}

// over records how that call ended.
func (e *entry[S]) over(how End) { e.Ended, e.End = true, how }
