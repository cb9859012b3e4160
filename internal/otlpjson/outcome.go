package otlpjson

import "go.opentelemetry.io/collector/pdata/ptrace"

// The attributes that say how runs, steps and pipelines ended, and their words for success.
const (
	attrOutcome        = "tailspan.run.outcome"
	attrCloseReason    = "tailspan.close.reason"
	attrPipelineResult = "cicd.pipeline.result"
	attrTaskResult     = "cicd.pipeline.task.run.result"

	outcomeOK     = "ok"
	resultSuccess = "success"
)

// lacksOutcome reports whether s is the span of an agent, as tailspan writes it, that does not say how the agent ended.
func (s *span) lacksOutcome() bool {
	return s.operation() == operationAgent && text(s.Attributes(), attrCloseReason) != "" && text(s.Attributes(), attrOutcome) == ""
}

// unproven lists the spans that claim a success which nothing shows: a run that failed, or whose input only stopped; a step or
// pipeline above a run that is no success.
func (t *trace) unproven() (list []*span) {
	seen := map[*span]bool{}
	add := func(s *span) {
		if !seen[s] {
			seen[s] = true
			list = append(list, s)
		}
	}
	for _, s := range t.spans {
		outcome := text(s.Attributes(), attrOutcome)
		if s.operation() != operationAgent || outcome == "" {
			continue
		}
		if outcome == outcomeOK && (s.Status().Code() == ptrace.StatusCodeError || !endedWell(text(s.Attributes(), attrCloseReason))) {
			add(s)
		}
		if outcome == outcomeOK || s.background() {
			continue // one in the background ended after the span above it was exported
		}
		for above := range s.above {
			if above.operation() == operationAgent {
				break // a sub-agent may fail in a run that ends well
			}
			if text(above.Attributes(), attrTaskResult) == resultSuccess || text(above.Attributes(), attrPipelineResult) == resultSuccess {
				add(above)
			}
		}
	}
	return list
}

// endedWell reports whether a run can have ended well that was closed for reason.
func endedWell(reason string) bool { return reason == "result" || reason == "superseded" }
