package telemetry_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/emit"
	"github.com/tailspan/tailspan/telemetry"
)

// TestCloseReasons has a case for each way in which a run and a call of it can end.
func TestCloseReasons(t *testing.T) {
	open := script{line(started()), line(use(1, "msg1", "t1", "Bash", "sleep 99"))}
	then := func(more ...[]events.DisplayEvent) script { return append(open[:2:2], more...) }
	interrupted, refused := ended(""), ended("")
	interrupted.End.Error, interrupted.End.Interrupted = true, true
	refused.Kind, refused.End.Error, refused.End.Principle = events.KindTurnAborted, true, "no destructive commands"
	coded := ended("Reached maximum number of turns")
	coded.End.Code, coded.End.Cause = "error_max_turns", events.CauseMaxTurns
	tests := []struct {
		name               string
		script             script
		close              otlp.CloseReason
		run, call          otlp.CloseReason
		runError, runWords string // error.type and status message; empty if it did not fail
		callFailed         bool
	}{
		{"result", then(line(result(2, "t1")), line(ended(""))), otlp.CloseReasonShutdown, otlp.CloseReasonResult, otlp.CloseReasonResult, "", "", false},
		{"failed", then(line(coded)), otlp.CloseReasonShutdown, otlp.CloseReasonResult, otlp.CloseReasonNoResult, "max_turns", "Reached maximum number of turns", true},
		{"failed without a code of its own", then(line(ended("Reached"))), otlp.CloseReasonShutdown, otlp.CloseReasonResult, otlp.CloseReasonNoResult, "_OTHER", "Reached", true},
		{"interrupted by the user", then(line(interrupted)), otlp.CloseReasonShutdown, otlp.CloseReasonInterrupted, otlp.CloseReasonInterrupted, "", "", false},
		{"aborted on principle", then(line(refused)), otlp.CloseReasonShutdown, otlp.CloseReasonInterrupted, otlp.CloseReasonInterrupted, "", "", false},
		{"next start line", then(line(started()), line(text(5, "msg9", "Again."))), otlp.CloseReasonShutdown, otlp.CloseReasonSuperseded, otlp.CloseReasonSuperseded, "", "", false},
		{"killed", open, otlp.CloseReasonKilled, otlp.CloseReasonKilled, otlp.CloseReasonKilled, "killed", "", true},
		{"no result", open, otlp.CloseReasonNoResult, otlp.CloseReasonNoResult, otlp.CloseReasonNoResult, "no_result", "", true},
		{"timeout", open, otlp.CloseReasonTimeout, otlp.CloseReasonTimeout, otlp.CloseReasonTimeout, "timeout", "", true},
		{"truncated", open, otlp.CloseReasonTruncated, otlp.CloseReasonTruncated, otlp.CloseReasonTruncated, "truncated", "", true},
		{"evicted", open, otlp.CloseReasonEvicted, otlp.CloseReasonEvicted, otlp.CloseReasonEvicted, "", "", true},
		{"shutdown", open, otlp.CloseReasonShutdown, otlp.CloseReasonShutdown, otlp.CloseReasonShutdown, "", "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := collect(t, tt.script, telemetry.StreamSettings{}, tt.close)
			run, call := f.span(t, "invoke_agent claude-code"), f.span(t, "execute_tool Bash")
			assert.Equal(t, string(tt.run), attr(run, otlp.AttrCloseReason))
			assert.Equal(t, tt.runError, attr(run, otlp.AttrErrorType))
			assert.Equal(t, tt.runWords, run.Status().Message())
			assert.Equal(t, statusIf(tt.runError != ""), run.Status().Code())
			assert.Equal(t, string(tt.call), attr(call, otlp.AttrCloseReason))
			assert.Equal(t, statusIf(tt.callFailed), call.Status().Code())
			callError := ""
			if tt.callFailed {
				callError = otlp.ErrorTypeNoResult
			}
			assert.Equal(t, callError, attr(call, otlp.AttrErrorType))
			assert.Equal(t, tt.call != otlp.CloseReasonResult, f.counts.UnclosedCalls == 1, "calls without a result are counted")
		})
	}
	f := collect(t, then(line(refused)), telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
	assert.Equal(t, "no destructive commands", attr(f.span(t, "invoke_agent claude-code"), otlp.AttrEndPrinciple))
	assert.Equal(t, plog.SeverityNumberInfo, f.records[len(f.records)-1].SeverityNumber())
}

// statusIf returns the status of a span; success leaves it unset.
func statusIf(failed bool) ptrace.StatusCode {
	if failed {
		return ptrace.StatusCodeError
	}
	return ptrace.StatusCodeUnset
}

