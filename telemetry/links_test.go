package telemetry_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// twoFiles returns a run with a call that starts a sub-agent, and the sub-agent's separate file.
func twoFiles(answer ...[]events.DisplayEvent) (parent, child script) {
	spawn := use(1, "msg1", "a1", "Agent", "Look")
	spawn.Tool.AgentType = "Explore"
	running := progress("a1", events.ToolStateRunning)
	running.Tool.AgentID = "ag1"
	parent = append(script{line(started()), line(spawn), line(running)}, answer...)
	last := text(6, "sub2", "Done.")
	last.Sign.Outcome = events.OutcomeOK
	child = script{
		line(of("ag1", text(2, "sub1", "Looking."))), line(of("ag1", use(3, "sub1", "t1", "Grep", "x"))),
		line(of("ag1", result(4, "t1"))), line(of("ag1", last)),
	}
	return parent, child
}

// TestChildOfItsOwnFile: the span of a sub-agent in a separate file ends with its call, however that ends, and is
// marked if it is not inside the call. Both orders of reading have the same result.
func TestChildOfItsOwnFile(t *testing.T) {
	answer, early := result(9, "a1"), result(5, "a1")
	launched := result(1.5, "a1")
	launched.Tool.State = events.ToolStateBackground
	stopped := ended("")
	stopped.End.Interrupted = true
	for _, tt := range []struct {
		name       string
		answer     [][]events.DisplayEvent
		reason     string
		failed     bool
		background string
	}{
		{"result", script{line(answer), line(ended(""))}, "result", false, ""},
		{"failed", script{line(failed(9, "a1", "It broke.")), line(ended(""))}, "result", true, ""},
		{"it goes on after the result", script{line(early), line(ended(""))}, "result", false, "true"},
		{"no result", script{line(text(9, "msg2", "On.")), line(ended("Reached"))}, "no_result", true, ""},
		{"interrupted", script{line(text(9, "msg2", "On.")), line(stopped)}, "interrupted", false, ""},
		{"background", script{line(launched), line(ended("")), line(progress("a1", events.ToolStateCompleted))}, "result", false, "true"},
		{"background, failed", script{line(launched), line(ended("")), line(progress("a1", events.ToolStateFailed))}, "result", true, "true"},
		{"background, stopped", script{line(launched), line(ended("")), line(progress("a1", events.ToolStateStopped))}, "interrupted", false, "true"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var trees [][]string
			for _, parentFirst := range []bool{true, false} {
				f := readTwoFiles(tt.answer, parentFirst)
				checkTree(t, f)
				agent := f.span(t, "invoke_agent Explore")
				assert.Equal(t, f.span(t, "execute_tool Agent").SpanID(), agent.ParentSpanID())
				assert.Equal(t, tt.reason, attr(agent, otlp.AttrCloseReason))
				assert.Equal(t, statusIf(tt.failed), agent.Status().Code())
				assert.Equal(t, tt.background, attr(agent, otlp.AttrBackground))
				assert.Equal(t, agent.SpanID(), f.span(t, "execute_tool Grep").ParentSpanID())
				trees = append(trees, ids(f.spans))
			}
			assert.ElementsMatch(t, trees[0], trees[1])
		})
	}
}

