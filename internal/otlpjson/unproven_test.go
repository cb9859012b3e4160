package otlpjson_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/internal/otlpjson"
)

// TestOutcomes: each run has its outcome, and no success is claimed without evidence.
func TestOutcomes(t *testing.T) {
	for _, tt := range []struct {
		name, outcome, reason, result string
		failed                        bool
		want                          []otlpjson.ProblemKind
	}{
		{name: "success", outcome: "ok", reason: "result", result: "success"},
		{name: "failure", outcome: "error", reason: "result", result: "failure", failed: true},
		{name: "no outcome", reason: "result", want: []otlpjson.ProblemKind{otlpjson.ProblemNoOutcome}},
		{name: "success that failed", outcome: "ok", reason: "result", failed: true, want: []otlpjson.ProblemKind{otlpjson.ProblemUnproven}},
		{name: "success of an input that stopped", outcome: "ok", reason: "shutdown", want: []otlpjson.ProblemKind{otlpjson.ProblemUnproven}},
		{name: "green step above a killed run", outcome: "killed", reason: "killed", result: "success", failed: true, want: []otlpjson.ProblemKind{otlpjson.ProblemUnproven}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			traces := ptrace.NewTraces()
			spans := traces.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
			step, run := spans.AppendEmpty(), spans.AppendEmpty()
			for i, s := range []ptrace.Span{step, run} {
				s.SetTraceID([16]byte{1})
				s.SetSpanID([8]byte{byte(i + 1)})
			}
			step.SetName("fix")
			run.SetParentSpanID(step.SpanID())
			put := func(s ptrace.Span, key, value string) {
				if value != "" {
					s.Attributes().PutStr(key, value)
				}
			}
			put(step, "cicd.pipeline.task.run.result", tt.result)
			put(run, "gen_ai.operation.name", "invoke_agent")
			put(run, "tailspan.close.reason", tt.reason)
			put(run, "tailspan.run.outcome", tt.outcome)
			if tt.failed {
				run.Status().SetCode(ptrace.StatusCodeError)
			}
			var got []otlpjson.ProblemKind
			for _, p := range otlpjson.Check(traces) {
				got = append(got, p.Kind)
			}
			assert.Equal(t, tt.want, got)
		})
	}
}
