package telemetry_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/program"
	"github.com/tailspan/tailspan/telemetry"
)

// TestAccountsAtOnce opens the accounts of a run concurrently: one of them is the first. Run it with -race.
func TestAccountsAtOnce(t *testing.T) {
	account := func(recorded bool, message, call string) script {
		start := started()
		start.Session.Recorded, start.ItemID = recorded, ""
		return script{line(start), line(text(1, message, "I look.")), line(use(2, message, call, "shell", "ls")), line(result(3, call)), line(ended(""))}
	}
	for _, agent := range []program.Agent{claude, {Provider: "codex", ServiceName: "codex", StreamIDs: true}} {
		message, call := "", "item_1"
		if !agent.StreamIDs {
			message, call = "msg1", "call_1"
		}
		for range 200 {
			registry, got := newRegistry(), sink{}
			var reading sync.WaitGroup
			for id, sc := range map[string]script{"stream": account(false, message, call), "transcript": account(true, "msg1", "call_1")} {
				reading.Go(func() {
					s := registry.Open(telemetry.StreamSettings{ID: id, Agent: agent})
					for i, evs := range sc {
						s.Feed(telemetry.Line{Offset: int64(i)}, clone(evs))
					}
					s.Idle()
					got.take(s.Take())
					s.Close(otlp.CloseReasonNoResult)
					got.take(s.Take())
				})
			}
			reading.Wait()
			got.take(registry.Close())
			runs := 0
			for _, s := range got.f.spans {
				if attr(s, otlp.AttrRunKey) != "" {
					runs++
				}
			}
			require.Equal(t, 1, runs, agent.Provider)
		}
	}
}

// TestSubAgentOfTheSecondTranscript: if the second of two transcripts of a session has a sub-agent that the first
// lacks, its work is exported. A sub-agent that both have is exported once.
func TestSubAgentOfTheSecondTranscript(t *testing.T) {
	agent := program.Agent{Provider: "opencode", ServiceName: "opencode", OwnMessageIDs: true}
	helper := func(sec float64, call, id, tool string) []events.DisplayEvent {
		asked := under(call, prompt(sec, "p-"+id))
		asked.AgentID = id
		used, answered := under(call, use(sec+1, "m-"+id, id+"-1", tool, "x")), under(call, result(sec+2, id+"-1"))
		used.AgentID, answered.AgentID = id, id
		done := result(sec+3, call)
		done.Tool.AgentID = id
		return line(asked, used, answered, done)
	}
	transcript := func(more ...[]events.DisplayEvent) script {
		start := started()
		start.Session.Recorded = true
		return append(script{line(start), line(prompt(1, "p1")), line(text(2, "msg1", "I look."))}, more...)
	}
	both := [][]events.DisplayEvent{line(use(3, "msg1", "c1", "task", "a")), helper(3, "c1", "a1", "read")}
	// The sub-agent in both transcripts made one more call, and the end of its own call follows in both.
	more := under("c1", use(5, "m-a1", "a1-2", "write", "y"))
	more.AgentID = "a1"
	both[1], both = both[1][:3], append(both, both[1][3:])
	longer := append(slices.Clone(both[:2]), line(more), both[2])
	streams := map[string]script{
		"short": transcript(both...),
		"long":  transcript(append(longer, line(use(8, "msg2", "c2", "task", "b")), helper(8, "c2", "a2", "grep"))...),
	}
	streams["beginning"] = transcript()
	for _, order := range [][]string{{"short", "long"}, {"long", "short"}, {"beginning", "short", "long"}} { // of three, the second may be the first with an agent
		got := map[string]int{}
		for _, s := range readAll(t, agent, streams, order...).spans {
			got[s.Name()]++
		}
		want := map[string]int{
			"invoke_agent opencode": 1, "chat m1": 4, "execute_tool task": 2, "invoke_agent task": 2, "execute_tool read": 1, "execute_tool write": 1, "execute_tool grep": 1,
		}
		assert.Equal(t, want, got, order)
	}
}

// TestSubAgentAfterItsRun: a sub-agent that is active after its run in two transcripts has the span from the first,
// even if the second contains less of it and ends earlier.
func TestSubAgentAfterItsRun(t *testing.T) {
	agent := program.Agent{Provider: "opencode", ServiceName: "opencode", OwnMessageIDs: true}
	of := func(ev events.DisplayEvent) []events.DisplayEvent {
		ev = under("c1", ev)
		ev.AgentID = "a1"
		return line(ev)
	}
	start := started()
	start.Session.Recorded = true
	whole := script{
		line(start), line(prompt(1, "p1")), line(text(2, "msg1", "I look.")), line(use(3, "msg1", "c1", "task", "a")), line(result(9, "c1")), line(ended("")),
		of(prompt(4, "p2")), of(text(5, "msg2", "I read.")), of(use(6, "msg3", "a1-1", "read", "x")), of(result(7, "a1-1")),
	}
	short := append(slices.Clone(whole[:6]), whole[8:]...)
	registry, f := newRegistry(), &collected{}
	first := registry.Open(telemetry.StreamSettings{ID: "first", Agent: agent})
	second := registry.Open(telemetry.StreamSettings{ID: "second", Agent: agent})
	feed := func(s *telemetry.Stream, sc script) {
		for i, evs := range sc {
			s.Feed(telemetry.Line{Offset: int64(i)}, clone(evs))
		}
		f.take(s.Take())
	}
	feed(first, whole[:9])
	feed(second, short)
	for _, s := range []*telemetry.Stream{second, first} {
		s.Close(otlp.CloseReasonNoResult)
		f.take(s.Take())
	}
	f.take(registry.Close())
	require.Empty(t, otlpjson.Check(f.traces...))
	assert.Equal(t, at(4), f.span(t, "invoke_agent task").StartTimestamp().AsTime())
}

// TestSubAgentOfAnotherRun: a sub-agent that is in different runs in two transcripts of a session stays where the first
// has it, and nothing of it is in the other run.
func TestSubAgentOfAnotherRun(t *testing.T) {
	agent := program.Agent{Provider: "opencode", ServiceName: "opencode", OwnMessageIDs: true}
	task := func(sec float64, message, call string) script {
		inner := under(call, use(sec+1, "msg-a", call+"-1", "read", "x"))
		inner.AgentID = "a1"
		return script{line(use(sec, message, call, "task", "a")), line(inner), line(result(sec+2, call))}
	}
	account := func(in int) script {
		start := started()
		start.Session.Recorded = true
		sc := script{line(start)}
		for i, message := range []string{"msg1", "msg2"} {
			sec := float64(1 + 10*i)
			sc = append(sc, line(prompt(sec, "p-"+message)), line(text(sec+1, message, "I look.")))
			if i == in {
				sc = append(sc, task(sec+2, message, fmt.Sprint("c", i))...)
			}
			sc = append(sc, line(ended("")))
		}
		return sc
	}
	f := readAll(t, agent, map[string]script{"first": account(0), "second": account(1)}, "first", "second")
	assert.Equal(t, f.span(t, "execute_tool read").ParentSpanID(), f.span(t, "invoke_agent task").SpanID())
}