// TestChildHasTheCallThatStartedIt: a sub-agent's file with a copy of the call that started it does not make the call its own, which
// would be a circle. Found by the pipeline fuzzer (seed 82001662).
func TestChildHasTheCallThatStartedIt(t *testing.T) {
	spawn := use(1, "msg1", "a1", "Agent", "Look")
	spawn.Tool.AgentType = "Explore"
	calls := map[string]script{"open": {line(of("ag1", spawn))}, "with its result": {line(of("ag1", spawn)), line(of("ag1", result(5, "a1")))}}
	for name, calls := range calls {
		for where := range 5 {
			for _, known := range []int{2, 3} { // lines of the parent that are read before the sub-agent: without and with its ID
				t.Run(fmt.Sprintf("%s, line %d, after %d lines", name, where, known), func(t *testing.T) {
					parent, child := twoFiles(line(result(9, "a1")), line(ended("")))
					child = slices.Insert(child, where, calls...)
					settings := telemetry.NewDefaultSettings()
					registry := telemetry.NewRegistry(settings)
					main, sub := registry.Open(telemetry.StreamSettings{ID: "main", Agent: claude}), registry.Open(telemetry.StreamSettings{ID: "sub", Agent: claude})
					var f collected
					for i, evs := range parent[:known] {
						main.Feed(telemetry.Line{Offset: int64(i)}, clone(evs))
					}
					for i, evs := range child {
						sub.Feed(telemetry.Line{Offset: int64(i)}, clone(evs))
					}
					sub.Close(otlp.CloseReasonShutdown)
					for i, evs := range parent[known:] {
						main.Feed(telemetry.Line{Offset: int64(known + i)}, clone(evs))
					}
					main.Close(otlp.CloseReasonShutdown)
					for _, out := range []telemetry.Output{sub.Take(), main.Take(), registry.Take(), registry.Close()} {
						f.take(out)
					}
					checkTree(t, &f)
					assert.Empty(t, otlpjson.Check(f.traces...))
					f.span(t, "execute_tool Agent")
				})
			}
		}
	}
}

// readTwoFiles reads both files, one after the other, and waits until they count as quiet.
func readTwoFiles(answer [][]events.DisplayEvent, parentFirst bool) *collected {
	parent, child := twoFiles(answer...)
	now := at(1000)
	settings := telemetry.NewDefaultSettings()
	settings.Now = func() time.Time { return now }
	registry := telemetry.NewRegistry(settings)
	main, sub := registry.Open(telemetry.StreamSettings{ID: "main", Agent: claude}), registry.Open(telemetry.StreamSettings{ID: "sub", Agent: claude})
	var f collected
	read := func(s *telemetry.Stream, sc script) {
		for i, evs := range sc {
			s.Feed(telemetry.Line{Offset: int64(i)}, clone(evs))
			f.take(s.Take())
		}
		s.Idle()
		f.take(s.Take())
	}
	if parentFirst {
		read(main, parent)
		read(sub, child)
	} else {
		read(sub, child)
		read(main, parent)
	}
	now = now.Add(settings.ParentWait + time.Second)
	f.take(registry.Take())
	f.take(registry.Close())
	return &f
}

// TestLargeGroup: agents beyond the listed members of a group are still children of the group's call.
func TestLargeGroup(t *testing.T) {
	const agents = 300
	parent, _ := twoFiles()
	now := at(1000)
	settings := telemetry.NewDefaultSettings()
	settings.Now = func() time.Time { return now }
	registry := telemetry.NewRegistry(settings)
	var f collected
	main := registry.Open(telemetry.StreamSettings{ID: "main", Agent: claude})
	f.read(main, 0, parent)
	for i := range agents {
		id := "member" + strconv.Itoa(i)
		f.read(registry.Open(telemetry.StreamSettings{ID: id, Agent: claude, Group: "ag1"}), 0, script{line(of(id, text(2, id, "Looking.")))})
	}
	f.read(main, len(parent), script{line(result(9, "a1")), line(ended(""))})
	now = now.Add(settings.ParentWait + time.Second)
	f.take(registry.Take())
	f.take(registry.Close())
	call, under := f.span(t, "execute_tool Agent").SpanID(), 0
	for _, s := range f.spans {
		if strings.HasPrefix(s.Name(), "invoke_agent") && s.ParentSpanID() == call {
			under++
		}
	}
	assert.Equal(t, agents, under)
}

// read feeds a stream lines from an index on and reports that no more are available.
func (f *collected) read(s *telemetry.Stream, from int, sc script) {
	for i, evs := range sc {
		s.Feed(telemetry.Line{Offset: int64(from + i)}, clone(evs))
		f.take(s.Take())
	}
	s.Idle()
	f.take(s.Take())
}

