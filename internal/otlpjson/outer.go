package otlpjson

import (
	"fmt"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Outer is a span from elsewhere that is the parent of a whole trace: a TRACEPARENT named it, and it is in no export of ours.
// IDs are hexadecimal.
type Outer struct {
	TraceID string
	SpanID  string
}

// String returns one readable line.
func (o Outer) String() string {
	return fmt.Sprintf("outer_parent: trace %s hangs under span %s, which is not in the export", o.TraceID, o.SpanID)
}

// Outers lists the traces whose parent is a span from elsewhere, in the order they were first seen. [Check] accepts them; only
// the backend of that span knows whether it exists.
func Outers(requests ...ptrace.Traces) []Outer {
	var outers []Outer
	for _, t := range gather(requests) {
		if id := t.outer(); !id.IsEmpty() {
			outers = append(outers, Outer{t.id.String(), id.String()})
		}
	}
	return outers
}

// outer returns the one span outside the trace that all of the trace is below, or an empty ID. The topmost of our spans must
// then be a pipeline, a step or a run: a tool call or model call there has lost its run. A trace with its own root has no such
// span, because our spans are all below the parent passed to us.
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

// mayBeTop reports whether s is of a kind that can begin a trace.
func (s *span) mayBeTop() bool {
	return s.operation() == operationAgent || text(s.Attributes(), attrPipeline) != "" || text(s.Attributes(), attrTask) != ""
}
