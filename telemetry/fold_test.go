package telemetry_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/telemetry"
)

var epoch = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// at is a time some seconds into a session.
func at(seconds float64) time.Time { return epoch.Add(time.Duration(seconds * float64(time.Second))) }

// script is a session as a list of lines, each with its events.
type script [][]events.DisplayEvent

func line(evs ...events.DisplayEvent) []events.DisplayEvent { return evs }

func started() events.DisplayEvent {
	return events.DisplayEvent{Kind: events.KindSessionStarted, SessionID: "s1", ItemID: "i-start", Model: "m1", Session: &events.Session{Version: "9.9"}}
}

func text(sec float64, message, words string) events.DisplayEvent {
	return events.DisplayEvent{Kind: events.KindText, Time: at(sec), SessionID: "s1", MessageID: message, Model: "m1", ItemID: "i-" + message + words, Text: words}
}

func use(sec float64, message, id, name, target string) events.DisplayEvent {
	return events.DisplayEvent{Kind: events.KindToolUse, Time: at(sec), SessionID: "s1", MessageID: message, Model: "m1", ItemID: fmt.Sprint("i-", id, sec), Tool: events.Tool{ID: id, Name: name, Target: target}}
}

func result(sec float64, id string) events.DisplayEvent {
	return events.DisplayEvent{Kind: events.KindToolResult, Time: at(sec), SessionID: "s1", ItemID: fmt.Sprint("r-", id, sec), Tool: events.Tool{ID: id, Summary: "done"}}
}

func failed(sec float64, id, why string) events.DisplayEvent {
	ev := result(sec, id)
	ev.Tool.Error, ev.Tool.Err = true, why
	return ev
}

func ended(err string) events.DisplayEvent {
	return events.DisplayEvent{Kind: events.KindSessionEnded, SessionID: "s1", ItemID: "i-end", End: &events.End{Error: err != "", Err: err, Code: "success", Turns: 2}}
}

func under(parent string, ev events.DisplayEvent) events.DisplayEvent {
	ev.ParentID = parent
	return ev
}

func progress(id string, state events.ToolState) events.DisplayEvent {
	return events.DisplayEvent{Kind: events.KindToolProgress, SessionID: "s1", ItemID: "p-" + id + state.String(), Tool: events.Tool{ID: id, State: state}}
}

// folded is what came out of a script.
type folded struct {
	spans   []ptrace.Span
	records []plog.LogRecord
	traces  []ptrace.Traces
	counts  telemetry.Counts
}

func (f *folded) take(out telemetry.Output) {
	f.traces = append(f.traces, out.Traces)
	f.counts.LateResults += out.Counts.LateResults
	f.counts.UnknownCalls += out.Counts.UnknownCalls
	f.counts.UnclosedCalls += out.Counts.UnclosedCalls
	for _, rs := range out.Traces.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				f.spans = append(f.spans, span)
			}
		}
	}
	for _, rl := range out.Logs.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, lr := range sl.LogRecords().All() {
				f.records = append(f.records, lr)
			}
		}
	}
}

func (f *folded) span(t *testing.T, name string) ptrace.Span {
	t.Helper()
	for _, s := range f.spans {
		if s.Name() == name {
			return s
		}
	}
	require.Failf(t, "no such span", "%s among %s", name, f.names())
	return ptrace.Span{}
}

func (f *folded) names() string {
	var names []string
	for _, s := range f.spans {
		names = append(names, s.Name())
	}
	return strings.Join(names, ", ")
}

func attr(s ptrace.Span, key string) string {
	v, ok := s.Attributes().Get(key)
	if !ok {
		return ""
	}
	return v.AsString()
}

func seconds(s ptrace.Span) (from, to float64) {
	return s.StartTimestamp().AsTime().Sub(epoch).Seconds(), s.EndTimestamp().AsTime().Sub(epoch).Seconds()
}

var claude = telemetry.Agent{Provider: "claude", ServiceName: "claude-code", System: "anthropic"}

func newRegistry() *telemetry.Registry {
	s := telemetry.NewDefaultSettings()
	s.Now = func() time.Time { return at(1000) }
	return telemetry.NewRegistry(s)
}

