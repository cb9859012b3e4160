package work

import (
	"cmp"
	"slices"

	"github.com/tailspan/tailspan/session/clock"
)

// Open items are in lists, oldest first: of a stream, of a run and of an agent, because each of these closes its own
// items. So the cost of closing an item depends only on what is inside it.

// atWork holds the open items that an agent started.
type atWork struct {
	calls  []*Call
	agents []*Agent
}

// runWork holds the open items of a run except its calls.
type runWork struct {
	agents int  // number of active sub-agents
	late   bool // the run is among the stream's lingering runs
}

// Open holds the open items of a stream except the current run.
type Open struct {
	// agents are the active sub-agents, oldest first. They may outlive their run.
	agents []*Agent
	// busy are the runs with an active sub-agent, in the order in which they got the first one.
	busy []*Run
	// lingering are closed runs with open calls: in the background or reported late. lateCalls is the number of these calls.
	lingering []*Run
	lateCalls int
	late      []*Agent // sub-agents that a model call works for although their spans are closed
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

// Active returns the active sub-agents, oldest first.
func (o *Open) Active() []*Agent { return o.agents }

// IsBusy reports whether a run has an active sub-agent.
func (o *Open) IsBusy(r *Run) bool { return r.work.agents > 0 }

// HasLingering reports whether closed runs have open calls.
func (o *Open) HasLingering() bool { return len(o.lingering) > 0 }

// LingeringCalls returns the open calls of closed runs, by run.
func (o *Open) LingeringCalls() (all []*Call) {
	for _, r := range o.lingering {
		all = append(all, r.Calls.open...)
	}
	return all
}

// Linger remembers a closed run for n open calls.
func (o *Open) Linger(r *Run, n int) {
	o.lateCalls += n
	if !r.work.late {
		r.work.late = true
		o.lingering = append(o.lingering, r)
	}
}

// Excess returns the oldest open call of the closed runs if all of them together have more than limit, or nil.
func (o *Open) Excess(limit int) *Call {
	if o.lateCalls <= limit {
		return nil
	}
	return o.lingering[0].Calls.open[0]
}

// SpeaksLate records that a model call works for a closed sub-agent, or that it is over.
func (o *Open) SpeaksLate(a *Agent, over bool) {
	if over {
		remove(&o.late, a)
	} else {
		o.late = append(o.late, a)
	}
}

// LateSpeakers returns the closed sub-agents that a model call works for.
func (o *Open) LateSpeakers() []*Agent { return slices.Clone(o.late) }

// Held returns the size of the captured texts of what is open, in bytes.
func (o *Open) Held() int { return o.arguments }

// Hold adds to that size, or subtracts from it.
func (o *Open) Hold(n int) { o.arguments += n }

// FindCall searches for a call in a run, in the one that it continues, and in the latest runs that still have an active sub-agent.
func (o *Open) FindCall(r *Run, id string) *Call {
	if c := r.Calls.Get(id); c != nil {
		return c
	}
	if before := r.Continues.Calls; before != nil {
		if c := before.Get(id); c != nil {
			return c
		}
	}
	for i, searched := len(o.busy)-1, 0; i >= 0 && searched < maxSearchedRuns; i, searched = i-1, searched+1 {
		if c := o.busy[i].Calls.Get(id); c != nil {
			return c
		}
	}
	return nil
}

// Restamp sets the time of everything open that has a guessed time and was not exported. r is the current run.
func (o *Open) Restamp(r *Run, m clock.Moment) {
	r.Top.restamp(m)
	for _, a := range o.agents {
		a.restamp(m)
	}
	for _, c := range r.Calls.open {
		c.Span.Restamp(m)
		if c.Child != nil {
			c.Span.CoverAll(&c.Child.Time)
		}
		c.Caller.Cover(&c.Span.Start, &c.Span.End)
	}
	if r.First != nil {
		r.First.Span.Restamp(m)
	}
}

// AddAgent adds an active sub-agent.
func (o *Open) AddAgent(a *Agent) {
	o.agents = append(o.agents, a)
	a.Call.Caller.open.agents = append(a.Call.Caller.open.agents, a)
	if a.Run.work.agents++; a.Run.work.agents == 1 {
		o.busy = append(o.busy, a.Run)
	}
}

// RemoveAgent removes a sub-agent.
func (o *Open) RemoveAgent(a *Agent) {
	remove(&o.agents, a)
	remove(&a.Call.Caller.open.agents, a)
	if a.Run.work.agents--; a.Run.work.agents == 0 {
		remove(&o.busy, a.Run)
	}
}

// CallClosed records that a run has one open call less.
func (o *Open) CallClosed(r *Run) {
	if !r.work.late {
		return
	}
	if o.lateCalls--; len(r.Calls.open) == 0 {
		r.work.late = false
		remove(&o.lingering, r)
	}
}

// DropArguments drops the arguments of a finished call.
func (o *Open) DropArguments(c *Call) { o.arguments -= c.Release() }

// InnermostFirst lists the active sub-agents, children before their parents, so that spans close from the leaves up.
func (o *Open) InnermostFirst() []*Agent {
	list := slices.Clone(o.agents)
	slices.SortStableFunc(list, func(x, y *Agent) int { return cmp.Compare(y.Depth, x.Depth) })
	return list
}

// maxSearchedRuns bounds the search for a call, so that the cost of a line does not grow with the number of runs in the background.
const maxSearchedRuns = 64
