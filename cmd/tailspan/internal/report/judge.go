package report

import (
	"strings"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/verdict"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/outcome"
)

// judge gathers the facts for the verdict on a run.
type judge struct{ facts verdict.Facts }

func newJudge(r *Run) *judge {
	worst := outcome.Verdict{Outcome: r.Outcome, Reason: r.Closed, Message: r.Problem}
	if r.Outcome == events.OutcomeError {
		worst.Cause = events.Cause(r.ErrorType)
	}
	return &judge{facts: verdict.Facts{Worst: worst}}
}

func (j *judge) text(item *Item) {
	if item.Compaction && !item.Synthetic {
		j.facts.Compactions++
	}
	if item.Kind == events.KindText && !item.Synthetic && strings.TrimSpace(item.Text.Text) != "" {
		j.facts.Words++
	}
}

func (j *judge) call(c *Call) {
	j.facts.Ended(verdict.EndedCall{Tool: c.Tool, Target: c.Target, Start: c.Start, Reason: c.Closed, ErrorType: c.ErrorType})
}