// fold runs a script through a stream of its own and closes it.
func fold(t *testing.T, sc script, set telemetry.StreamSettings, reason telemetry.CloseReason) *folded {
	t.Helper()
	set.Agent = claude
	if set.ID == "" {
		set.ID = "file"
	}
	registry := newRegistry()
	stream := registry.Open(set)
	var f folded
	for i, evs := range sc {
		stream.Feed(telemetry.Line{Offset: int64(i * 100)}, clone(evs))
		f.take(stream.Take())
	}
	stream.Idle()
	stream.Close(reason)
	f.take(stream.Take())
	f.take(registry.Close())
	checkTree(t, &f)
	return &f
}

// clone keeps a script from being changed by a fold.
func clone(evs []events.DisplayEvent) []events.DisplayEvent {
	return append([]events.DisplayEvent(nil), evs...)
}

// checkTree holds what must be true of every export: parents exist, ids are unique, ends are not before starts, and
// children lie inside their parents but for work in the background.
func checkTree(t *testing.T, f *folded) {
	t.Helper()
	byID := map[string]ptrace.Span{}
	for _, s := range f.spans {
		key := s.TraceID().String() + s.SpanID().String()
		_, twice := byID[key]
		assert.False(t, twice, "span %s twice", s.Name())
		byID[key] = s
	}
	for _, s := range f.spans {
		assert.LessOrEqual(t, s.StartTimestamp(), s.EndTimestamp(), s.Name())
		assert.NotEmpty(t, attr(s, telemetry.AttrTimeSource), s.Name())
		if s.ParentSpanID().IsEmpty() {
			continue
		}
		parent, ok := byID[s.TraceID().String()+s.ParentSpanID().String()]
		if !assert.True(t, ok, "parent of %s", s.Name()) || attr(s, telemetry.AttrBackground) == "true" {
			continue
		}
		assert.GreaterOrEqual(t, s.StartTimestamp(), parent.StartTimestamp(), "%s in %s", s.Name(), parent.Name())
		assert.LessOrEqual(t, s.EndTimestamp(), parent.EndTimestamp(), "%s in %s", s.Name(), parent.Name())
	}
}

func parallelTools() script {
	return script{
		line(started()),
		line(text(1, "msg1", "Let me look.")),
		line(use(2, "msg1", "t1", "Read", "/a/b.go")),
		line(use(2.5, "msg1", "t2", "Bash", "false")),
		line(result(4, "t1")),
		line(failed(3, "t2", "Exit code 1")),
		line(text(6, "msg2", "Done.")),
		line(ended("")),
	}
}

func TestRunWithParallelTools(t *testing.T) {
	f := fold(t, parallelTools(), telemetry.StreamSettings{}, telemetry.CloseReasonShutdown)
	assert.Equal(t, "execute_tool Read, execute_tool Bash, chat m1, chat m1, invoke_agent claude-code", f.names())
	run, read, bash := f.span(t, "invoke_agent claude-code"), f.span(t, "execute_tool Read"), f.span(t, "execute_tool Bash")
	assert.True(t, run.ParentSpanID().IsEmpty())
	assert.Equal(t, run.SpanID(), read.ParentSpanID())
	from, to := seconds(read)
	assert.Equal(t, []float64{2, 4}, []float64{from, to})
	assert.Equal(t, ptrace.StatusCodeUnset, read.Status().Code())
	assert.Equal(t, ptrace.StatusCodeError, bash.Status().Code())
	assert.Equal(t, "Exit code 1", bash.Status().Message())
	assert.Equal(t, telemetry.ErrorTypeTool, attr(bash, telemetry.AttrErrorType))
	assert.Equal(t, "result", attr(run, telemetry.AttrCloseReason))
	assert.Equal(t, "msg1", attr(run, telemetry.AttrRunKey))
	// The second model call begins with the last result before it.
	from, to = seconds(f.spans[3])
	assert.Equal(t, []float64{3, 6}, []float64{from, to})
	assert.Len(t, f.records, 8)
	for i, lr := range f.records {
		assert.Equal(t, run.TraceID(), lr.TraceID())
		v, _ := lr.Attributes().Get(telemetry.AttrSequence)
		assert.EqualValues(t, i+1, v.Int())
	}
	// A result's record tells its tool, so that no reader needs a memory.
	v, _ := f.records[4].Attributes().Get(telemetry.AttrGenAIToolName)
	assert.Equal(t, "Read", v.Str())
	v, _ = f.records[4].Attributes().Get(telemetry.AttrToolTarget)
	assert.Equal(t, "/a/b.go", v.Str())
	assert.Equal(t, plog.SeverityNumberError, f.records[5].SeverityNumber())
}

