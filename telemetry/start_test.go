package telemetry_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// TestSessionOnTheRun: the session attributes of start lines are on the spans of its runs, and of no other session's.
func TestSessionOnTheRun(t *testing.T) {
	begin := started()
	begin.Session = &events.Session{WorkingDir: "/w/shop", Branch: "main", PermissionMode: "plan", PreviousID: "s0"}
	turn := events.DisplayEvent{Kind: events.KindTurnStarted, Time: at(4), SessionID: "s1", ItemID: "i-turn", Session: &events.Session{WorkingDir: "/w/shop/doc"}}
	other := text(20, "msg3", "Elsewhere.")
	other.SessionID = "s2"
	otherStart := events.DisplayEvent{Kind: events.KindSessionStarted, Time: at(19), SessionID: "s2", ItemID: "i-start-2", Session: &events.Session{}}
	f := collect(t, script{
		line(begin), line(text(1, "msg1", "One.")), line(ended("")),
		line(turn), line(text(5, "msg2", "Two.")), line(ended("")),
		line(otherStart), line(other),
	}, telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
	var runs []ptrace.Span
	for _, s := range f.spans {
		if attr(s, otlp.AttrGenAIOperationName) == otlp.OperationInvokeAgent {
			runs = append(runs, s)
		}
	}
	require.Len(t, runs, 3)
	for _, tt := range []struct {
		run             int
		dir, branch     string
		mode, continues string
	}{{0, "/w/shop", "main", "plan", "s0"}, {1, "/w/shop/doc", "main", "plan", "s0"}, {2, "", "", "", ""}} {
		assert.Equal(t, tt.dir, attr(runs[tt.run], otlp.AttrProcessWorkDir), "run %d", tt.run)
		assert.Equal(t, tt.branch, attr(runs[tt.run], otlp.AttrVCSHeadName), "run %d", tt.run)
		assert.Equal(t, tt.mode, attr(runs[tt.run], otlp.AttrPermissionMode), "run %d", tt.run)
		assert.Equal(t, tt.continues, attr(runs[tt.run], otlp.AttrSessionPrevious), "run %d", tt.run)
	}
}

// remark returns a notice that the program shows by itself.
func remark(sec float64) events.DisplayEvent {
	return events.DisplayEvent{Kind: events.KindNotice, Time: at(sec), SessionID: "s1", ItemID: "n1", Notice: events.Notice{Code: events.NoticeInformational}, Text: "A new version is there."}
}

// TestHeaderAlone: a transcript without a prompt is no run, but the stream of a process that wrote nothing else is one.
func TestHeaderAlone(t *testing.T) {
	header := started()
	header.Time, header.Model, header.Session = at(0), "", &events.Session{Recorded: true, Version: "1.2.3"}
	stream, asked, updated, broken, retry, failed := header, header, remark(1), remark(1), remark(1), remark(1)
	stream.Session, asked.Model = &events.Session{}, "m1"
	broken.Notice.Level, retry.Notice.Code, failed.Sign = events.LevelError, events.NoticeAPIRetry, events.Sign{Outcome: events.OutcomeInterrupted}
	for _, c := range []struct {
		name string
		of   script
		want int
	}{
		{"header of a transcript", script{line(header)}, 0},
		{"header, and what the program shows by itself", script{line(header), line(updated)}, 0},
		{"the model is known", script{line(asked)}, 1},
		{"start of a stream", script{line(stream)}, 1},
		{"a prompt", script{line(header), line(updated), line(prompt(2, "p1"))}, 1},
		{"a failure", script{line(header), line(broken)}, 1},
		{"a model call", script{line(header), line(retry)}, 1},
		{"a stop", script{line(header), line(failed)}, 1},
	} {
		for _, reason := range []otlp.CloseReason{otlp.CloseReasonShutdown, otlp.CloseReasonTimeout, otlp.CloseReasonTruncated} {
			f := collect(t, c.of, telemetry.StreamSettings{}, reason)
			assert.Len(t, f.spans, c.want, "%s, closed by %s", c.name, reason)
			assert.Equal(t, 1-c.want, f.counts.EmptySessions, c.name)
		}
	}
}

// TestPromptAfterTheHeader: a run begins with its prompt, however long the program was open before, and a program that was
// abandoned before a prompt is no separate run.
func TestPromptAfterTheHeader(t *testing.T) {
	header := started()
	header.Time, header.Model, header.Session = at(0), "", &events.Session{Recorded: true, Version: "1.2.3"}
	for name, rest := range map[string]script{
		"answered": {line(prompt(600, "p1")), line(text(602, "msg1", "Done."))},
		"failed":   {line(prompt(600, "p1"))},
	} {
		for _, gap := range []time.Duration{0, time.Minute} {
			f := collect(t, append(script{line(header), line(remark(1))}, rest...), telemetry.StreamSettings{IdleGap: gap}, otlp.CloseReasonTimeout)
			var runs int
			for _, s := range f.spans {
				if from, _ := seconds(s); strings.HasPrefix(s.Name(), "invoke_agent") {
					runs++
					assert.InDelta(t, 600, from, 0.001, "%s, idle gap %s", name, gap)
				}
			}
			assert.Equal(t, 1, runs, "%s, idle gap %s", name, gap)
			for _, traces := range f.traces {
				for _, rs := range traces.ResourceSpans().All() {
					version, _ := rs.Resource().Attributes().Get("service.version")
					assert.Equal(t, "1.2.3", version.Str(), "%s, idle gap %s", name, gap)
				}
			}
		}
	}
}

// TestHeaderForAPrompt: OpenCode creates a session for the prompt, which starts the work; another program may prompt later.
func TestHeaderForAPrompt(t *testing.T) {
	header := started()
	header.Time, header.Session = at(0), &events.Session{Recorded: true}
	require.NotEmpty(t, header.Model)
	for asked, want := range map[float64]float64{4: 0, 600: 600} {
		f := collect(t, script{line(header), line(prompt(asked, "p1")), line(text(asked+2, "msg1", "Done."))}, telemetry.StreamSettings{}, otlp.CloseReasonTimeout)
		from, _ := seconds(f.span(t, "invoke_agent claude-code"))
		assert.InDelta(t, want, from, 0.001)
	}
}

// TestCompaction checks that only the first model call after a compaction is marked, in the run or in the next.
func TestCompaction(t *testing.T) {
	notice := func(sec float64, id string) []events.DisplayEvent {
		return line(events.DisplayEvent{Kind: events.KindNotice, Time: at(sec), SessionID: "s1", ItemID: id, Notice: events.Notice{Code: events.NoticeCompaction}})
	}
	for semconv, key := range map[otlp.Semconv]string{otlp.SemconvGenAI01: "gen_ai.conversation.compacted", otlp.SemconvV141: "tailspan.conversation.compacted"} {
		settings := telemetry.NewDefaultSettings()
		settings.Semconv, settings.Now = semconv, func() time.Time { return at(1000) }
		stream := telemetry.NewRegistry(settings).Open(telemetry.StreamSettings{ID: "f", Agent: claude})
		for i, evs := range (script{
			line(started()), line(text(1, "msg1", "One.")), notice(2, "n1"), line(text(3, "msg2", "Two.")), line(text(4, "msg3", "Three.")), line(ended("")),
			notice(5, "n2"), line(prompt(6, "p2")), line(text(7, "msg4", "Four.")), line(ended("")),
		}) {
			stream.Feed(telemetry.Line{Offset: int64(i)}, evs)
		}
		var f collected
		f.take(stream.Take())
		compacted := map[string]bool{}
		for _, s := range f.spans {
			if id := attr(s, otlp.AttrGenAIResponseID); id != "" {
				compacted[id] = attr(s, key) == "true"
			}
		}
		assert.Equal(t, map[string]bool{"msg1": false, "msg2": true, "msg3": false, "msg4": true}, compacted, semconv)
	}
}

// TestStepStarted: the start of a live run is reported once, with model and agent. That of a sub-agent in a separate
// file is not, nor is that of a run that is read afterwards.
func TestStepStarted(t *testing.T) {
	persona := otlp.NewIdentity(otlp.Attribute{Key: otlp.AttrGenAIAgentName, Value: "fixer"})
	registry := newRegistry()
	parent := registry.Open(telemetry.StreamSettings{ID: "main", Agent: claude, Identity: persona})
	child := registry.Open(telemetry.StreamSettings{ID: "child", Agent: claude, Identity: persona})
	spawn := use(1, "msg1", "a1", "Agent", "Look")
	answer := result(9, "a1")
	answer.Tool.AgentID = "ag1"
	for i, evs := range (script{line(started()), line(spawn), line(answer)}) {
		parent.Feed(telemetry.Line{Offset: int64(i), Live: true, Arrival: at(2)}, evs)
	}
	child.Feed(telemetry.Line{Live: true, Arrival: at(3)}, line(of("ag1", text(3, "sub1", "Looking."))))
	afterwards := registry.Open(telemetry.StreamSettings{ID: "old", Agent: claude})
	afterwards.Feed(telemetry.Line{}, line(text(1, "old1", "Hi.")))
	var f collected
	for _, s := range []*telemetry.Stream{parent, child, afterwards} {
		f.take(s.Take())
	}
	var started []map[string]any
	for _, lr := range f.records {
		if lr.EventName() == otlp.EventNameStepStarted {
			started = append(started, lr.Attributes().AsRaw())
		}
	}
	require.Len(t, started, 1)
	assert.Equal(t, "m1", started[0][otlp.AttrGenAIRequestModel])
	assert.Equal(t, "fixer", started[0][otlp.AttrGenAIAgentName])
}

// TestProgress: records at each interval report the elapsed and the estimated remaining time of a live run.
func TestProgress(t *testing.T) {
	now := at(0)
	settings := telemetry.NewDefaultSettings()
	settings.Now = func() time.Time { return now }
	for expected, want := range map[time.Duration][]float64{0: {0, 0}, 25 * time.Second: {15, 4}, 12 * time.Second: {2, 0}} {
		now = at(0)
		registry := telemetry.NewRegistry(settings)
		stream := registry.Open(telemetry.StreamSettings{ID: "f", Agent: claude, ExpectedDuration: expected})
		stream.Feed(telemetry.Line{Live: true, Arrival: now}, line(text(0, "msg1", "Hi.")))
		var etas, elapsed []float64
		for _, sec := range []float64{5, 10, 15, 21} {
			now = at(sec)
			for _, rl := range registry.Take().Logs.ResourceLogs().All() {
				for _, lr := range rl.ScopeLogs().At(0).LogRecords().All() {
					assert.Equal(t, otlp.EventNameProgress, lr.EventName())
					raw := lr.Attributes().AsRaw()
					etas, elapsed = append(etas, raw[otlp.AttrStepETA].(float64)), append(elapsed, raw[otlp.AttrElapsed].(float64))
				}
			}
		}
		assert.Equal(t, []float64{10, 21}, elapsed, "expected %v", expected)
		assert.Equal(t, want, etas, "expected %v", expected)
		stream.Feed(telemetry.Line{Offset: 1, Live: true, Arrival: now}, line(ended("")))
		now = at(60)
		assert.Zero(t, registry.Take().Logs.LogRecordCount(), "the run is over")
	}
}

// TestLiveRecordsAreNumbered: the IDs of a live run's records derive from the run and the interval, never from the
// clock. A later process that continues the run continues the numbers and exports nothing under a used ID.
func TestLiveRecordsAreNumbered(t *testing.T) {
	settings := telemetry.NewDefaultSettings()
	var now time.Time
	settings.Now = func() time.Time { return now }
	exported := func(registry *telemetry.Registry, stream *telemetry.Stream, until float64) (uids []string, elapsed []float64) {
		take := func(out telemetry.Output) {
			var f collected
			f.take(out)
			for _, lr := range f.records {
				raw := lr.Attributes().AsRaw()
				switch lr.EventName() {
				case otlp.EventNameProgress:
					elapsed = append(elapsed, raw[otlp.AttrElapsed].(float64))
					fallthrough
				case otlp.EventNameStepStarted:
					uids = append(uids, raw[otlp.AttrLogRecordUID].(string))
				}
			}
		}
		take(stream.Take())
		for ; now.Before(at(until)); now = now.Add(5 * time.Second) {
			take(registry.Take())
		}
		return uids, elapsed
	}
	watched := func(clock float64) ([]string, telemetry.StreamState) {
		now = at(clock)
		registry := telemetry.NewRegistry(settings)
		stream := registry.Open(telemetry.StreamSettings{ID: "f", Agent: claude})
		stream.Feed(telemetry.Line{Live: true, Arrival: now}, line(text(0, "msg1", "Hi.")))
		uids, elapsed := exported(registry, stream, clock+25)
		assert.Equal(t, []float64{10, 20}, elapsed)
		state, _ := stream.State()
		return uids, state
	}
	first, state := watched(0)
	require.Len(t, first, 3)
	second, _ := watched(0.7)
	assert.Equal(t, first, second, "the clock takes no part")

	now = at(40)
	registry := telemetry.NewRegistry(settings)
	stream := registry.Open(telemetry.StreamSettings{ID: "f", Agent: claude, State: &state})
	stream.Feed(telemetry.Line{Replay: true}, line(text(0, "msg1", "Hi.")))
	stream.Feed(telemetry.Line{Offset: 1, Live: true, Arrival: now}, line(text(40, "msg2", "Still here.")))
	later, elapsed := exported(registry, stream, 65)
	assert.Equal(t, []float64{50, 60}, elapsed, "since the run's start")
	require.Len(t, later, 2)
	for _, uid := range later {
		assert.NotContains(t, first, uid)
	}
}

// TestPersona checks that only the top agent's run, tools and records have the persona.
func TestPersona(t *testing.T) {
	persona := otlp.NewIdentity(otlp.Attribute{Key: otlp.AttrGenAIAgentName, Value: "fixer"})
	spawn := use(1, "msg1", "a1", "Agent", "Look")
	spawn.Tool.AgentType = "Explore"
	f := collect(t, script{
		line(started()), line(spawn), line(under("a1", use(2, "sub1", "t1", "Grep", "x"))), line(under("a1", result(3, "t1"))), line(result(4, "a1")), line(ended("")),
	}, telemetry.StreamSettings{Identity: persona}, otlp.CloseReasonShutdown)
	for name, want := range map[string]string{
		"invoke_agent fixer": "fixer", "execute_tool Agent": "fixer", "chat m1": "Explore", "invoke_agent Explore": "Explore", "execute_tool Grep": "Explore",
	} {
		assert.Equal(t, want, attr(f.span(t, name), otlp.AttrGenAIAgentName), name)
	}
	for _, lr := range f.records {
		v, _ := lr.Attributes().Get(otlp.AttrGenAIAgentName)
		_, inner := lr.Attributes().Get(otlp.AttrParentCallID)
		assert.Equal(t, inner, v.Str() == "Explore", lr.EventName())
	}
	orphan := collect(t, script{line(of("ag1", text(1, "sub1", "Alone.")))}, telemetry.StreamSettings{Identity: persona}, otlp.CloseReasonShutdown)
	run := orphan.span(t, "invoke_agent claude-code")
	assert.Equal(t, "ag1", attr(run, otlp.AttrParentUnknown))
	assert.Equal(t, "ag1", attr(run, otlp.AttrAgentID))
}