// TestTranscriptEnds: a transcript has no result lines, so the last message shows how a run ended.
func TestTranscriptEnds(t *testing.T) {
	recorded := started()
	recorded.Session.Recorded = true
	f := collect(t, script{
		line(recorded), line(prompt(0, "p1")), line(lastWord(1, "msg1")),
		line(prompt(5, "p2")), line(lastWord(6, "msg2")), line(use(7, "msg2", "t1", "Read", "x")),
		line(prompt(9, "p3")), line(lastWord(10, "msg3")), line(prompt(12, "p4")), line(text(13, "msg4", "Four.")),
	}, telemetry.StreamSettings{}, otlp.CloseReasonNoResult)
	var reasons []string
	for _, s := range f.spans {
		if s.Name() == "invoke_agent claude-code" {
			reasons = append(reasons, attr(s, otlp.AttrCloseReason))
		}
	}
	assert.Equal(t, []string{"result", "superseded", "result", "no_result"}, reasons, "a call that is open shows that the work was not done")
}

// TestAnomalies has a case for each kind of unexpected content in a stream: what the call's span shows of it, and what
// is counted.
func TestAnomalies(t *testing.T) {
	call, over := use(3, "msg1", "t1", "Read", "a"), ended("")
	over.ItemID = "i-over"
	tests := []struct {
		name     string
		lines    script
		reasons  []string // of the calls' spans, in the order of their ends
		from, to float64  // of the first
		clamped  bool
		counts   emit.Counts
	}{
		{"result without a call", script{line(result(1, "gone"))}, nil, 0, 0, false, emit.Counts{UnknownCalls: 1}},
		{"call without a result", script{line(call), line(text(5, "msg2", "On."))}, []string{"no_result"}, 3, 5, false, emit.Counts{UnclosedCalls: 1}},
		{"result before its call", script{line(result(4, "t1")), line(call), line(text(5, "msg2", "On."))}, []string{"result"}, 3, 4, false, emit.Counts{UnknownCalls: 1}},
		{"several results", script{line(call), line(result(4, "t1")), line(failed(5, "t1", "no"))}, []string{"result"}, 3, 4, false, emit.Counts{LateResults: 1}},
		{"end before start", script{line(call), line(result(2, "t1"))}, []string{"result"}, 3, 3, true, emit.Counts{ClampedSpans: 1}},
		{"the id again while it is open", script{line(call), line(use(4, "msg1", "t1", "Read", "b")), line(result(5, "t1"))}, []string{"superseded", "result"}, 3, 4, false, emit.Counts{UnclosedCalls: 1}},
		{"the id again after its answer", script{line(call), line(result(4, "t1")), line(use(5, "msg2", "t1", "Read", "b")), line(result(6, "t1"))}, []string{"result", "result"}, 3, 4, false, emit.Counts{}},
		{"result after the run", script{line(call), line(over), line(result(9, "t1"))}, []string{"no_result"}, 3, 3, false, emit.Counts{UnclosedCalls: 1, LateResults: 1}},
		{"call without an id", script{line(use(3, "msg1", "", "Read", "a")), line(text(5, "msg2", "On."))}, []string{"no_result"}, 3, 5, false, emit.Counts{UnclosedCalls: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sc := append(append(script{line(started()), line(text(0, "msg0", "Hm."))}, tt.lines...), line(ended("")))
			f := collect(t, sc, telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
			var calls []ptrace.Span
			var reasons []string
			ids := map[string]bool{}
			for _, s := range f.spans {
				if s.Name() == "execute_tool Read" {
					calls, reasons = append(calls, s), append(reasons, attr(s, otlp.AttrCloseReason))
					ids[s.SpanID().String()] = true
				}
			}
			assert.Equal(t, tt.reasons, reasons)
			assert.Len(t, ids, len(calls), "an id that comes again is another call")
			assert.Equal(t, tt.counts, f.counts)
			if len(calls) > 0 {
				from, to := seconds(calls[0])
				assert.Equal(t, []float64{tt.from, tt.to}, []float64{from, to})
				assert.Equal(t, tt.clamped, attr(calls[0], otlp.AttrTimeClamped) == "true")
			}
			assert.Len(t, f.records, countEvents(sc), "each event has its record all the same")
		})
	}
}

func TestOddResults(t *testing.T) {
	f := collect(t, script{
		line(started()),
		line(result(1, "gone")), // its call was never seen
		line(use(3, "msg1", "t1", "Read", "a")),
		line(result(2, "t1")),                                          // before its call
		line(result(4, "t1")),                                          // a second result
		line(use(5, "msg2", "t1", "Read", "b")), line(result(6, "t1")), // the ID again, after its result
		line(under("nobody", use(7, "msg3", "t2", "Read", "c"))),
		line(ended("")),
	}, telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
	assert.Equal(t, 1, f.counts.UnknownCalls)
	assert.Equal(t, 1, f.counts.LateResults)
	var reads []ptrace.Span
	for _, s := range f.spans {
		if s.Name() == "execute_tool Read" {
			reads = append(reads, s)
		}
	}
	require.Len(t, reads, 3)
	assert.Equal(t, "true", attr(reads[0], otlp.AttrTimeClamped))
	assert.NotEqual(t, reads[0].SpanID(), reads[1].SpanID())
	assert.Equal(t, "nobody", attr(reads[2], otlp.AttrParentUnknown))
	assert.Len(t, f.records, 9, "a late result is a record all the same")
}