func TestSubAgents(t *testing.T) {
	spawn := use(1, "msg1", "a1", "Agent", "Look around")
	spawn.Tool.AgentType = "Explore"
	inner := under("a1", use(3, "sub1", "a2", "Agent", "Deeper"))
	f := fold(t, script{
		line(started()), line(spawn),
		line(under("a1", text(2, "sub1", "On it."))),
		line(inner),
		line(under("a2", use(4, "sub2", "t1", "Grep", "x"))),
		line(under("a2", result(5, "t1"))),
		line(under("a1", result(6, "a2"))),
		line(result(7, "a1")),
		line(text(8, "msg2", "Done.")), line(ended("")),
	}, telemetry.StreamSettings{}, telemetry.CloseReasonShutdown)
	explore := f.span(t, "invoke_agent Explore")
	nested := f.span(t, "invoke_agent Agent")
	grep := f.span(t, "execute_tool Grep")
	assert.Equal(t, nested.SpanID(), grep.ParentSpanID())
	var outerCall, innerCall ptrace.Span
	for _, s := range f.spans {
		switch attr(s, telemetry.AttrGenAIToolCallID) {
		case "a1":
			outerCall = s
		case "a2":
			innerCall = s
		}
	}
	assert.Equal(t, outerCall.SpanID(), explore.ParentSpanID())
	assert.Equal(t, explore.SpanID(), innerCall.ParentSpanID())
	assert.Equal(t, innerCall.SpanID(), nested.ParentSpanID())
	assert.Equal(t, "1", attr(f.span(t, "invoke_agent claude-code"), telemetry.AttrToolCalls))
}

func TestBackgroundAgentOutlivesCallAndRun(t *testing.T) {
	spawn := use(1, "msg1", "a1", "Agent", "Slow work")
	spawn.Tool.AgentType = "general-purpose"
	launched := result(1.5, "a1")
	launched.Tool.State, launched.Tool.AgentID = events.ToolStateBackground, "agent-7"
	f := fold(t, script{
		line(started()), line(spawn), line(launched),
		line(under("a1", use(2, "sub1", "t1", "Read", "x"))),
		line(text(3, "msg2", "Waiting.")), line(ended("")),
		line(under("a1", result(9, "t1"))),
		line(progress("a1", events.ToolStateCompleted)),
	}, telemetry.StreamSettings{}, telemetry.CloseReasonShutdown)
	sub := f.span(t, "invoke_agent general-purpose")
	assert.Equal(t, "true", attr(sub, telemetry.AttrBackground))
	assert.Equal(t, "result", attr(sub, telemetry.AttrCloseReason))
	_, to := seconds(sub)
	assert.InDelta(t, 9, to, 0.001)
	_, to = seconds(f.span(t, "execute_tool Agent"))
	assert.InDelta(t, 1.5, to, 0.001)
	_, to = seconds(f.span(t, "invoke_agent claude-code"))
	assert.InDelta(t, 3, to, 0.001)
	assert.Equal(t, "result", attr(f.span(t, "execute_tool Read"), telemetry.AttrCloseReason))
	assert.Equal(t, 0, f.counts.UnclosedCalls)
}

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

