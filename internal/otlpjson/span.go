package otlpjson

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// The attributes that are read here, by their keys in the data.
const (
	attrService      = "service.name"
	attrOperation    = "gen_ai.operation.name"
	attrConversation = "gen_ai.conversation.id"
	attrTool         = "gen_ai.tool.name"
	attrModel        = "gen_ai.request.model"
	attrAnswerModel  = "gen_ai.response.model"
	attrInput        = "gen_ai.usage.input_tokens"
	attrOutput       = "gen_ai.usage.output_tokens"
	attrTotalInput   = "tailspan.usage.input_tokens"
	attrTotalOutput  = "tailspan.usage.output_tokens"
	attrIncomplete   = "tailspan.usage.incomplete"
	attrUnlinked     = "tailspan.parent.unknown"
	attrBackground   = "tailspan.background"
	attrRunKey       = "tailspan.run.key"
	attrPipeline     = "cicd.pipeline.name"
	attrTask         = "cicd.pipeline.task.name"
)

// The operations of agent spans.
const (
	operationAgent = "invoke_agent"
	operationChat  = "chat"
	operationTool  = "execute_tool"
)

// span is a span with its resource and its place in the trace.
type span struct {
	ptrace.Span
	service string
	parent  *span
	// copies counts further spans with the same ID in the trace.
	copies int
}

// trace is all spans of one trace ID, in the order they were seen.
type trace struct {
	id    pcommon.TraceID
	spans []*span
	byID  map[pcommon.SpanID]*span
}

// gather groups spans by trace, in the order the traces were first seen, and links them to their parents. If spans share an
// ID, the first is the parent of the children.
func gather(requests []ptrace.Traces) []*trace {
	var order []*trace
	traces := map[pcommon.TraceID]*trace{}
	for _, request := range requests {
		for _, resource := range request.ResourceSpans().All() {
			service := text(resource.Resource().Attributes(), attrService)
			for _, scope := range resource.ScopeSpans().All() {
				for _, s := range scope.Spans().All() {
					t := traces[s.TraceID()]
					if t == nil {
						t = &trace{id: s.TraceID(), byID: map[pcommon.SpanID]*span{}}
						traces[s.TraceID()] = t
						order = append(order, t)
					}
					t.add(&span{Span: s, service: service})
				}
			}
		}
	}
	for _, t := range order {
		for _, s := range t.spans {
			if !s.ParentSpanID().IsEmpty() {
				s.parent = t.byID[s.ParentSpanID()]
			}
		}
	}
	return order
}

func (t *trace) add(s *span) {
	if first := t.byID[s.SpanID()]; first != nil {
		first.copies++
		return
	}
	t.byID[s.SpanID()] = s
	t.spans = append(t.spans, s)
}

// above walks from the parent of s to the root. A cycle of parents ends the walk after one turn.
func (s *span) above(yield func(*span) bool) {
	seen := map[*span]bool{s: true}
	for p := s.parent; p != nil && !seen[p]; p = p.parent {
		seen[p] = true
		if !yield(p) {
			return
		}
	}
}

// agent returns the agent that a span belongs to, or nil if there is none above it.
func (s *span) agent() *span {
	for p := range s.above {
		if p.operation() == operationAgent {
			return p
		}
	}
	return nil
}

func (s *span) operation() string { return text(s.Attributes(), attrOperation) }

func (s *span) runKey() string { return text(s.Attributes(), attrRunKey) }

func (s *span) failed() bool { return s.Status().Code() == ptrace.StatusCodeError }

// conversation returns the session of s: its own attribute, or that of the nearest span above it.
func (s *span) conversation() string {
	if id := text(s.Attributes(), attrConversation); id != "" {
		return id
	}
	for p := range s.above {
		if id := text(p.Attributes(), attrConversation); id != "" {
			return id
		}
	}
	return ""
}

// isRun reports whether s is an agent that was started from outside, not a sub-agent below one.
func (s *span) isRun() bool {
	for p := range s.above {
		if p.operation() == operationAgent {
			return false
		}
	}
	return s.operation() == operationAgent
}

// model returns the model that answered, or else the one requested.
func (s *span) model() string {
	if model := text(s.Attributes(), attrAnswerModel); model != "" {
		return model
	}
	return text(s.Attributes(), attrModel)
}

func (s *span) tokens() Tokens {
	return Tokens{Input: number(s.Attributes(), attrInput), Output: number(s.Attributes(), attrOutput)}
}

// unlinked reports whether s may have arrived after the total of its run was computed: a sub-agent whose call was not seen,
// background work, or what a second account of the run added.
func (s *span) unlinked() bool {
	return s.background() || s.operation() == operationAgent && text(s.Attributes(), attrUnlinked) != ""
}

// total returns what the agent used, including its sub-agents.
func (s *span) total() Tokens {
	return Tokens{Input: number(s.Attributes(), attrTotalInput), Output: number(s.Attributes(), attrTotalOutput)}
}

func (s *span) background() bool { return s.has(attrBackground) }

// has reports whether the boolean attribute mark is true.
func (s *span) has(mark string) bool {
	v, ok := s.Attributes().Get(mark)
	return ok && v.Bool()
}

func text(attributes pcommon.Map, key string) string {
	if v, ok := attributes.Get(key); ok {
		return v.AsString()
	}
	return ""
}

func number(attributes pcommon.Map, key string) int64 {
	if v, ok := attributes.Get(key); ok {
		return v.Int()
	}
	return 0
}
