package telemetry

import (
	"slices"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/outcome"
)

// What is open is kept in lists, oldest first: of a stream, of a run, and of an agent, since each of these closes what is
// its own. So closing one thing costs what is in it, and not what else is open.

// atWork is what an agent started and what has not ended.
type atWork struct {
	calls  []*call
	agents []*agent
}

// runWork is what is open of a run, beside its calls.
type runWork struct {
	agents int  // how many sub-agents are at work
	late   bool // it is among the stream's lingering runs
}

// openWork is what is open of a stream beside the run at work.
type openWork struct {
	// agents are the sub-agents at work, oldest first. They may outlive their run.
	agents []*agent
	// busy are the runs that have a sub-agent at work, in the order in which they got the first one.
	busy []*run
	// lingering are closed runs that have calls open: in the background, or reported late. lateCalls is how many those are.
	lingering []*run
	lateCalls int
	arguments int // bytes of the arguments of open calls
}

// remove takes x out of a list. Of many that are open the oldest or the newest ends next, as a rule; a few move up, for room.
func remove[T comparable](list *[]T, x T) {
	const few = 8
	all := *list
	switch last := len(all) - 1; {
	case last < 0:
	case all[last] == x:
		clear(all[last:])
		*list = all[:last]
	case last >= few && all[0] == x:
		clear(all[:1])
		*list = all[1:]
	default:
		if i := slices.Index(all, x); i >= 0 {
			*list = slices.Delete(all, i, i+1)
		}
	}
}

// agentOpened enters a sub-agent that is at work.
func (o *openWork) agentOpened(a *agent) {
	o.agents = append(o.agents, a)
	a.call.caller.open.agents = append(a.call.caller.open.agents, a)
	if a.run.work.agents++; a.run.work.agents == 1 {
		o.busy = append(o.busy, a.run)
	}
}

// agentClosed takes it out again.
func (o *openWork) agentClosed(a *agent) {
	remove(&o.agents, a)
	remove(&a.call.caller.open.agents, a)
	if a.run.work.agents--; a.run.work.agents == 0 {
		remove(&o.busy, a.run)
	}
}

// linger remembers a closed run for n calls that it has open. All runs together may have as many as one that is at work; the
// oldest are closed first.
func (s *Stream) linger(r *run, n int) {
	s.open.lateCalls += n
	if !r.work.late {
		r.work.late = true
		s.open.lingering = append(s.open.lingering, r)
	}
	for s.open.lateCalls > s.registry.settings.Limits.OpenCalls {
		s.count().EvictedCalls++
		s.closeCall(s.open.lingering[0].calls.open[0], outcome.WithoutResult(otlp.CloseReasonEvicted))
	}
}

// callClosed notes that a run has an open call less.
func (o *openWork) callClosed(r *run) {
	if !r.work.late {
		return
	}
	if o.lateCalls--; len(r.calls.open) == 0 {
		r.work.late = false
		remove(&o.lingering, r)
	}
}

// closeLingering closes what closed runs still have open.
func (s *Stream) closeLingering(reason otlp.CloseReason) {
	for _, r := range slices.Clone(s.open.lingering) {
		for _, c := range slices.Clone(r.calls.open) {
			s.closeCall(c, outcome.WithoutResult(reason))
		}
	}
}

// holdArguments keeps the arguments of a call for its span, as far as there is room for those of all open calls.
func (s *Stream) holdArguments(c *call, arguments []byte) {
	limits := &s.registry.settings.Limits
	if n := min(len(arguments), limits.ContentBytes); s.open.arguments+n > limits.PendingBytes {
		s.count().DroppedArguments++
		return
	}
	if held := otlp.CutLater(arguments, limits.ContentBytes); held != "" {
		c.Hold(held)
		s.open.arguments += len(held)
	}
}

// dropArguments drops those of a call that is over.
func (o *openWork) dropArguments(c *call) { o.arguments -= c.Release() }
