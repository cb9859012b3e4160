package link

import (
	"time"

	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/outcome"
)

// Call is what a child needs to know of the call that started it. It does not change.
type Call struct {
	Span     [8]byte `json:"span"`
	Type     string  `json:"type,omitempty"` // of the agent
	Tool     string  `json:"tool,omitempty"`
	Exported bool    `json:"exported,omitempty"` // its span is exported, if not before then when its stream ends
}

// End is how the call of a sub-agent ended, or its work in the background.
type End struct {
	outcome.Verdict
	Span clock.Interval `json:"call_times,omitzero"` // of the call; empty for work in the background
	// Took is how long work in the background took, as the notice of its end reports it; 0 if it does not.
	Took time.Duration `json:"took_ns,omitempty"`
}

// Child is what is known of a sub-agent. As JSON it is kept over a restart.
type Child struct {
	Key
	Run        *Run  `json:"run,omitempty"`  // nil: no call and no turn of it was announced
	Call       *Call `json:"call,omitempty"` // nil: not known
	Background bool  `json:"background,omitempty"`
	// Ended is true once the call is over, or for work in the background once its end was reported.
	Ended bool `json:"ended,omitempty"`
	End   End  `json:"end,omitzero"`
	// Done is true once its span was written.
	Done bool `json:"-"`
}

// entry is what the two sides know of one sub-agent.
type entry[S comparable] struct {
	Child
	child S // the stream that it works in, once seen
	maker S // the one whose call started it
	// members are the agents that this one's id stands for. How many there will be is not known, so such an entry is never
	// done: it is kept with the state of the stream of its call.
	members []Key
}

// begun notes which call started the sub-agent.
func (e *entry[S]) begun(maker S, run *Run, call *Call) { e.maker, e.Run, e.Call = maker, run, call }

// over notes how that call ended.
func (e *entry[S]) over(how End) { e.Ended, e.End = true, how }
