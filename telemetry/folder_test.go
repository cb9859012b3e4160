package telemetry_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/program"
	"github.com/tailspan/tailspan/telemetry"
)

// agentCall returns a call that starts a sub-agent, and its result, which does not name it.
func agentCall(from, to float64, message, id, kind, task string) []events.DisplayEvent {
	call := use(from, message, id, kind, task)
	call.Tool.AgentType = kind
	answer := result(to, id)
	answer.Tool.AgentType = kind
	return line(call, answer)
}

// header returns the first line of a transcript.
func header(sec float64) []events.DisplayEvent {
	return line(events.DisplayEvent{Kind: events.KindSessionStarted, Time: at(sec), SessionID: "s1", ItemID: "s1", Session: &events.Session{Recorded: true}})
}

// helper returns the file of a sub-agent that works from one time to another.
func helper(id string, from, to float64, task string) script {
	in := func(ev events.DisplayEvent) []events.DisplayEvent {
		ev.SessionID, ev.AgentID, ev.ItemID = id, id, id+ev.ItemID
		return line(ev)
	}
	asked := prompt(from, "p")
	asked.Text = task
	return script{in(asked), in(text(from+0.5, id+"-m1", "Looking.")), in(use(from+0.6, id+"-m1", id+"#0", "grep", "x")), in(result(to, id+"#0"))}
}

// TestFolderLinksSubAgents: a sub-agent's file that only its folder links to a session becomes a child of the run that
// was active when it began, and of the call that was open then if only one matches. The spans do not depend on the
// order in which the files are read.
func TestFolderLinksSubAgents(t *testing.T) {
	tests := []struct {
		name   string
		main   script
		helper script
		parent string // its call ID, or the key of its run
		trace  string // the key of its run
	}{
		{
			"one call was open",
			script{header(0), line(prompt(1, "p1")), line(text(2, "m1", "Go.")), agentCall(3, 9, "m2", "c1", "scout", "Look"), line(text(10, "m3", "Done."))},
			helper("h1", 4, 8, "Look"), "c1", "m1",
		},
		{
			"calls one after the other",
			script{header(0), line(prompt(1, "p1")), agentCall(2, 4, "m1", "c1", "scout", "Look"), agentCall(5, 9, "m2", "c2", "scout", "Look"), line(text(10, "m3", "Done."))},
			helper("h1", 6, 8, "Look"), "c2", "m1",
		},
		{
			"calls beside each other, its prompt decides",
			script{header(0), line(prompt(1, "p1")), slices.Concat(agentCall(2, 9, "m1", "c1", "scout", "Look here"), agentCall(2, 9, "m1", "c2", "scout", "Look there")), line(text(10, "m2", "Done."))},
			helper("h1", 3, 8, "You are a scout. Look there."), "c2", "m1",
		},
		{
			"calls beside each other, nothing decides",
			script{header(0), line(prompt(1, "p1")), slices.Concat(agentCall(2, 9, "m1", "c1", "scout", "Look"), agentCall(2, 9, "m1", "c2", "scout", "Look")), line(text(10, "m2", "Done."))},
			helper("h1", 3, 8, "You are a scout. Look."), "m1", "m1",
		},
		{
			"no call is known, such as one that was killed",
			script{header(0), line(prompt(1, "p1")), line(text(2, "m1", "Go.")), line(prompt(20, "p2")), line(text(21, "m2", "Again."))},
			helper("h1", 4, 8, "Look"), "m1", "m1",
		},
		{
			"the second run",
			script{header(0), line(prompt(1, "p1")), agentCall(2, 4, "m1", "c1", "scout", "Look"), line(prompt(20, "p2")), agentCall(21, 29, "m2", "c2", "scout", "Look"), line(text(30, "m3", "Done."))},
			helper("h1", 22, 28, "Look"), "c2", "m2",
		},
		{
			"a call that starts no agent",
			script{header(0), line(prompt(1, "p1")), line(use(2, "m1", "c1", "read", "x")), line(result(9, "c1")), line(text(10, "m2", "Done."))},
			helper("h1", 3, 8, "x"), "m1", "m1",
		},
		{
			"its clock is behind",
			script{header(100), line(prompt(101, "p1")), line(text(102, "m1", "Go.")), line(text(110, "m2", "Done."))},
			helper("h1", 3, 8, "x"), "m1", "m1",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]script{"main": tt.main, "helper": tt.helper}
			want := readFolder(t, files, []string{"main", "helper"}, nil)
			require.Empty(t, otlpjson.Check(want.traces...))
			byID := map[string]ptrace.Span{}
			for _, s := range want.spans {
				byID[s.SpanID().String()] = s
			}
			grep := want.span(t, "execute_tool grep")
			agent := byID[grep.ParentSpanID().String()]
			above := byID[agent.ParentSpanID().String()]
			assert.Equal(t, tt.parent, attr(above, otlp.AttrGenAIToolCallID)+keyID(above))
			isRun := attr(above, otlp.AttrRunKey) != ""
			assert.Equal(t, map[bool]string{true: "h1", false: ""}[isRun], attr(agent, otlp.AttrParentUnknown), "a mark where its call is not known")
			for ; attr(above, otlp.AttrRunKey) == ""; above = byID[above.ParentSpanID().String()] {
				require.NotEmpty(t, above.SpanID())
			}
			assert.Equal(t, tt.trace, keyID(above))
			requireSame(t, ids(want.spans), ids(readFolder(t, files, []string{"helper", "main"}, nil).spans), "the helper first")
			for seed := range uint64(20) {
				got := readFolder(t, files, []string{"helper", "main"}, rand.New(rand.NewPCG(seed, 8)))
				requireSame(t, ids(want.spans), ids(got.spans), fmt.Sprint("seed ", seed))
			}
		})
	}
}