func TestTimes(t *testing.T) {
	fileTime := at(500)
	noTimes := script{line(started()), line(text(0, "msg1", "Hi.")), line(ended(""))}
	for _, l := range noTimes {
		for i := range l {
			l[i].Time = time.Time{}
		}
	}
	t.Run("nearest later, then nearest earlier", func(t *testing.T) {
		f := fold(t, parallelTools(), telemetry.StreamSettings{FileTime: fileTime}, telemetry.CloseReasonShutdown)
		for _, want := range []struct {
			record int
			sec    float64
			source telemetry.TimeSource
		}{{0, 1, telemetry.TimeSourceCarried}, {1, 1, telemetry.TimeSourceLine}, {7, 6, telemetry.TimeSourceCarried}} {
			lr := f.records[want.record]
			assert.InDelta(t, want.sec, lr.Timestamp().AsTime().Sub(epoch).Seconds(), 0.001)
			v, _ := lr.Attributes().Get(telemetry.AttrTimeSource)
			assert.Equal(t, string(want.source), v.Str())
		}
	})
	t.Run("file time where nothing is told", func(t *testing.T) {
		f := fold(t, noTimes, telemetry.StreamSettings{FileTime: fileTime}, telemetry.CloseReasonShutdown)
		run := f.span(t, "invoke_agent claude-code")
		assert.Equal(t, fileTime, run.StartTimestamp().AsTime())
		assert.Equal(t, "file", attr(run, telemetry.AttrTimeSource))
	})
	t.Run("arrival when read live", func(t *testing.T) {
		stream := newRegistry().Open(telemetry.StreamSettings{ID: "f", Agent: claude, FileTime: fileTime})
		for i, evs := range noTimes {
			stream.Feed(telemetry.Line{Offset: int64(i), Live: true, Arrival: at(float64(700 + i))}, clone(evs))
		}
		var f folded
		f.take(stream.Take())
		run := f.span(t, "invoke_agent claude-code")
		from, to := seconds(run)
		assert.Equal(t, []float64{700, 702}, []float64{from, to})
		assert.Equal(t, "arrival", attr(run, telemetry.AttrTimeSource))
	})
	t.Run("old session written live", func(t *testing.T) {
		stream := newRegistry().Open(telemetry.StreamSettings{ID: "f", Agent: claude, FileTime: fileTime})
		for i, evs := range parallelTools() {
			stream.Feed(telemetry.Line{Offset: int64(i), Live: true, Arrival: at(float64(700 + i))}, clone(evs))
		}
		var f folded
		f.take(stream.Take())
		from, to := seconds(f.span(t, "invoke_agent claude-code"))
		assert.Equal(t, []float64{1, 6}, []float64{from, to}, "the first line has no time of its own, but a later one has")
	})
	t.Run("nonsense is no time", func(t *testing.T) {
		sc := parallelTools()
		sc[2][0].Time = time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC)
		f := fold(t, sc, telemetry.StreamSettings{}, telemetry.CloseReasonShutdown)
		from, _ := seconds(f.span(t, "execute_tool Read"))
		assert.InDelta(t, 1, from, 0.001)
	})
}

func TestRunKeys(t *testing.T) {
	noMessage := script{line(started()), line(ended("could not start"))}
	noIDs := script{line(events.DisplayEvent{Kind: events.KindText, Time: at(1), Text: "x"})}
	for _, tt := range []struct {
		name   string
		script script
		want   string
	}{
		{"first model message", parallelTools(), "msg1"},
		{"no model message", noMessage, "s1/i-start"},
		{"no ids at all", noIDs, "file@0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := fold(t, tt.script, telemetry.StreamSettings{FileTime: at(3)}, telemetry.CloseReasonShutdown)
			assert.Equal(t, tt.want, attr(f.span(t, "invoke_agent claude-code"), telemetry.AttrRunKey))
		})
	}
}

func TestTwoRunsOfOneStream(t *testing.T) {
	second := script{line(started()), line(text(20, "msg8", "Second.")), line(ended(""))}
	f := fold(t, append(parallelTools(), second...), telemetry.StreamSettings{}, telemetry.CloseReasonShutdown)
	traces := map[string]int{}
	for _, s := range f.spans {
		if s.ParentSpanID().IsEmpty() {
			traces[s.TraceID().String()]++
		}
	}
	assert.Len(t, traces, 2, "a trace for each run")
}

