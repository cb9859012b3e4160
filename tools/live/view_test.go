package live

import (
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// spanView is one span with its descendants.
type spanView struct {
	ptrace.Span
	parent   *spanView
	children []*spanView
}

type spanKey struct {
	trace pcommon.TraceID
	span  pcommon.SpanID
}

// runsOf returns the runs of an export by start time: the invoke_agent spans without an agent above them and without a lost parent.
func runsOf(traces []ptrace.Traces) (runs []*spanView) {
	byID := map[spanKey]*spanView{}
	for _, td := range traces {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					byID[spanKey{span.TraceID(), span.SpanID()}] = &spanView{Span: span}
				}
			}
		}
	}
	for _, s := range byID {
		if s.parent = byID[spanKey{s.TraceID(), s.ParentSpanID()}]; s.parent != nil {
			s.parent.children = append(s.parent.children, s)
		}
	}
	for _, s := range byID {
		if s.operation() == "invoke_agent" && s.agent() == nil {
			runs = append(runs, s)
		}
	}
	slices.SortFunc(runs, func(a, b *spanView) int { return int(a.StartTimestamp()) - int(b.StartTimestamp()) })
	return runs
}

func (s *spanView) text(key string) string {
	if v, ok := s.Attributes().Get(key); ok {
		return v.AsString()
	}
	return ""
}

func (s *spanView) number(key string) int {
	if v, ok := s.Attributes().Get(key); ok {
		return int(v.Int())
	}
	return 0
}

func (s *spanView) operation() string { return s.text("gen_ai.operation.name") }

// agent returns the nearest invoke_agent span above.
func (s *spanView) agent() *spanView {
	for p := s.parent; p != nil; p = p.parent {
		if p.operation() == "invoke_agent" {
			return p
		}
	}
	return nil
}

// below returns the spans of an operation in the tree.
func (s *spanView) below(operation string) (list []*spanView) {
	if s.operation() == operation {
		list = append(list, s)
	}
	for _, child := range s.children {
		list = append(list, child.below(operation)...)
	}
	return list
}

// sum adds up a number over the tree.
func (s *spanView) sum(key string) int {
	n := s.number(key)
	for _, child := range s.children {
		n += child.sum(key)
	}
	return n
}

func (s *spanView) end() time.Time   { return s.EndTimestamp().AsTime() }
func (s *spanView) start() time.Time { return s.StartTimestamp().AsTime() }
