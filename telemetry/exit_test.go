package telemetry_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/program"
	"github.com/tailspan/tailspan/telemetry"
)

// exitStream is the stream of a process's output with a separate clock.
type exitStream struct {
	*telemetry.Registry
	*telemetry.Stream
	now       time.Time
	collected collected
}

func newExitStream() *exitStream {
	f := &exitStream{now: at(0)}
	settings := telemetry.NewDefaultSettings()
	settings.Now = func() time.Time { return f.now }
	f.Registry = telemetry.NewRegistry(settings)
	f.Stream = f.Open(telemetry.StreamSettings{ID: "p", Agent: program.Agent{Provider: "claude", ServiceName: "claude-code"}, AwaitExit: true})
	return f
}

func (f *exitStream) feed(s script) {
	for i, evs := range s {
		f.Feed(telemetry.Line{Offset: int64(i), Arrival: f.now, Live: true}, evs)
	}
	f.take()
}

func (f *exitStream) take() { f.collected.take(f.Stream.Take()) }

func (f *exitStream) exit(e outcome.Exit) {
	e.Time = at(60)
	f.Exited(e)
	f.Stream.Close(e.Reason())
	f.take()
}

func (f *exitStream) tops() (all []ptrace.Span) {
	for _, span := range f.collected.spans {
		if span.Name() == "invoke_agent claude-code" {
			all = append(all, span)
		}
	}
	return all
}

func (f *exitStream) record(t *testing.T, name string) plog.LogRecord {
	t.Helper()
	for _, lr := range f.collected.records {
		if lr.EventName() == name {
			return lr
		}
	}
	t.Fatalf("no record %s", name)
	return plog.LogRecord{}
}

func TestExit(t *testing.T) {
	whole := script{line(started()), line(text(1, "m1", "hello")), line(ended(""))}
	torn := script{line(started()), line(text(1, "m1", "hello")), line(use(2, "m1", "c1", "Bash", "ls"))}
	for _, tc := range []struct {
		name   string
		script script
		exit   outcome.Exit
		reason string
		err    string // error.type
		words  string // status message
	}{
		{"well", whole, outcome.Exit{}, "result", "", ""},
		{"success, then a failure", whole, outcome.Exit{Code: 3}, "result", "process_exit", "exit code 3"},
		{"success reported, then killed", whole, outcome.Exit{Signal: "SIGKILL"}, "killed", "killed", "ended by SIGKILL"},
		{"failure", script{line(started()), line(text(1, "m1", "x")), line(ended("boom"))}, outcome.Exit{Code: 1}, "result", "_OTHER", "boom"},
		{"killed", torn, outcome.Exit{Signal: "SIGTERM", Incomplete: true}, "killed", "killed", "ended by SIGTERM before its result"},
		{"crashed", torn, outcome.Exit{Code: 2, Incomplete: true}, "no_result", "process_exit", "exit code 2 before its result"},
		{"output lost", torn, outcome.Exit{Dropped: 9, Incomplete: true}, "truncated", "truncated", ""},
		{"interrupted", torn, outcome.Exit{Signal: "SIGINT", Incomplete: true}, "interrupted", "", ""},
		{"interrupted, in the words of a shell", torn, outcome.Exit{Code: 130, Incomplete: true}, "interrupted", "", ""},
		{"interrupted by a signal that it handled", torn, outcome.Exit{Interrupted: true, Incomplete: true}, "interrupted", "", ""},
		{"stopped by us", torn, outcome.Exit{Code: 143, Stopped: true, Incomplete: true}, "killed", "killed", "exit code 143 before its result"},
		{"success reported before it was stopped", whole, outcome.Exit{Stopped: true, Interrupted: true}, "result", "", ""},
		{"killed where no end is promised", torn, outcome.Exit{Signal: "SIGTERM"}, "killed", "killed", "ended by SIGTERM before its result"},
		{"killed at the start", script{line(started())}, outcome.Exit{Signal: "SIGTERM", Incomplete: true}, "killed", "killed", "ended by SIGTERM before its result"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newExitStream()
			f.feed(tc.script)
			assert.Empty(t, f.tops(), "it waits for the exit")
			tc.exit.Stderr = "last words"
			f.exit(tc.exit)
			require.Len(t, f.tops(), 1)
			span := f.tops()[0]
			attrs := span.Attributes().AsRaw()
			assert.Equal(t, tc.reason, attrs[otlp.AttrCloseReason])
			assert.Equal(t, tc.words, span.Status().Message())
			if tc.err == "" {
				assert.Equal(t, ptrace.StatusCodeUnset, span.Status().Code())
				assert.NotContains(t, attrs, otlp.AttrErrorType)
			} else {
				assert.Equal(t, ptrace.StatusCodeError, span.Status().Code())
				assert.Equal(t, tc.err, attrs[otlp.AttrErrorType])
			}
			lr := f.record(t, otlp.EventNameProcessExited)
			for _, m := range []map[string]any{attrs, lr.Attributes().AsRaw()} {
				if tc.exit.Signal != "" {
					assert.Equal(t, tc.exit.Signal, m[otlp.AttrProcessSignal])
					assert.NotContains(t, m, otlp.AttrProcessExitCode)
				} else {
					assert.EqualValues(t, tc.exit.Code, m[otlp.AttrProcessExitCode])
					assert.NotContains(t, m, otlp.AttrProcessSignal)
				}
				assert.Equal(t, tc.exit.Dropped > 0, m[otlp.AttrProcessDropped] != nil)
			}
			assert.Equal(t, span.SpanID(), lr.SpanID())
			assert.Equal(t, span.TraceID(), lr.TraceID())
			_, words := lr.Attributes().Get(otlp.AttrProcessStderr)
			assert.Equal(t, tc.exit.Failed(), words)
			assert.Equal(t, tc.exit.Failed(), lr.SeverityNumber() == plog.SeverityNumberError)
			if tc.exit.Incomplete {
				end := f.record(t, "tailspan.session_end")
				assert.Equal(t, tc.reason != "interrupted", end.Attributes().AsRaw()[otlp.AttrEndError])
				assert.Equal(t, attrs[otlp.AttrRunOutcome], end.Attributes().AsRaw()[otlp.AttrRunOutcome])
				assert.Equal(t, at(60), span.EndTimestamp().AsTime(), "it ran until its process ended")
			}
		})
	}
}