func TestPipelineAndStep(t *testing.T) {
	identity := telemetry.NewIdentity(
		telemetry.Attribute{Key: telemetry.AttrPipelineName, Value: "nightly"},
		telemetry.Attribute{Key: telemetry.AttrPipelineRunID, Value: "17"},
		telemetry.Attribute{Key: telemetry.AttrTaskName, Value: "fix"},
	)
	f := fold(t, parallelTools(), telemetry.StreamSettings{Identity: identity}, telemetry.CloseReasonShutdown)
	pipeline, step, run := f.span(t, "nightly"), f.span(t, "fix"), f.span(t, "invoke_agent claude-code")
	assert.True(t, pipeline.ParentSpanID().IsEmpty())
	assert.Equal(t, pipeline.SpanID(), step.ParentSpanID())
	assert.Equal(t, step.SpanID(), run.ParentSpanID())
	assert.Equal(t, ptrace.SpanKindServer, pipeline.Kind())
	assert.Equal(t, "success", attr(pipeline, telemetry.AttrPipelineResult))
	v, ok := f.traces[len(f.traces)-1].ResourceSpans().At(0).Resource().Attributes().Get(telemetry.AttrTaskName)
	require.True(t, ok)
	assert.Equal(t, "fix", v.Str())
}

func TestPipelineSpanGoesOutOnceWhenQuiet(t *testing.T) {
	now := at(100)
	s := telemetry.NewDefaultSettings()
	s.Now = func() time.Time { return now }
	registry := telemetry.NewRegistry(s)
	identity := telemetry.NewIdentity(
		telemetry.Attribute{Key: telemetry.AttrPipelineName, Value: "nightly"},
		telemetry.Attribute{Key: telemetry.AttrPipelineRunID, Value: "17"},
	)
	stream := registry.Open(telemetry.StreamSettings{ID: "f", Agent: claude, Identity: identity})
	feed := func(sc script) {
		for _, evs := range sc {
			stream.Feed(telemetry.Line{}, clone(evs))
		}
	}
	feed(parallelTools())
	out := registry.Take()
	assert.Zero(t, out.Traces.SpanCount(), "it may go on")
	now = now.Add(s.PipelineIdle + time.Second)
	out = registry.Take()
	assert.Equal(t, 1, out.Traces.SpanCount())
	feed(script{line(started()), line(text(20, "msg8", "Late.")), line(ended(""))})
	now = now.Add(s.PipelineIdle + time.Second)
	out = registry.Take()
	assert.Zero(t, out.Traces.SpanCount(), "never twice")
}

func TestOuterTrace(t *testing.T) {
	parent := telemetry.Parent{TraceID: [16]byte{1, 2, 3}, SpanID: [8]byte{4, 5}}
	registry := newRegistry()
	stream := registry.Open(telemetry.StreamSettings{ID: "f", Agent: claude, Parent: parent})
	for _, evs := range parallelTools() {
		stream.Feed(telemetry.Line{}, clone(evs))
	}
	var f folded
	f.take(stream.Take())
	run := f.span(t, "invoke_agent claude-code")
	assert.Equal(t, parent.TraceID, run.TraceID())
	assert.Equal(t, parent.SpanID, run.ParentSpanID())
}

// TestSilentFold proves what a restart relies on: folding silently up to any line and then reading on gives exactly what
// was not given before.
func TestSilentFold(t *testing.T) {
	spawn := use(8, "msg3", "a1", "Agent", "Look")
	spawn.Tool.AgentType = "Explore"
	sc := append(parallelTools()[:7:7],
		line(spawn), line(under("a1", use(9, "sub1", "t3", "Read", "y")), under("a1", text(9, "sub1", "Hm."))),
		line(under("a1", result(10, "t3"))), line(result(11, "a1")), line(ended("")),
		line(started()), line(text(20, "msg8", "Second.")), line(ended("")))
	everything := describe(t, sc, 0)
	for position := range len(sc) {
		before := describeUntil(t, sc, position)
		after := describe(t, sc, position)
		assert.Equal(t, everything, append(before, after...), "cut before line %d", position)
	}
}

func describe(t *testing.T, sc script, position int) []string {
	t.Helper()
	return run(sc, func(i int) bool { return i < position }, len(sc))
}

func describeUntil(t *testing.T, sc script, position int) []string {
	t.Helper()
	return run(sc, func(int) bool { return false }, position)
}

// run folds the first n lines and lists what comes out, without the end of the stream.
func run(sc script, silent func(i int) bool, n int) []string {
	stream := newRegistry().Open(telemetry.StreamSettings{ID: "f", Agent: claude})
	list := []string{}
	for i, evs := range sc[:n] {
		stream.Feed(telemetry.Line{Offset: int64(i), Silent: silent(i)}, clone(evs))
		var f folded
		f.take(stream.Take())
		for _, s := range f.spans {
			list = append(list, fmt.Sprint("span ", s.Name(), s.SpanID(), s.ParentSpanID(), s.StartTimestamp(), s.EndTimestamp(), s.Attributes().AsRaw()))
		}
		for _, lr := range f.records {
			list = append(list, fmt.Sprint("record ", lr.EventName(), lr.SpanID(), lr.Timestamp(), lr.Attributes().AsRaw()))
		}
	}
	return list
}

