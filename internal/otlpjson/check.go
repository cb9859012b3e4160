package otlpjson

import (
	"fmt"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// ProblemKind is a kind of defect in the structure of a trace.
type ProblemKind string

// The problems that [Check] finds.
const (
	// ProblemNoTraceID is a span without a trace ID.
	ProblemNoTraceID ProblemKind = "no_trace_id"
	// ProblemNoSpanID is a span without an ID.
	ProblemNoSpanID ProblemKind = "no_span_id"
	// ProblemDuplicate is a span ID that occurs again in its trace.
	ProblemDuplicate ProblemKind = "duplicate_span_id"
	// ProblemMissingParent is a parent that is not in the trace.
	ProblemMissingParent ProblemKind = "missing_parent"
	// ProblemCircle is a span that is its own ancestor.
	ProblemCircle ProblemKind = "circle"
	// ProblemNoRoot is a trace in which every span has a parent.
	ProblemNoRoot ProblemKind = "no_root"
	// ProblemManyRoots is a second span without a parent, unless both are runs of one session: see [Check].
	ProblemManyRoots ProblemKind = "many_roots"
	// ProblemBackwards is a span that ends before it starts.
	ProblemBackwards ProblemKind = "ends_before_start"
	// ProblemOutside is a span that starts before its parent or ends after it, and is not marked as background.
	ProblemOutside ProblemKind = "outside_parent"
	// ProblemUsageTwice is an agent whose own span and model calls together carry more tokens than it used.
	ProblemUsageTwice ProblemKind = "usage_twice"
	// ProblemTotal is a run whose total differs from the sum of its spans and is not marked as incomplete, or exceeds that sum.
	ProblemTotal ProblemKind = "wrong_total"
	// ProblemPlaceholder is an agent whose model calls all have the same few output tokens, and not all of its output.
	ProblemPlaceholder ProblemKind = "placeholder"
	// ProblemNoOutcome is the span of an agent without the outcome of the agent.
	ProblemNoOutcome ProblemKind = "no_outcome"
	// ProblemUnproven is a run, step or pipeline that claims a success without evidence.
	ProblemUnproven ProblemKind = "unproven_success"
)

// Problem is one defect. IDs are hexadecimal; SpanID and Name are empty if it concerns the whole trace.
type Problem struct {
	Kind    ProblemKind
	TraceID string
	SpanID  string
	Name    string
}

// String returns one readable line.
func (p Problem) String() string {
	if p.SpanID == "" && p.Name == "" {
		return fmt.Sprintf("%s: trace %s", p.Kind, p.TraceID)
	}
	return fmt.Sprintf("%s: trace %s span %s %q", p.Kind, p.TraceID, p.SpanID, p.Name)
}

// Check checks the structure of the traces that all requests together form: every parent is in the trace of its child, each
// trace has one root and no cycle, no ID occurs twice, no span ends before it starts, a span is within its parent unless it
// continues in the background, and each token is on one span. Each agent has an outcome, and no success is claimed without
// evidence: a run that is ok neither failed nor was abandoned, and a step or pipeline that succeeded has no other runs below
// it. Check returns nil if it finds no problem.
//
// The runs of one session may share a trace (the receiver's setting trace: session). A trace may therefore have several roots
// if every one of them is a run, an invoke_agent span with its own run key, and all have the same conversation. Each of their
// trees must be complete, like a single one.
//
// A trace may have one parent span from elsewhere, by TRACEPARENT, that is in no export of ours: see [Outers].
func Check(requests ...ptrace.Traces) []Problem {
	var problems []Problem
	for _, t := range gather(requests) {
		problems = append(problems, t.check()...)
	}
	return problems
}

func (t *trace) check() (problems []Problem) {
	report := func(kind ProblemKind, s *span) {
		p := Problem{Kind: kind, TraceID: t.id.String()}
		if s != nil {
			p.SpanID, p.Name = s.SpanID().String(), s.Name()
		}
		problems = append(problems, p)
	}
	if t.id.IsEmpty() {
		report(ProblemNoTraceID, nil)
	}
	outer := t.outer()
	var roots []*span
	for _, s := range t.spans {
		if s.SpanID().IsEmpty() {
			report(ProblemNoSpanID, s)
		}
		for range s.copies {
			report(ProblemDuplicate, s)
		}
		if s.EndTimestamp() < s.StartTimestamp() {
			report(ProblemBackwards, s)
		}
		if s.lacksOutcome() {
			report(ProblemNoOutcome, s)
		}
		switch {
		case s.ParentSpanID().IsEmpty():
			if roots = append(roots, s); !s.goesWith(roots[:len(roots)-1]) {
				report(ProblemManyRoots, s)
			}
		case s.parent == nil:
			if outer.IsEmpty() {
				report(ProblemMissingParent, s)
			}
		case s.inCircle():
			report(ProblemCircle, s)
		case s.outsideParent():
			report(ProblemOutside, s)
		}
	}
	if len(roots) == 0 && outer.IsEmpty() {
		report(ProblemNoRoot, nil)
	}
	t.checkUsage(report)
	for _, s := range t.unproven() {
		report(ProblemUnproven, s)
	}
	return problems
}

// goesWith reports whether s may be a root beside others: all are runs of one conversation, and none is the same run as s.
func (s *span) goesWith(others []*span) bool {
	for _, other := range others {
		key, conversation := s.runKey(), text(s.Attributes(), attrConversation)
		switch {
		case s.operation() != operationAgent || other.operation() != operationAgent:
			return false
		case conversation == "" || conversation != text(other.Attributes(), attrConversation):
			return false
		case key == "" || other.runKey() == "" || key == other.runKey():
			return false
		}
	}
	return true
}

// inCircle reports whether s is its own ancestor. A span that is only below a cycle is not.
func (s *span) inCircle() bool {
	top := s
	for p := range s.above {
		top = p
	}
	return top.parent == s
}

func (s *span) outsideParent() bool {
	if s.background() {
		return false
	}
	return s.StartTimestamp() < s.parent.StartTimestamp() || s.EndTimestamp() > s.parent.EndTimestamp()
}

// The attributes for how runs, steps and pipelines ended, and their values for success.
const (
	attrOutcome        = "tailspan.run.outcome"
	attrCloseReason    = "tailspan.close.reason"
	attrPipelineResult = "cicd.pipeline.result"
	attrTaskResult     = "cicd.pipeline.task.run.result"

	outcomeOK     = "ok"
	resultSuccess = "success"
)

// lacksOutcome reports whether s is the span of an agent, as written by tailspan, without the outcome of the agent.
func (s *span) lacksOutcome() bool {
	return s.operation() == operationAgent && text(s.Attributes(), attrCloseReason) != "" && text(s.Attributes(), attrOutcome) == ""
}

// unproven returns the spans that claim a success without evidence: a run that failed, or whose input only stopped; a step or
// pipeline above a run that did not succeed.
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
			continue // a background run ended after the span above it was exported
		}
		for above := range s.above {
			if above.operation() == operationAgent {
				break // a sub-agent may fail in a successful run
			}
			if text(above.Attributes(), attrTaskResult) == resultSuccess || text(above.Attributes(), attrPipelineResult) == resultSuccess {
				add(above)
			}
		}
	}
	return list
}

// endedWell reports whether a run closed for the given reason can have succeeded.
func endedWell(reason string) bool { return reason == "result" || reason == "superseded" }
