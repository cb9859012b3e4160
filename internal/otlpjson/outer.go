package otlpjson

import (
	"fmt"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Outer is a span of someone else that a whole trace hangs under: a TRACEPARENT named it, and it is in no export of
// ours. Ids are hexadecimal.
type Outer struct {
	TraceID string
	SpanID  string
}

// String gives one line for people.
func (o Outer) String() string {
	return fmt.Sprintf("outer_parent: trace %s hangs under span %s, which is not in the export", o.TraceID, o.SpanID)
}

// Outers lists the traces that hang under a span of someone else, in the order they were first seen. [Check] accepts
// them; only its own backend knows whether that span exists.
func Outers(requests ...ptrace.Traces) []Outer {
	var outers []Outer
	for _, t := range gather(requests) {
		if id := t.outer(); !id.IsEmpty() {
			outers = append(outers, Outer{t.id.String(), id.String()})
		}
	}
	return outers
}

// outer is the one span outside the trace that all of it hangs under; empty if there is none. A span of ours in that
// place is a pipeline, a step or a run: a call or a model call there has lost the run it belongs to. A trace with a root
// of its own has no such span, since ours all hang under the one they were given.
func (t *trace) outer() (id pcommon.SpanID) {
	for _, s := range t.spans {
		switch {
		case s.ParentSpanID().IsEmpty():
			return pcommon.SpanID{}
		case s.parent != nil:
		case !s.mayBeTop(), !id.IsEmpty() && id != s.ParentSpanID():
			return pcommon.SpanID{}
		default:
			id = s.ParentSpanID()
		}
	}
	return id
}

// mayBeTop reports whether s is of a kind that begins a trace where nobody else did.
func (s *span) mayBeTop() bool {
	return s.operation() == operationAgent || text(s.Attributes(), attrPipeline) != "" || text(s.Attributes(), attrTask) != ""
}