// readFolder feeds a transcript and the file of a sub-agent in its session's folder: one after the other, or line by
// line in random order.
func readFolder(t *testing.T, files map[string]script, order []string, rng *rand.Rand) *collected {
	t.Helper()
	now := at(1000)
	settings := telemetry.NewDefaultSettings()
	settings.Now = func() time.Time { return now }
	registry := telemetry.NewRegistry(settings)
	agent := program.Agent{Provider: "gemini", ServiceName: "gemini-cli", Folders: true}
	streams := map[string]*telemetry.Stream{
		"main":   registry.Open(telemetry.StreamSettings{ID: "main", Agent: agent}),
		"helper": registry.Open(telemetry.StreamSettings{ID: "helper", Agent: agent, ParentSession: "s1"}),
	}
	var f collected
	read := map[string]int{}
	for open := slices.Clone(order); len(open) > 0; {
		i := 0
		if rng != nil {
			i = rng.IntN(len(open))
		}
		name := open[i]
		s := streams[name]
		s.Feed(telemetry.Line{Offset: int64(read[name])}, clone(files[name][read[name]]))
		if read[name]++; read[name] == len(files[name]) {
			s.Idle()
			open = slices.Delete(open, i, i+1)
		}
		f.take(s.Take())
	}
	now = now.Add(settings.ParentWait + time.Second)
	f.take(registry.Take())
	for _, name := range order {
		streams[name].Close(otlp.CloseReasonNoResult)
		f.take(streams[name].Take())
	}
	f.take(registry.Close())
	return &f
}

// TestFolderOfNobody: a sub-agent whose session is never seen gets its own trace and is marked.
func TestFolderOfNobody(t *testing.T) {
	f := readFolder(t, map[string]script{"helper": helper("h1", 3, 8, "Look")}, []string{"helper"}, nil)
	agent := f.span(t, "invoke_agent gemini-cli")
	assert.Equal(t, "h1", attr(agent, otlp.AttrParentUnknown))
	assert.True(t, agent.ParentSpanID().IsEmpty())
	assert.Empty(t, otlpjson.Check(f.traces...))
}

// TestFolderAgainstAnID: the agent ID in a result takes precedence over the folder.
func TestFolderAgainstAnID(t *testing.T) {
	calls := slices.Concat(agentCall(2, 9, "m1", "c1", "scout", "Look"), agentCall(2, 9, "m1", "c2", "scout", "Look"))
	calls[3].Tool.AgentID = "h1"
	files := map[string]script{"main": {header(0), line(prompt(1, "p1")), calls, line(text(10, "m2", "Done."))}, "helper": helper("h1", 3, 8, "Look")}
	for _, order := range [][]string{{"main", "helper"}, {"helper", "main"}} {
		f := readFolder(t, files, order, nil)
		for _, s := range f.spans {
			if attr(s, otlp.AttrGenAIToolCallID) == "c2" {
				assert.Equal(t, s.SpanID(), f.span(t, "invoke_agent scout").ParentSpanID(), "%v", order)
			}
		}
	}
}

// TestFolderGoesOutLive: the work of a sub-agent is exported while its call is still open, as soon as its session's
// transcript has announced its run and both were quiet for a while.
func TestFolderGoesOutLive(t *testing.T) {
	now := at(5)
	settings := telemetry.NewDefaultSettings()
	settings.Now = func() time.Time { return now }
	registry := telemetry.NewRegistry(settings)
	agent := program.Agent{Provider: "gemini", Folders: true}
	main := registry.Open(telemetry.StreamSettings{ID: "main", Agent: agent})
	for i, evs := range (script{header(0), line(prompt(1, "p1")), line(text(2, "m1", "Go."))}) {
		main.Feed(telemetry.Line{Offset: int64(i), Live: true, Arrival: now}, evs)
	}
	sub := registry.Open(telemetry.StreamSettings{ID: "sub", Agent: agent, ParentSession: "s1"})
	for i, evs := range helper("h1", 4, 5, "Look") {
		sub.Feed(telemetry.Line{Offset: int64(i), Live: true, Arrival: now}, evs)
	}
	assert.Zero(t, sub.Take().Logs.LogRecordCount(), "the next prompt may come")
	now = now.Add(settings.ParentWait + time.Second)
	var f collected
	f.take(registry.Take())
	assert.Contains(t, f.names(), "execute_tool grep")
	f.take(main.Take())
	assert.Equal(t, f.span(t, "execute_tool grep").TraceID(), f.records[len(f.records)-1].TraceID())
}
