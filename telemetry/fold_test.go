package telemetry_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

func TestRunWithParallelTools(t *testing.T) {
	f := collect(t, parallelTools(), telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
	assert.Equal(t, "execute_tool Read, execute_tool Bash, chat m1, chat m1, invoke_agent claude-code", f.names())
	run, read, bash := f.span(t, "invoke_agent claude-code"), f.span(t, "execute_tool Read"), f.span(t, "execute_tool Bash")
	assert.True(t, run.ParentSpanID().IsEmpty())
	assert.Equal(t, run.SpanID(), read.ParentSpanID())
	from, to := seconds(read)
	assert.Equal(t, []float64{2, 4}, []float64{from, to})
	assert.Equal(t, ptrace.StatusCodeUnset, read.Status().Code())
	assert.Equal(t, ptrace.StatusCodeError, bash.Status().Code())
	assert.Equal(t, "Exit code 1", bash.Status().Message())
	assert.Equal(t, otlp.ErrorTypeTool, attr(bash, otlp.AttrErrorType))
	assert.Equal(t, "result", attr(run, otlp.AttrCloseReason))
	assert.Equal(t, "msg1", keyID(run))
	// The second model call begins with the last result before it.
	from, to = seconds(f.spans[3])
	assert.Equal(t, []float64{3, 6}, []float64{from, to})
	assert.Len(t, f.records, 8)
	for i, lr := range f.records {
		assert.Equal(t, run.TraceID(), lr.TraceID())
		v, _ := lr.Attributes().Get(otlp.AttrSequence)
		assert.EqualValues(t, i+1, v.Int())
	}
	// A result's record names its tool, so that readers need no context.
	v, _ := f.records[4].Attributes().Get(otlp.AttrGenAIToolName)
	assert.Equal(t, "Read", v.Str())
	v, _ = f.records[4].Attributes().Get(otlp.AttrToolTarget)
	assert.Equal(t, "/a/b.go", v.Str())
	assert.Equal(t, plog.SeverityNumberError, f.records[5].SeverityNumber())
}

func TestSubAgents(t *testing.T) {
	spawn := use(1, "msg1", "a1", "Agent", "Look around")
	spawn.Tool.AgentType = "Explore"
	inner := under("a1", use(3, "sub1", "a2", "Agent", "Deeper"))
	f := collect(t, script{
		line(started()), line(spawn),
		line(under("a1", text(2, "sub1", "On it."))),
		line(inner),
		line(under("a2", use(4, "sub2", "t1", "Grep", "x"))),
		line(under("a2", result(5, "t1"))),
		line(under("a1", result(6, "a2"))),
		line(result(7, "a1")),
		line(text(8, "msg2", "Done.")), line(ended("")),
	}, telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
	explore := f.span(t, "invoke_agent Explore")
	nested := f.span(t, "invoke_agent Agent")
	grep := f.span(t, "execute_tool Grep")
	assert.Equal(t, nested.SpanID(), grep.ParentSpanID())
	var outerCall, innerCall ptrace.Span
	for _, s := range f.spans {
		switch attr(s, otlp.AttrGenAIToolCallID) {
		case "a1":
			outerCall = s
		case "a2":
			innerCall = s
		}
	}
	assert.Equal(t, outerCall.SpanID(), explore.ParentSpanID())
	assert.Equal(t, explore.SpanID(), innerCall.ParentSpanID())
	assert.Equal(t, innerCall.SpanID(), nested.ParentSpanID())
	assert.Equal(t, "1", attr(f.span(t, "invoke_agent claude-code"), otlp.AttrToolCalls))
}

func TestBackgroundAgentOutlivesCallAndRun(t *testing.T) {
	spawn := use(1, "msg1", "a1", "Agent", "Slow work")
	spawn.Tool.AgentType = "general-purpose"
	launched := result(1.5, "a1")
	launched.Tool.State, launched.Tool.AgentID = events.ToolStateBackground, "agent-7"
	f := collect(t, script{
		line(started()), line(spawn), line(launched),
		line(under("a1", use(2, "sub1", "t1", "Read", "x"))),
		line(text(3, "msg2", "Waiting.")), line(ended("")),
		line(under("a1", result(9, "t1"))),
		line(progress("a1", events.ToolStateCompleted)),
	}, telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
	sub := f.span(t, "invoke_agent general-purpose")
	assert.Equal(t, "true", attr(sub, otlp.AttrBackground))
	assert.Equal(t, "result", attr(sub, otlp.AttrCloseReason))
	_, to := seconds(sub)
	assert.InDelta(t, 9, to, 0.001)
	_, to = seconds(f.span(t, "execute_tool Agent"))
	assert.InDelta(t, 1.5, to, 0.001)
	_, to = seconds(f.span(t, "invoke_agent claude-code"))
	assert.InDelta(t, 3, to, 0.001)
	assert.Equal(t, "result", attr(f.span(t, "execute_tool Read"), otlp.AttrCloseReason))
	assert.Equal(t, 0, f.counts.UnclosedCalls)
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
		{"no ids at all", noIDs, "begins@0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := collect(t, tt.script, telemetry.StreamSettings{FileTime: at(3), Fingerprint: "begins"}, otlp.CloseReasonShutdown)
			assert.Equal(t, tt.want, keyID(f.span(t, "invoke_agent claude-code")))
		})
	}
}

func TestTwoRunsOfOneStream(t *testing.T) {
	second := script{line(started()), line(text(20, "msg8", "Second.")), line(ended(""))}
	f := collect(t, append(parallelTools(), second...), telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
	traces := map[string]int{}
	for _, s := range f.spans {
		if s.ParentSpanID().IsEmpty() {
			traces[s.TraceID().String()]++
		}
	}
	assert.Len(t, traces, 2, "a trace for each run")
}

func TestBoundedCalls(t *testing.T) {
	s := telemetry.NewDefaultSettings()
	s.Limits.OpenCalls, s.Limits.RememberedIDs, s.Limits.PendingEvents = 3, 5, 4
	stream := telemetry.NewRegistry(s).Open(telemetry.StreamSettings{ID: "f", Agent: claude})
	for i := range 50 {
		stream.Feed(telemetry.Line{Offset: int64(i)}, line(use(float64(i), "msg1", fmt.Sprint("t", i), "Read", "x")))
	}
	out := stream.Take()
	assert.Equal(t, 47, out.Counts.EvictedCalls)
	assert.Equal(t, 47, out.Traces.SpanCount())
	// Events that wait for a key are bounded too.
	stream = telemetry.NewRegistry(s).Open(telemetry.StreamSettings{ID: "f", Agent: claude})
	for i := range 10 {
		stream.Feed(telemetry.Line{Offset: int64(i)}, line(events.DisplayEvent{Kind: events.KindNotice, Time: at(1), SessionID: "s1", Text: "x"}))
	}
	assert.Equal(t, 10, stream.Take().Logs.LogRecordCount())
}

// noise returns a script of random events.
func noise(rng *rand.Rand) script {
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
			ev.Tool.Duration = time.Duration(rng.IntN(20)) * time.Second
		}
		if rng.IntN(3) == 0 {
			ev.End = &events.End{Error: rng.IntN(2) == 0, Duration: time.Duration(rng.IntN(50)) * time.Second}
		}
		if n := len(sc); n > 0 && rng.IntN(4) == 0 {
			sc[n-1] = append(sc[n-1], ev)
		} else {
			sc = append(sc, line(ev))
		}
	}
	return sc
}