// TestLastWordsOfASubAgent: the last lines of a sub-agent's file may be read after its parent's, although they were
// written before. They belong to its span.
func TestLastWordsOfASubAgent(t *testing.T) {
	parent, child := twoFiles(line(result(9, "a1")), line(ended("")))
	registry := newRegistry()
	main, sub := registry.Open(telemetry.StreamSettings{ID: "main", Agent: claude}), registry.Open(telemetry.StreamSettings{ID: "sub", Agent: claude})
	var f collected
	last := len(child) - 1
	f.read(sub, 0, child[:last])
	f.read(main, 0, parent)
	f.read(sub, last, child[last:])
	checkTree(t, &f)
	_, to := seconds(f.span(t, "invoke_agent Explore"))
	assert.InDelta(t, 6, to, 0.001)
	assert.Equal(t, "chat m1, chat m1, chat m1", strings.Join(slices.DeleteFunc(strings.Split(f.names(), ", "), func(name string) bool { return name != "chat m1" }), ", "))
	assert.Zero(t, f.counts.LateAgents)
}

// TestSubAgentReadLineByLine: the result of the call may be read before all of the sub-agent's lines, each of which is the last
// one for a while. All of them belong to its span. A file that shows no end is waited for as long as more lines may follow.
func TestSubAgentReadLineByLine(t *testing.T) {
	for name, lines := range map[string]int{"whole": 4, "cut short": 3} {
		t.Run(name, func(t *testing.T) {
			parent, child := twoFiles(line(result(9, "a1")), line(ended("")))
			now := at(1000)
			settings := telemetry.NewDefaultSettings()
			settings.Now = func() time.Time { return now }
			registry := telemetry.NewRegistry(settings)
			main, sub := registry.Open(telemetry.StreamSettings{ID: "main", Agent: claude}), registry.Open(telemetry.StreamSettings{ID: "sub", Agent: claude})
			var f collected
			f.read(main, 0, parent)
			for i := range child[:lines] {
				f.read(sub, i, child[i:i+1])
			}
			assert.Equal(t, lines == len(child), strings.Contains(f.names(), "invoke_agent Explore"), "its span does not wait for longer than it has to")
			now = now.Add(settings.ParentWait + 2*time.Second)
			f.take(registry.Take())
			checkTree(t, &f)
			agent := f.span(t, "invoke_agent Explore")
			_, to := seconds(agent)
			assert.InDelta(t, map[int]float64{3: 4, 4: 6}[lines], to, 0.001)
			assert.Equal(t, agent.SpanID(), f.span(t, "execute_tool Grep").ParentSpanID())
			assert.Empty(t, attr(f.span(t, "execute_tool Grep"), otlp.AttrBackground))
			assert.Zero(t, f.counts.LateAgents)
		})
	}
}

// TestLateWordsOfASubAgent: what follows after the span of a sub-agent in a separate file was exported becomes records,
// which are counted, and calls, but never a second span.
func TestLateWordsOfASubAgent(t *testing.T) {
	parent, child := twoFiles(line(result(9, "a1")), line(ended("")))
	child[len(child)-1][0].Sign = events.Sign{} // after a shown end, a prompt starts a separate task
	now := at(1000)
	settings := telemetry.NewDefaultSettings()
	settings.Now = func() time.Time { return now }
	registry := telemetry.NewRegistry(settings)
	main, sub := registry.Open(telemetry.StreamSettings{ID: "main", Agent: claude}), registry.Open(telemetry.StreamSettings{ID: "sub", Agent: claude})
	var f collected
	f.read(main, 0, parent)
	f.read(sub, 0, child)
	now = now.Add(settings.ParentWait + time.Second)
	f.take(registry.Take())
	before := len(f.records)
	late := script{
		line(of("ag1", prompt(20, "again"))), line(of("ag1", text(21, "sub9", "One more thing."))),
		line(of("ag1", use(22, "sub9", "t9", "Read", "x"))), line(of("ag1", result(24, "t9"))),
	}
	f.read(sub, len(child), late)
	sub.Close(otlp.CloseReasonTimeout)
	f.take(sub.Take())
	checkTree(t, &f)
	agent, read := f.span(t, "invoke_agent Explore"), f.span(t, "execute_tool Read")
	assert.Equal(t, 1, strings.Count(f.names(), "invoke_agent Explore"))
	assert.Equal(t, agent.SpanID(), read.ParentSpanID())
	from, to := seconds(read)
	assert.Equal(t, []float64{22, 24}, []float64{from, to}, "a late call has its own times")
	assert.Equal(t, "true", attr(read, otlp.AttrBackground))
	assert.Len(t, f.records[before:], len(late))
	for _, lr := range f.records[before:] {
		assert.Equal(t, agent.TraceID(), lr.TraceID())
	}
	assert.Equal(t, len(late), f.counts.LateAgents)
}

