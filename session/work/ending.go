package work

import (
	"slices"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/pending"
)

// Ending is how a run ended according to its lines.
type Ending struct {
	Line     *events.End // nil before the end
	By       events.Kind // what closed the run, if the format marks its end
	Own      bool        // line is written by the agent, not made in its place
	LeftOpen bool        // calls had no result when the run closed
	Agents   int         // calls of sub-agents in other streams, which no line named, without a result when the run closed
}

// Closing is what is known when a run is closed and needed until its span is written.
type Closing struct {
	Late *LateEnd // set if the record of the run's end is pending
	// Exit is the exit of the process if the run was its last; nil if unknown. It is final once exitKnown is set.
	Exit      *outcome.Exit
	ExitKnown bool
	Report    Report
	// Abandoned is true if the run did not show its end and nothing followed it. It was silent, so it lasted as long as its
	// sub-agents were at work.
	Abandoned bool
	// Silent is true if a silence ended the run, or one of its sub-agents, while sub-agents were at work, which may continue.
	Silent bool
	// Other is true if the run's span waits for another account of the run; see package share.
	Other bool
}

// Report is whether the usage of a sub-agent in a separate stream was reported to its run.
type Report uint8

const (
	Unreported Report = iota
	Reported          // its work seems to be over
	Due               // it is closed, and is reported once its stream does not continue
)

// LateEnd is the record of a run's end that waits with its span.
type LateEnd struct {
	pending.Sighting       // without an event if no line of the format ends the run
	Chat             *Chat // the model call open at that time
}

// EndOf copies an end without its result, which only the record has: a run keeps its end until something follows.
func EndOf(e *events.End) *events.End {
	if e == nil {
		return nil
	}
	end := *e
	end.Result, end.Err = "", events.CutRunes(end.Err, otlp.ErrTextRunes)
	memory.Own(&end.Code, &end.Err, &end.Principle)
	return &end
}

// ShowsEnd reports whether an open run has shown its end and has no open call. It is false for a nil run.
func (r *Run) ShowsEnd() bool {
	return r != nil && !r.Closed && !r.Shape.Start && r.Signs.ShowEnd() && !r.Calls.AnyOpen()
}

// MayContinue reports whether an open run that a silence ends is a sub-agent's that may continue, or has such sub-agents.
func (r *Run) MayContinue(k *link.Child) bool {
	return r.SubAgent && !k.Over() && (k.Call != nil || !r.ShowsEnd()) || slices.ContainsFunc(r.Calls.Open(), (*Call).startsAny)
}

// IsAside reports whether an event is not work of the current run, which has shown its end.
func (r *Run) IsAside(a *Agent, ev *events.DisplayEvent) bool {
	return a == r.Top && ev.Sign == (events.Sign{}) && r.ShowsEnd() && content.ByProgram(ev)
}

// NoteTurn records how a turn of a sub-agent ended. The sub-agent's work ends with its call.
func (r *Run) NoteTurn(ev *events.DisplayEvent) {
	r.End.Line, r.End.Own = EndOf(ev.End), !ev.Synthetic
	if r.End.Line == nil {
		r.End.Line = &events.End{}
	}
}

// Unanswered returns how many calls have no result if the run ends now.
func (r *Run) Unanswered() (n int) {
	for _, c := range r.Calls.Open() {
		if !c.Caller.InBackground() && !c.Requested {
			n++
		}
	}
	return n
}

// UnnamedAgents returns the number of calls that are open, or were when the run closed, whose sub-agents have no ID. These work in
// other streams, if at all.
func (r *Run) UnnamedAgents() int {
	n := 0
	for _, c := range r.Calls.Open() {
		if c.StartsAgent() && c.AgentID == "" {
			n++
		}
	}
	return max(n, r.End.Agents)
}

// TotalsAt returns the totals of the run until at.
func (r *Run) TotalsAt(at clock.Moment) *events.Totals {
	total := r.Top.Ledger.Total()
	t := &events.Totals{ToolCalls: r.ToolCalls, ToolErrors: r.ToolErrors, Usage: total.Usage(), Incomplete: r.Top.Ledger.IsIncomplete()}
	if start := r.Top.Time.Start; start.Known() && at.Known() {
		if d := at.At.Sub(start.At); events.PlausibleDuration(d) {
			t.Elapsed = d
		}
	}
	return t
}

// Evidence returns what is known of the end of the run if it is closed for why. exit is that of its process, or nil if it is unknown.
func (r *Run) Evidence(why otlp.CloseReason, exit *outcome.Exit) *outcome.Evidence {
	e := &outcome.Evidence{Signs: r.Signs, Open: r.End.LeftOpen || r.Calls.AnyOpen(), Why: why, Exit: exit}
	if r.End.Own {
		e.End = r.End.Line
	}
	return e
}

// LacksOther reports whether a closed run still waits for its other account.
func (r *Run) LacksOther() bool { return r.Closing.Other && !r.Ref.Team.Calls.Complete() }
