package telemetry_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// TestCallWithoutID: the result of a call for which the format has no ID, as of Codex's plan_update (codex/parity-0.29), ends that
// call. A call that gets no result stays open.
func TestCallWithoutID(t *testing.T) {
	plan, planned := use(1, "msg1", "", "plan_update", "fix it"), result(1, "")
	planned.Tool.Name = "plan_update"
	other, again := use(2, "msg1", "", "web_search", "rounding"), use(3, "msg1", "", "plan_update", "test it")
	f := collect(t, script{
		line(started()), line(plan, planned), line(other), line(again, planned), line(planned), line(ended("")),
	}, telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
	reasons := map[string]string{}
	for _, s := range f.spans {
		if target := attr(s, otlp.AttrToolTarget); target != "" {
			reasons[target] = attr(s, otlp.AttrErrorType)
		}
	}
	assert.Equal(t, map[string]string{"fix it": "", "test it": "", "rounding": otlp.ErrorTypeNoResult}, reasons)
	assert.Equal(t, 1, f.counts.UnknownCalls, "the last result has no call")
}
