package work

import (
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/pending"
)

// Start is the start of a run.
type Start struct {
	Clock clock.Instant // for progress records
	Known bool          // the opening line has a time
	by    opening
}

// opening is what opened a run, as far as its start is not fixed yet; see [Run.BeginsAt].
type opening uint8

const (
	openingFixed       opening = iota // the start of the run is known, or will not change
	openingUndated                    // the opening line has no time, so the start is that of the line before
	openingHeader                     // the header of a transcript; until the first prompt
	openingModelHeader                // the same, and the header has a model
)

// OpenedBy records the event that the run begins with.
func (r *Run) OpenedBy(first *pending.Event) {
	switch header := content.IsHeader(&first.Event); {
	case header && first.Event.Model != "":
		r.Begin.by = openingModelHeader
	case header:
		r.Begin.by = openingHeader
	case first.At.Source == clock.SourceCarried && !first.At.Ahead:
		r.Begin.by = openingUndated
	}
}

// byHeader reports whether the header of a transcript opened the run, and no prompt followed it yet.
func (o opening) byHeader() bool { return o >= openingHeader }

// Continuation is a run that another may continue, and whether it does.
type Continuation struct {
	Of    *link.Run // the closed run before it in its session, or the one which that continued; nil if there is none
	Shown bool
	Calls *Calls // of the run before it, if it continues that: sub-agents may still work for them
}

// Opens reports whether ev begins a new run while r is the current one, or nil.
//
// A run ends with its result. In formats without result lines (transcripts), the next prompt ends it, and if the
// process died, the next start line does. The stream of a sub-agent has one run. An event that is no sign of new work,
// such as a notice of a background task, belongs to the previous run.
func (r *Run) Opens(ev *events.DisplayEvent) bool {
	if r == nil {
		return !content.CostAlone(ev) // the cost is that of earlier runs
	}
	if ev.ParentID != "" {
		return false
	}
	if r.SubAgent {
		return r.opensTask(ev) // anything else after its span was closed is late, not new work
	}
	switch ev.Kind {
	case events.KindSessionStarted:
		return content.StartsSession(ev) && (r.Closed || r.Shape.Start || r.Shape.Message || !r.Begin.by.byHeader() && r.isOfOther(ev))
	case events.KindPrompt:
		return !ev.Synthetic && (r.Closed || r.Shape.Message && !r.Shape.Start && !r.Shape.Turns)
	case events.KindTurnStarted:
		return r.Closed || r.Shape.Message
	case events.KindText, events.KindReasoning, events.KindToolUse:
		return r.Closed
	case events.KindUsage, events.KindNotice:
		// An answer without other content, such as one that was filtered.
		return r.Closed && (ev.MessageID != "" && ev.MessageID != r.LastMessage || r.Closing.Abandoned && content.HasTokens(ev))
	case events.KindSessionEnded:
		// A second end: a call that failed before it said anything.
		return r.Closed && r.End.By == events.KindSessionEnded
	default:
		return false
	}
}

// isOfOther reports whether ev is of another session than the run.
func (r *Run) isOfOther(ev *events.DisplayEvent) bool {
	return r.SessionID != "" && ev.SessionID != "" && ev.SessionID != r.SessionID
}

// opensTask reports whether an event begins a further task of the sub-agent that works in the stream.
func (r *Run) opensTask(ev *events.DisplayEvent) bool {
	switch ev.Kind {
	case events.KindTurnStarted:
		return r.End.Line != nil
	case events.KindPrompt:
		return !ev.Synthetic && !r.Shape.Turns && r.Shape.Message && r.Signs.ShowEnd()
	default:
		return false
	}
}

// BeginsAt moves the start of a run whose opening line has no time, and which therefore starts with the previous run's
// time, to the first time in its own lines, and the start of a run that the header of a transcript opened to the first line after the
// header: idle time before a prompt belongs to no run. A header with a model was written for the prompt and belongs to the run,
// unless the prompt came later than grace after it.
func (r *Run) BeginsAt(ev *events.DisplayEvent, at clock.Moment, grace time.Duration) {
	if r.Begin.by == openingFixed || at.Source != clock.SourceLine || r.Begin.by.byHeader() && (content.IsHeader(ev) || content.IsAside(ev)) {
		return
	}
	top := r.Top
	forPrompt := r.Begin.by == openingModelHeader && at.At.Sub(top.Time.Start.At) < grace
	r.Begin.by = openingFixed
	if forPrompt {
		return
	}
	if top.Closed || top.Inside.Start.Known() || top.Chat != nil || r.First != nil {
		return
	}
	carried := top.Time.Start.Source == clock.SourceCarried // possibly by a clock that was set back since
	if carried || top.Time.Start.At.Before(at.At) {
		top.Time = clock.Interval{Start: at, End: at} // the line with the time may belong to another account and extend nothing
	}
	if last := top.Thread.LastInput; last.Known() && (carried || last.At.Before(at.At)) {
		top.Thread.LastInput = at
	}
}

// ContinuedBy returns the continuation of a run that begins with ev: it continues the closed run before it if it begins
// without a prompt, turn or session, or if its end shows this (events.End.Continues).
func (r *Run) ContinuedBy(ev *events.DisplayEvent, session string) Continuation {
	if r == nil || !r.Closed || r.SessionID != session || !r.Exports() {
		return Continuation{}
	}
	c := Continuation{Of: r.Ref}
	if r.Continues.Shown {
		c = Continuation{Of: r.Continues.Of, Shown: true}
	}
	switch ev.Kind {
	case events.KindPrompt, events.KindSessionStarted, events.KindTurnStarted, events.KindSessionEnded:
		c.Shown = false
	default:
		c.Shown = true
	}
	return c
}

// WaitsForFirst reports whether the run is a second account that was opened before the first one ended. Its events stay
// pending. Those that exceed the limits are dropped, because the first account most likely has them.
func (r *Run) WaitsForFirst() bool {
	if r == nil || !r.IsJoined() || r.Late {
		return false
	}
	r.Late = r.Account.Over()
	return !r.Late
}