// TestExitOfSeveralRuns checks that only the last run of a process has its exit.
func TestExitOfSeveralRuns(t *testing.T) {
	f := newExitStream()
	f.feed(script{line(started()), line(text(1, "m1", "one")), line(ended("")), line(started()), line(text(5, "m2", "two")), line(ended(""))})
	require.Len(t, f.tops(), 1, "the first goes out when the second begins")
	assert.NotContains(t, f.tops()[0].Attributes().AsRaw(), otlp.AttrProcessExitCode)
	f.exit(outcome.Exit{Code: 3})
	require.Len(t, f.tops(), 2)
	assert.EqualValues(t, 3, f.tops()[1].Attributes().AsRaw()[otlp.AttrProcessExitCode])
}

// TestExitThatDoesNotCome checks that a span does not wait for ever for an agent that stays after its result, and is
// not written again when that agent exits.
func TestExitThatDoesNotCome(t *testing.T) {
	f := newExitStream()
	f.feed(script{line(started()), line(text(1, "m1", "one")), line(ended(""))})
	f.collected.take(f.Registry.Take())
	require.Empty(t, f.tops())
	f.now = f.now.Add(time.Minute)
	f.collected.take(f.Registry.Take())
	require.Len(t, f.tops(), 1)
	f.exit(outcome.Exit{Signal: "SIGKILL"})
	assert.Len(t, f.tops(), 1)
	assert.Equal(t, f.tops()[0].SpanID(), f.record(t, otlp.EventNameProcessExited).SpanID(), "it has a record")
}

// TestExitOfNothing checks that the exit of a process without a run has a record and a span, with a verdict from the exit code.
func TestExitOfNothing(t *testing.T) {
	for _, tc := range []struct {
		exit      outcome.Exit
		errorType any
		status    ptrace.StatusCode
		reason    string
	}{
		{outcome.Exit{}, nil, ptrace.StatusCodeUnset, "result"},
		{outcome.Exit{Code: 1, Stderr: "no key"}, "process_exit", ptrace.StatusCodeError, "result"},
		{outcome.Exit{Signal: "SIGKILL"}, "killed", ptrace.StatusCodeError, "killed"},
		{outcome.Exit{Signal: "SIGINT", Interrupted: true}, nil, ptrace.StatusCodeUnset, "interrupted"},
	} {
		t.Run(tc.exit.String(), func(t *testing.T) {
			f := newExitStream()
			tc.exit.Started = at(0)
			f.exit(tc.exit)
			lr := f.record(t, otlp.EventNameProcessExited)
			assert.Equal(t, tc.exit.String(), lr.Body().Str())
			require.Len(t, f.collected.spans, 1)
			span := f.collected.spans[0]
			attrs := span.Attributes().AsRaw()
			assert.Equal(t, "claude-code", span.Name())
			assert.Equal(t, "claude-code", attrs[otlp.AttrProcessExecutable])
			assert.Equal(t, tc.errorType, attrs[otlp.AttrErrorType])
			assert.Equal(t, tc.reason, attrs[otlp.AttrCloseReason])
			assert.Equal(t, tc.status, span.Status().Code())
			assert.True(t, span.ParentSpanID().IsEmpty())
			assert.Equal(t, span.SpanID(), lr.SpanID())
			assert.Equal(t, time.Minute, span.EndTimestamp().AsTime().Sub(span.StartTimestamp().AsTime()))
		})
	}
}

// TestCloseWithoutExit checks that nothing waits after a stream was closed.
func TestCloseWithoutExit(t *testing.T) {
	f := newExitStream()
	f.feed(script{line(started()), line(text(1, "m1", "one")), line(ended(""))})
	f.Stream.Close(otlp.CloseReasonShutdown)
	f.take()
	assert.Len(t, f.tops(), 1)
}

// TestExitBeforeSubAgents: the span of a process's run waits for the sub-agents that are active in other files, even
// after the process and its stream have ended, and is exported with the line that ends their work.
func TestExitBeforeSubAgents(t *testing.T) {
	f := newExitStream()
	parent := slices.Concat(script{line(started())}, asks(1, "msg1", "a1", "ag1"))
	f.feed(parent)
	child := f.Registry.Open(telemetry.StreamSettings{ID: "c", Agent: program.Agent{Provider: "claude", ServiceName: "claude-code"}})
	child.Feed(telemetry.Line{Arrival: f.now, Live: true}, line(of("ag1", text(2, "sub1", "Looking."))))
	f.feed(script{line(result(9, "a1")), line(ended(""))})
	f.exit(outcome.Exit{})
	require.Empty(t, f.tops())
	child.Feed(telemetry.Line{Offset: 1, Arrival: f.now, Live: true}, line(of("ag1", signsOff(8, "sub2"))))
	child.Idle()
	f.collected.take(child.Take())
	require.Len(t, f.tops(), 1)
}