// TestNoise feeds random events: the tree stays complete, and every call has one span.
func TestNoise(t *testing.T) {
	for seed := range uint64(300) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			collect(t, noise(rand.New(rand.NewPCG(seed, 1))), telemetry.StreamSettings{FileTime: at(50)}, otlp.CloseReasonShutdown)
		})
	}
}

// TestCopiedHistoryEndsNobody reads a session, its copy in a fork, and a sub-agent of the session in the background. How the sub-agent
// ended is what the session says, even if the copy is read first and says something else.
func TestCopiedHistoryEndsNobody(t *testing.T) {
	launched := result(1.5, "a1")
	launched.Tool.State, launched.Tool.AgentID = events.ToolStateBackground, "ag1"
	session := func(end events.ToolState, copied bool) (sc script) {
		for _, ev := range []events.DisplayEvent{started(), use(1, "msg1", "a1", "Agent", "Look"), launched, text(4, "msg2", "Wait."), progress("a1", end)} {
			ev.Copied = copied
			sc = append(sc, line(ev))
		}
		return sc
	}
	files := map[string]script{
		"main": session(events.ToolStateCompleted, false), "fork": session(events.ToolStateFailed, true),
		"ag1": {line(of("ag1", text(2, "sub1", "Looking."))), line(of("ag1", signsOff(3, "sub1")))},
	}
	for _, order := range [][]string{{"main", "ag1", "fork"}, {"fork", "main", "ag1"}, {"ag1", "fork", "main"}} {
		registry := newRegistry()
		var f collected
		var open []*telemetry.Stream
		for _, name := range order {
			s := registry.Open(telemetry.StreamSettings{ID: name, Agent: claude, IdleGap: time.Hour})
			for i, evs := range files[name] {
				s.Feed(telemetry.Line{Offset: int64(i)}, clone(evs))
			}
			s.Idle()
			open = append(open, s)
		}
		for _, s := range open {
			s.Close(otlp.CloseReasonShutdown)
			f.take(s.Take())
		}
		f.take(registry.Close())
		assert.Equal(t, "ok", attr(f.span(t, "invoke_agent Agent"), otlp.AttrRunOutcome), order)
	}
}

// TestCopiedHistoryAdoptsNobody reads a fork and a sub-agent of the session that was forked, but not that session: no
// span of the history is exported, so the sub-agent has no parent and gets its own trace.
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
	var f collected
	fork.Feed(telemetry.Line{}, line(spawn))
	fork.Feed(telemetry.Line{Offset: 1}, line(answer))
	child.Feed(telemetry.Line{}, line(work))
	for _, s := range []*telemetry.Stream{fork, child} {
		s.Close(otlp.CloseReasonShutdown)
		f.take(s.Take())
	}
	agent := f.span(t, "invoke_agent claude-code")
	assert.Equal(t, "child", attr(agent, otlp.AttrParentUnknown))
	assert.True(t, agent.ParentSpanID().IsEmpty(), "parent of %s", agent.Name())
	assert.Empty(t, otlpjson.Check(f.traces...))
}