// TestFirstWordsAfterAPause: the first model call of a sub-agent without a parent is exported also if a pause separates it from
// the call of a tool before it (fuzzer, seed 11003675).
func TestFirstWordsAfterAPause(t *testing.T) {
	const day = 24 * 3600
	f := collect(t, script{
		line(of("ag1", use(1, "", "c1", "Bash", "ls"))), line(of("ag1", text(day, "m1", "Looking.")), of("ag1", used(day, "m1", 10, 3))),
	}, telemetry.StreamSettings{IdleGap: time.Hour}, otlp.CloseReasonShutdown)
	assert.Equal(t, [4]string{"10", "3", "", ""}, tokensOf(f.span(t, "chat m1")))
	assert.Empty(t, otlpjson.Check(f.traces...))
}

// ids identifies spans by everything that two orders of reading must agree on.
func ids(spans []ptrace.Span) []string {
	var list []string
	for _, s := range spans {
		list = append(list, s.Name()+s.TraceID().String()+s.SpanID().String()+s.ParentSpanID().String()+s.StartTimestamp().String()+s.EndTimestamp().String())
	}
	return list
}

// TestChildIsNotKeptWaiting: a sub-agent whose call is never announced becomes a child of the run, with a mark, some
// time after the run is over.
func TestChildIsNotKeptWaiting(t *testing.T) {
	now := at(100)
	settings := telemetry.NewDefaultSettings()
	settings.Now = func() time.Time { return now }
	registry := telemetry.NewRegistry(settings)
	main, sub := registry.Open(telemetry.StreamSettings{ID: "main", Agent: claude}), registry.Open(telemetry.StreamSettings{ID: "sub", Agent: claude})
	inTurn := func(ev events.DisplayEvent) []events.DisplayEvent {
		ev.TurnID = "turn1"
		return line(ev)
	}
	main.Feed(telemetry.Line{}, inTurn(text(1, "msg1", "Hi.")))
	sub.Feed(telemetry.Line{}, inTurn(of("ag1", text(2, "sub1", "Looking."))))
	main.Feed(telemetry.Line{Offset: 1}, inTurn(ended("")))
	assert.Zero(t, registry.Take().Traces.SpanCount(), "its call may come")
	now = now.Add(settings.ParentWait + time.Second)
	var f collected
	f.take(registry.Take())
	f.take(main.Take())
	f.take(sub.Take())
	agent := f.span(t, "invoke_agent")
	assert.Equal(t, f.span(t, "invoke_agent claude-code").SpanID(), agent.ParentSpanID())
	assert.Equal(t, "ag1", attr(agent, otlp.AttrParentUnknown))
	require.Len(t, f.records, 3)
}

// TestEndOfACallInAnotherRun: the end of the call that started a sub-agent shows how the sub-agent ended, even if the
// call is in another run than the turn of the sub-agent's file.
func TestEndOfACallInAnotherRun(t *testing.T) {
	now := at(100)
	settings := telemetry.NewDefaultSettings()
	settings.Now = func() time.Time { return now }
	registry := telemetry.NewRegistry(settings)
	main, sub := registry.Open(telemetry.StreamSettings{ID: "main", Agent: claude}), registry.Open(telemetry.StreamSettings{ID: "sub", Agent: claude})
	inTurn := func(ev events.DisplayEvent) []events.DisplayEvent {
		ev.TurnID = "turn1"
		return line(ev)
	}
	var f collected
	f.read(main, 0, script{inTurn(text(1, "msg1", "Hi."))})
	f.read(sub, 0, script{inTurn(of("ag1", text(2, "sub1", "Looking."))), inTurn(of("ag1", use(3, "sub1", "t1", "Read", "x")))})
	stopped := result(9, "a1")
	stopped.Tool.AgentID, stopped.Tool.State = "ag1", events.ToolStateStopped
	f.read(main, 1, script{
		line(ended("")), line(prompt(5, "p2")), line(text(6, "msg2", "I look.")), line(use(7, "msg2", "a1", "Agent", "a")), line(stopped),
	})
	now = now.Add(settings.ParentWait + time.Second)
	f.take(registry.Take())
	assert.Equal(t, "interrupted", attr(f.span(t, "invoke_agent"), otlp.AttrCloseReason))
}

