package telemetry

import (
	"slices"
)

// Open items are in lists, oldest first: of a stream, of a run and of an agent, because each of these closes its own
// items. So the cost of closing an item depends only on what is inside it.

// atWork holds the open items that an agent started.
type atWork struct {
	calls  []*call
	agents []*agent
}

// runWork holds the open items of a run except its calls.
type runWork struct {
	agents int  // number of active sub-agents
	late   bool // the run is among the stream's lingering runs
}

// openWork holds the open items of a stream except the current run.
type openWork struct {
	// agents are the active sub-agents, oldest first. They may outlive their run.
	agents []*agent
	// busy are the runs with an active sub-agent, in the order in which they got the first one.
	busy []*run
	// lingering are closed runs with open calls: in the background or reported late. lateCalls is the number of these calls.
	lingering []*run
	lateCalls int
	late      []*agent // sub-agents that a model call works for although their spans are closed
	arguments int      // size of the arguments of open calls, in bytes
}

// remove removes x from a list. It is fast for the oldest and the newest items, which end first as a rule, and keeps capacity.
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

// agentOpened adds an active sub-agent.
func (o *openWork) agentOpened(a *agent) {
	o.agents = append(o.agents, a)
	a.call.caller.open.agents = append(a.call.caller.open.agents, a)
	if a.run.work.agents++; a.run.work.agents == 1 {
		o.busy = append(o.busy, a.run)
	}
}

// agentClosed removes a sub-agent.
func (o *openWork) agentClosed(a *agent) {
	remove(&o.agents, a)
	remove(&a.call.caller.open.agents, a)
	if a.run.work.agents--; a.run.work.agents == 0 {
		remove(&o.busy, a.run)
	}
}

// callClosed records that a run has one open call less.
func (o *openWork) callClosed(r *run) {
	if !r.work.late {
		return
	}
	if o.lateCalls--; len(r.calls.open) == 0 {
		r.work.late = false
		remove(&o.lingering, r)
	}
}

// dropArguments drops the arguments of a finished call.
func (o *openWork) dropArguments(c *call) { o.arguments -= c.Release() }
