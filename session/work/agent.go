package work

import (
	"slices"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/ledger"
	"github.com/tailspan/tailspan/session/modelcall"
	"github.com/tailspan/tailspan/session/twin"
)

// Agent is an open invoke_agent span: the run's own agent, or a sub-agent below the call that started it.
type Agent struct {
	Run *Run
	Parentage
	ToolCounts
	SpanID     otlp.SpanID
	Name       string
	ID         string // the provider's ID of a sub-agent
	Time       clock.Interval
	Inside     clock.Interval // time of everything exported below it
	Thread     modelcall.Thread
	Chat       *Chat
	open       atWork // the open items that it started
	Ledger     ledger.Ledger
	Background bool             // the format reports that its work continues after the call
	Detached   bool             // its call, or that call's agent, was over at its first sign
	Account    *account.Account // of a sub-agent whose first account is in this stream
	Role       Role
	Closed     bool
}

// Parentage is the position of an agent's span.
type Parentage struct {
	Call   *Call // nil for the run's own agent
	Depth  int   // number of sub-agents between it and the run
	Parent otlp.SpanID
	// UnknownParent is the call that started it if no stream exports that call.
	UnknownParent string
}

// Role is what a stream exports of a sub-agent.
type Role uint8

const (
	roleOwn       Role = iota
	RoleJoined         // another stream exports its span, and this stream its additional content
	RoleDuplicate      // another stream exports it
)

// ActiveAgents returns a copy of the list of active sub-agents below the agent.
func (a *Agent) ActiveAgents() []*Agent { return slices.Clone(a.open.agents) }

// OpenCalls returns a copy of the list of the agent's open calls.
func (a *Agent) OpenCalls() []*Call { return slices.Clone(a.open.calls) }

// CallMade counts a call of the agent and of the run.
func (a *Agent) CallMade() {
	if !a.Closed { // otherwise its span, which may be waiting, has the count of that time
		a.ToolCalls++
	}
	if !a.Run.Closed {
		a.Run.ToolCalls++
	}
}

// CallFailed counts a failed call of the agent and of the run.
func (a *Agent) CallFailed() {
	if !a.Closed {
		a.ToolErrors++
	}
	if !a.Run.Closed {
		a.Run.ToolErrors++
	}
}

// Exports reports whether this stream, and no other account, exports the agent's work.
func (a *Agent) Exports() bool { return a.Run.Exports() && a.Role != RoleDuplicate }

// IsJoined reports whether another stream has the first account of the run, or of the sub-agent.
func (a *Agent) IsJoined() bool { return a.Run.IsJoined() || a.Role == RoleJoined }

// Span returns the agent's span.
func (a *Agent) Span() otlp.SpanRef { return otlp.SpanRef{Trace: a.Run.TraceID, Span: a.SpanID} }

// Cover extends the agent's span to start and end, and the enclosing spans with it, so that children lie inside their
// parents. Closed spans were exported and do not change; nor does the call of a sub-agent in the background.
func (a *Agent) Cover(start, end *clock.Moment) {
	for at := a; !at.Closed; {
		at.Time.Cover(start)
		at.Time.Cover(end)
		if at.Call == nil || at.Background || at.Detached || at.Call.Closed() {
			return
		}
		at.Call.Span.Cover(start)
		at.Call.Span.Cover(end)
		at = at.Call.Caller
	}
}

// CoverDuration extends the agent's span to the reported duration of its background work.
func (a *Agent) CoverDuration(reported time.Duration) {
	if end := a.Time.Start.At.Add(reported); reported > 0 && events.PlausibleDuration(reported) && end.After(a.Time.End.At) {
		a.Time.End = clock.Moment{At: end, Source: clock.DurationFrom(a.Time.Start)}
	}
}

// OutlivesCall reports whether the agent's work is, or may be, outside of its call: a call whose agent is over is cut
// to the agent's time.
func (a *Agent) OutlivesCall() bool {
	switch {
	case a.Call == nil:
		return false
	case a.Detached && a.Call.Caller.Closed:
		return true
	default:
		return a.Call.Closed() && !a.Call.Span.Contains(a.Time)
	}
}

// InBackground reports whether the agent continues after its run: it, or an agent that it works for, was moved to the
// background.
func (a *Agent) InBackground() bool {
	for at := a; at.Call != nil; at = at.Call.Caller {
		if at.Background || at.Detached {
			return true
		}
	}
	return false
}

// WordingOf returns the wording of the agent's model call if ev is part of that, else a new one.
func (a *Agent) WordingOf(ev *events.DisplayEvent) *twin.Wording {
	if !a.Chat.Is(ev) {
		return &twin.Wording{}
	}
	if a.Chat.Wording == nil {
		a.Chat.Wording = &twin.Wording{}
	}
	return a.Chat.Wording
}

func (a *Agent) restamp(m clock.Moment) {
	a.Time.Restamp(m)
	a.Time.CoverAll(&a.Inside)
	a.Thread.LastInput.Restamp(m)
	if a.Chat != nil {
		a.Chat.Span.Restamp(m)
	}
}

// LacksCall records that the first account lacks the output of a model call, or that another account exported it.
func (a *Agent) LacksCall(c *Chat) {
	switch r := a.Run; {
	case r.Standing != account.First:
	case !r.IsChild():
		r.Ref.Team.Calls.Lack(c.known())
	case !c.LacksOutput(): // it is in the stream of its run, which does not name it (Claude Code 2.0.50)
		tokens, _ := c.Tokens()
		a.Ledger.AddExportedElsewhere(c.Model, tokens)
	}
}

// ToolCounts counts the calls of an agent or a run, and the failed ones.
type ToolCounts struct{ ToolCalls, ToolErrors int }
