package report

import (
	"strings"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/verdict"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/outcome"
)

// judge gathers the facts for the verdict on a run.
type judge struct {
	facts  verdict.Facts
	atWork time.Time
}

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

func (j *judge) call(call *Call) {
	j.facts.Calls++
	if call.ErrorType == otlp.ErrorTypeDenied {
		j.facts.Refused.Add(call.Tool)
	}
	switch call.Closed {
	case otlp.CloseReasonResult, otlp.CloseReasonSuperseded, otlp.CloseReasonEvicted:
		return
	}
	if !call.Start.Before(j.atWork) { // the innermost began last
		tool := events.Tool{Target: call.Target}
		j.atWork, j.facts.AtWork = call.Start, verdict.Call{Tool: call.Tool, Arg: tool.Arg()}
	}
}
