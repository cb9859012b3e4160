package work

import (
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/team"
)

// Run is the time from a prompt (or start line) to its result: one invoke_agent span at the top and everything below it.
type Run struct {
	Identity
	Place
	Links
	ToolCounts // of all agents of the run in this stream
	MainThread
	Resource   *otlp.Resource
	Top        *Agent
	Others     *Agent // represents sub-agents whose work another stream exports
	Calls      Calls
	work       runWork
	Signs      outcome.Signs // what its last events show of its end
	Continues  Continuation
	Begin      Start
	Course     clock.Course
	Shape      Shape
	End        Ending
	InPipeline bool
	Closed     bool
	Closing    Closing
}

// Place is the run's position among its accounts.
type Place struct {
	Standing  account.Standing
	Account   *account.Account // the run's first account
	TwinCalls memory.Counter   // counts its calls by what twins have in common
	// OverAgents are finished sub-agents whose first account is in this stream; other accounts of them wait for the run.
	OverAgents []*Agent
	Late       bool // a second account of a finished run: what the first lacks is exported
}

// Links connects a run with runs in other streams: the sub-agents that it starts, and the one whose work it is.
type Links struct {
	Ref      *link.Run // what sub-agents in separate streams need to know
	ChildKey link.Key  // the sub-agent whose work the run is
	Orphan   string    // its ID if its parent was not found
	// SubAgent is set if this is a sub-agent's work: one task, whose prompt need not be its first line (Claude Code 2.1.30).
	SubAgent bool
}

// MainThread is the progress of a run's main thread.
type MainThread struct {
	First       *Chat  // the first model call, if it waits for the run's end
	Chats       int    // finished model calls
	LastMessage string // the last model message
	Turn        string // the last announced turn ID
}

// Shape records which format-dependent elements a run has.
type Shape struct {
	Start   bool // a start line: the stream has starts and results
	Turns   bool // the format marks turns, so a prompt within a turn begins nothing
	Message bool // the model said something
}

// IsJoined reports whether the run is a second account whose spans are children of the first account's run.
func (r *Place) IsJoined() bool { return r.Standing.IsJoined() }

// IsCopy reports whether the run is copied history of another session.
func (r *Place) IsCopy() bool { return r.Standing.IsCopy() }

// AdoptsNobody reports whether the run cannot be a parent of sub-agents: it is unknown whether another stream exports
// it, or it is not a run of this session.
func (r *Place) AdoptsNobody() bool { return r.IsCopy() || r.Standing == account.Orphan }

// Exports reports whether any part of the run is exported.
func (r *Place) Exports() bool { return r.Standing == account.First || r.Late }

// Elsewhere returns the agent that represents sub-agents whose work another stream exports and whose call was not seen
// here. None of its work is exported from here.
func (r *Run) Elsewhere() *Agent {
	if r.Others == nil {
		r.Others = &Agent{Run: r, Role: RoleDuplicate}
	}
	return r.Others
}

// Outside reports whether a span of a second account is not within the exported span of the first account above it.
func (r *Run) Outside(a *Agent, i *clock.Interval) bool {
	if !r.IsJoined() {
		return a.Role == RoleJoined
	}
	over := r.Account.Run().Span()
	return a.Call != nil || over == nil || !over.Contains(*i)
}

// IsChild reports whether the run is a sub-agent's task in a separate stream.
func (r *Run) IsChild() bool { return r != nil && !r.ChildKey.IsZero() }

// ExportsCall records that the span of a model call is exported.
func (r *Run) ExportsCall(c *Chat) {
	if r.Standing == account.First && !r.IsChild() {
		r.Ref.Team.Calls.Export(c.known())
	}
}

// TakeCalls updates the ledger of a run with what other accounts report of its model calls. total is true if the run's span is
// made with it.
func (r *Run) TakeCalls(total bool) {
	if r.IsChild() || r.IsJoined() || r.Ref == nil {
		return
	}
	r.Top.Ledger.Added = r.Ref.Team.Calls.Found(total, func(part team.ModelCall, whole bool) {
		r.Top.Ledger.AddMissing(part.Model, part.Tokens, part.Exported, whole)
	})
}

// PlaceAt returns the time of an event that is not applied yet by the clock with which the run, or nil, began.
func (r *Run) PlaceAt(at clock.Moment) clock.Moment {
	if r == nil || r.Course.Straight(at) {
		return at
	}
	return r.Course.Place(at, r.Top.Time.Start)
}