// TestStreamWithSubAgents: a stream that contains its sub-agents' sessions among its own is not a sub-agent's, although
// such a session starts before the first answer, and its start is not the start of a run.
func TestStreamWithSubAgents(t *testing.T) {
	inner := func(ev events.DisplayEvent) []events.DisplayEvent {
		ev.SessionID, ev.AgentID, ev.ItemID = "child", "child", "child"+ev.ItemID
		return line(ev)
	}
	begun := started()
	begun.ItemID, begun.Time, begun.SessionID = "child", at(2), "child"
	begun.Session = &events.Session{ParentID: "s1", SubAgent: true}
	second := begun
	second.ItemID = "child2"
	f := collect(t, script{
		line(started()), line(prompt(1, "p1")), line(begun), line(use(3, "msg1", "a1", "Agent", "Look")), inner(under("a1", text(4, "sub1", "Looking."))),
		line(second), line(result(6, "a1")), line(text(7, "msg2", "Done.")), line(ended("")),
	}, telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
	run := f.span(t, "invoke_agent claude-code")
	assert.Equal(t, "msg1", keyID(run))
	assert.Empty(t, attr(run, otlp.AttrParentUnknown))
	assert.Equal(t, 1, strings.Count(f.names(), "invoke_agent claude-code"))
	for _, lr := range f.records {
		assert.Equal(t, run.TraceID(), lr.TraceID(), lr.EventName())
	}
}

// TestChildOfACallOfUnknownTime: the span of a sub-agent in a separate file is marked unless it is known to be inside the span of the
// call that started it. An end that something else showed than that call says nothing about the call's time.
func TestChildOfACallOfUnknownTime(t *testing.T) {
	open, child := twoFiles()
	other := slices.Concat(script{line(prompt(0.5, "p8"))}, asks(1.5, "msg8", "a1", "ag1"), script{line(result(9, "a1")), line(ended(""))})
	again := asks(3, "msg2", "a2", "ag1")
	notice := progress("a1", events.ToolStateCompleted)
	notice.Tool.AgentID = "ag1"
	early := script{line(result(5, "a1")), line(ended(""))}
	for _, tt := range []struct {
		name        string
		main, other script // the stream of the call, and what is read of another one before that call ends
		answer      script // the end of the call
		background  string
	}{
		{"its result", open, nil, script{line(result(9, "a1")), line(ended(""))}, ""},
		{"the next call of the agent, before its result", slices.Concat(open, again), nil, slices.Concat(early[:1], script{line(result(9, "a2"))}, early[1:]), "true"},
		{"the same call in another run", open, other, early, "true"},
		{"a notice in a copy", open, script{line(started()), line(use(1, "msg8", "a1", "Agent", "Look")), line(result(2, "a1")), line(notice)}, early, "true"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now, settings := at(1000), telemetry.NewDefaultSettings()
			settings.Now = func() time.Time { return now }
			registry := telemetry.NewRegistry(settings)
			stream := func(id string) *telemetry.Stream {
				return registry.Open(telemetry.StreamSettings{ID: id, Agent: claude})
			}
			var f collected
			main := stream("main")
			f.read(main, 0, tt.main)
			f.read(stream("other"), 0, tt.other)
			f.read(stream("sub"), 0, child)
			f.read(main, len(tt.main), tt.answer)
			now = now.Add(settings.ParentWait + time.Second)
			f.take(registry.Take())
			f.take(registry.Close())
			checkTree(t, &f)
			assert.Equal(t, tt.background, attr(f.span(t, "invoke_agent Explore"), otlp.AttrBackground))
		})
	}
}
