package watch

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/verdict"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render"
)

// working returns the figures of an agent of a running run.
func (v *View) working(r *Run, a *Agent) (left, right string) {
	var b strings.Builder
	if a.Depth > 0 {
		b.WriteString(strings.Repeat("  ", a.Depth))
		b.WriteString("└ ")
	}
	b.WriteString(v.sign(a))
	b.WriteString(" ")
	if a.Depth == 0 {
		b.WriteString(bold(join(" ", r.Service, r.Project)))
	} else {
		b.WriteString(a.title())
	}
	b.WriteString("  ")
	b.WriteString(v.doing(a))
	end := v.Now
	if !a.Ended.IsZero() {
		end = a.Ended
	}
	return b.String(), v.figures(a, render.ShortDuration(since(a.Started, end).Truncate(time.Second)))
}

// recent returns the figures of a run that has ended.
func (v *View) recent(r *Run) (left, right string) {
	a := r.Top()
	text := r.Verdict.Reason
	if text == "" {
		text = a.Title
	}
	left = fmt.Sprintf("%s %s %s  %s", verdictSign(&r.Verdict), pad(r.Verdict.Kind.String(), 10), bold(join(" ", r.Service, r.Project)), faint(text))
	return left, v.figures(a, render.Ago(since(a.Ended, v.Now)))
}

// narrow is the width below which only the first figure of a row is shown.
const narrow = 60

// figures returns the right part of a row.
func (v *View) figures(a *Agent, first string) string {
	s := padLeft(first, 8)
	if v.Width < narrow {
		return s
	}
	tokens := ""
	if a.Tokens > 0 {
		tokens = render.ShortCount(a.Tokens)
	}
	return s + padLeft(tokens, 8) + padLeft(a.Cost, 10)
}

// spread puts the two parts of a row at the ends of a line.
func (v *View) spread(left, right string) string {
	if right == "" {
		return fit(left, v.Width)
	}
	room := v.Width - cells(right) - 1
	return fit(pad(fit(left, room), room)+" "+right, v.Width)
}

// quiet is how long an agent must be silent before that is shown.
const quiet = time.Minute

// doing describes what an agent is doing, or how it ended.
func (v *View) doing(a *Agent) string {
	if !a.Ended.IsZero() {
		return faint(join(": ", a.Outcome.String(), a.Error))
	}
	text := a.Waiting
	if text == "" {
		if text = "thinking"; a.Saying {
			text = "said: " + events.Summary(a.Text[strings.LastIndexByte(a.Text, '\n')+1:])
		}
		for i := range slices.Backward(a.Calls) {
			if a.Calls[i].State == CallRuns {
				text = a.Calls[i].Fit(max(16, v.Width/2))
				break
			}
		}
	}
	if silent := since(a.Last, v.Now); silent >= quiet {
		text = yellow("quiet for "+render.CoarseDuration(silent)) + " · " + text
	}
	return text
}

// sign returns the sign of an agent.
func (v *View) sign(a *Agent) string {
	switch {
	case a.Ended.IsZero() && (a.Waiting != "" || since(a.Last, v.Now) >= quiet):
		return yellow("●")
	case a.Ended.IsZero():
		return green("●")
	case a.Outcome == events.OutcomeOK:
		return faint("✓")
	case a.Outcome.Failed():
		return red("✗")
	}
	return yellow("■")
}

// verdictSign returns the sign of a run that has ended.
func verdictSign(v *verdict.Verdict) string {
	switch v.Kind {
	case verdict.KindOK:
		return green("✓")
	case verdict.KindError:
		return red("✗")
	}
	return yellow("■")
}

// title returns the name of a sub-agent.
func (a *Agent) title() string {
	if a.Name != "" {
		return a.Name
	}
	return join(" ", "sub-agent", short(a.ID))
}

// shortID is how much of an ID is shown, in bytes.
const shortID = 8

// short returns the beginning of an ID.
func short(id string) string { return strings.ToValidUTF8(id[:min(len(id), shortID)], "") }