func TestBoundedCalls(t *testing.T) {
	s := telemetry.NewDefaultSettings()
	s.Limits.OpenCalls, s.Limits.RememberedIDs, s.Limits.HeldEvents = 3, 5, 4
	stream := telemetry.NewRegistry(s).Open(telemetry.StreamSettings{ID: "f", Agent: claude})
	for i := range 50 {
		stream.Feed(telemetry.Line{Offset: int64(i)}, line(use(float64(i), "msg1", fmt.Sprint("t", i), "Read", "x")))
	}
	out := stream.Take()
	assert.Equal(t, 47, out.Counts.EvictedCalls)
	assert.Equal(t, 47, out.Traces.SpanCount())
	// What waits for a key is bounded too.
	stream = telemetry.NewRegistry(s).Open(telemetry.StreamSettings{ID: "f", Agent: claude})
	for i := range 10 {
		stream.Feed(telemetry.Line{Offset: int64(i)}, line(events.DisplayEvent{Kind: events.KindNotice, Time: at(1), SessionID: "s1", Text: "x"}))
	}
	assert.Equal(t, 10, stream.Take().Logs.LogRecordCount())
}

// TestFoldOfNoise feeds random events: whatever comes, the tree stays whole and every call has one span.
func TestFoldOfNoise(t *testing.T) {
	for seed := range uint64(300) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			ids := []string{"", "a", "b", "c", "d"}
			pick := func() string { return ids[rng.IntN(len(ids))] }
			var sc script
			for i := range 60 {
				ev := events.DisplayEvent{
					Kind: events.Kinds()[rng.IntN(len(events.Kinds()))], SessionID: "s1", MessageID: pick(), ParentID: pick(), AgentID: pick(),
					ItemID: fmt.Sprint("i", i), Tool: events.Tool{ID: pick(), Name: pick(), State: events.ToolState(rng.IntN(6)), Error: rng.IntN(3) == 0},
				}
				if rng.IntN(2) == 0 {
					ev.Time = at(float64(rng.IntN(100)))
				}
				if rng.IntN(3) == 0 {
					ev.End = &events.End{Error: rng.IntN(2) == 0}
				}
				sc = append(sc, line(ev))
			}
			fold(t, sc, telemetry.StreamSettings{FileTime: at(50)}, telemetry.CloseReasonShutdown)
		})
	}
}

// TestCopiedHistoryAdoptsNobody reads a fork and a sub-agent of the session that it was forked from, but not that session:
// no span of the history goes out, so the sub-agent is an orphan with a trace of its own.
func TestCopiedHistoryAdoptsNobody(t *testing.T) {
	spawn := use(1, "msg-1", "c1", "spawn", "look around")
	spawn.Copied = true
	answer := result(3, "c1")
	answer.Tool.AgentID, answer.Copied = "child", true
	work := text(2, "msg-2", "looking")
	work.SessionID, work.AgentID = "child", "child"

	registry := newRegistry()
	fork := registry.Open(telemetry.StreamSettings{ID: "fork", Agent: claude})
	child := registry.Open(telemetry.StreamSettings{ID: "child", Agent: claude})
	var f folded
	fork.Feed(telemetry.Line{}, line(spawn))
	fork.Feed(telemetry.Line{Offset: 1}, line(answer))
	child.Feed(telemetry.Line{}, line(work))
	for _, s := range []*telemetry.Stream{fork, child} {
		s.Close(telemetry.CloseReasonShutdown)
		f.take(s.Take())
	}
	agent := f.span(t, "invoke_agent claude-code")
	assert.Equal(t, "child", attr(agent, telemetry.AttrParentUnknown))
	assert.True(t, agent.ParentSpanID().IsEmpty(), "parent of %s", agent.Name())
	assert.Empty(t, otlpjson.Check(f.traces...))
}
