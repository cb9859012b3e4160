package telemetry_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/telemetry"
)

func TestCloseReasons(t *testing.T) {
	open := script{line(started()), line(use(1, "msg1", "t1", "Bash", "sleep 99"))}
	interrupted := ended("")
	interrupted.End.Error, interrupted.End.Interrupted = true, true
	tests := []struct {
		name       string
		script     script
		close      telemetry.CloseReason
		run, call  telemetry.CloseReason
		runFailed  bool
		callFailed bool
	}{
		{"killed", open, telemetry.CloseReasonKilled, telemetry.CloseReasonKilled, telemetry.CloseReasonKilled, true, true},
		{"shutdown", open, telemetry.CloseReasonShutdown, telemetry.CloseReasonShutdown, telemetry.CloseReasonShutdown, false, true},
		{"result without the call's", append(open[:2:2], line(ended("Reached maximum"))), telemetry.CloseReasonShutdown, telemetry.CloseReasonResult, telemetry.CloseReasonNoResult, true, true},
		{"interrupted by the user", append(open[:2:2], line(interrupted)), telemetry.CloseReasonShutdown, telemetry.CloseReasonInterrupted, telemetry.CloseReasonInterrupted, false, false},
		{"next start line", append(open[:2:2], line(started()), line(text(5, "msg9", "Again."))), telemetry.CloseReasonShutdown, telemetry.CloseReasonSuperseded, telemetry.CloseReasonSuperseded, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := fold(t, tt.script, telemetry.StreamSettings{}, tt.close)
			run, call := f.span(t, "invoke_agent claude-code"), f.span(t, "execute_tool Bash")
			assert.Equal(t, string(tt.run), attr(run, telemetry.AttrCloseReason))
			assert.Equal(t, string(tt.call), attr(call, telemetry.AttrCloseReason))
			assert.Equal(t, tt.runFailed, run.Status().Code() == ptrace.StatusCodeError, "run failed")
			assert.Equal(t, tt.callFailed, call.Status().Code() == ptrace.StatusCodeError, "call failed")
			if tt.callFailed {
				assert.Equal(t, telemetry.ErrorTypeNoResult, attr(call, telemetry.AttrErrorType))
			}
		})
	}
}

func TestOddResults(t *testing.T) {
	f := fold(t, script{
		line(started()),
		line(result(1, "gone")), // its call was never seen
		line(use(3, "msg1", "t1", "Read", "a")),
		line(result(2, "t1")),                                          // told before its call
		line(result(4, "t1")),                                          // a second one
		line(use(5, "msg2", "t1", "Read", "b")), line(result(6, "t1")), // the id again, after its answer
		line(under("nobody", use(7, "msg3", "t2", "Read", "c"))),
		line(ended("")),
	}, telemetry.StreamSettings{}, telemetry.CloseReasonShutdown)
	assert.Equal(t, 1, f.counts.UnknownCalls)
	assert.Equal(t, 1, f.counts.LateResults)
	var reads []ptrace.Span
	for _, s := range f.spans {
		if s.Name() == "execute_tool Read" {
			reads = append(reads, s)
		}
	}
	require.Len(t, reads, 3)
	assert.Equal(t, "true", attr(reads[0], telemetry.AttrTimeClamped))
	assert.NotEqual(t, reads[0].SpanID(), reads[1].SpanID())
	assert.Equal(t, "nobody", attr(reads[2], telemetry.AttrParentUnknown))
	assert.Len(t, f.records, 9, "a late result is a record all the same")
}
