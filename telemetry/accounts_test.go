package telemetry_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/emit"
	"github.com/tailspan/tailspan/telemetry"
)

// inlined returns the account of a run that has everything in one stream: the work of each sub-agent is in it too,
// under its call.
func inlined(parent script, files []script) script {
	calls := map[string]string{} // of agents
	for _, sc := range append([]script{parent}, files...) {
		for _, evs := range sc {
			for _, ev := range evs {
				if ev.Kind == events.KindToolResult && ev.Tool.AgentID != "" {
					calls[ev.Tool.AgentID] = ev.Tool.ID
				}
			}
		}
	}
	whole := script{parent[0], parent[1]}
	for _, evs := range parent[2:] {
		whole = append(whole, evs)
		if evs[0].Kind != events.KindToolUse {
			continue
		}
		for _, file := range files {
			for _, inner := range file {
				ev := inner[0]
				if ev.Kind != events.KindSessionStarted && calls[ev.AgentID] == evs[0].Tool.ID {
					whole = append(whole, line(under(calls[ev.AgentID], ev)))
				}
			}
		}
	}
	return whole
}

// without omits some lines.
func without(rng *rand.Rand, sc script, oneIn int) script {
	kept := script{}
	for _, evs := range sc {
		if rng.IntN(oneIn) > 0 {
			kept = append(kept, clone(evs))
		}
	}
	return kept
}

// TestTwoAccountsOfNoise feeds a stream that contains a run with its sub-agents, and their transcripts, concurrently
// and with lines missing in each: whichever is read first, the trees are complete.
func TestTwoAccountsOfNoise(t *testing.T) {
	identities := []otlp.Identity{{}, nightly("fix")}
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 13))
		settings := telemetry.NewDefaultSettings()
		settings.TraceBySession = rng.IntN(3) == 0
		now := at(1000)
		settings.Now = func() time.Time { return now }
		identity := identities[rng.IntN(2)]
		registry := telemetry.NewRegistry(settings)
		parent, children := familyOf("s", 1+rng.IntN(4))
		lines := map[*telemetry.Stream]script{}
		var open []*telemetry.Stream
		add := func(id string, sc script) {
			s := registry.Open(telemetry.StreamSettings{ID: id, Agent: claude, Identity: identity, IdleGap: time.Duration(rng.IntN(2)*20) * time.Second})
			lines[s], open = without(rng, sc, 8), append(open, s)
		}
		add("stream", inlined(parent, children))
		add("main", parent)
		for i, file := range children {
			add(fmt.Sprint("child", i), file)
		}
		all := append([]*telemetry.Stream(nil), open...)
		var f collected
		for offset := int64(0); len(open) > 0; offset++ {
			i := rng.IntN(len(open))
			s := open[i]
			if len(lines[s]) == 0 {
				s.Idle()
				open = append(open[:i], open[i+1:]...)
			} else {
				s.Feed(telemetry.Line{Offset: offset, Live: rng.IntN(4) == 0, Arrival: at(10)}, lines[s][0])
				lines[s] = lines[s][1:]
			}
			if rng.IntN(5) == 0 {
				now = now.Add(time.Duration(rng.IntN(20)) * time.Second)
				f.take(registry.Take())
			}
			f.take(s.Take())
		}
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for _, s := range all {
			s.Close(otlp.CloseReasonNoResult)
			f.take(s.Take())
		}
		f.take(registry.Close())
		require.Empty(t, otlpjson.Check(f.traces...), "seed %d", seed)
	}
}

// TestOutputIsFoundLater reads the transcript of a run when the span of the run, whose stream was cut, is exported. The output that
// the stream lacks is in the metrics, once, and the total on the span is marked.
func TestOutputIsFoundLater(t *testing.T) {
	var used events.Tokens
	set := telemetry.StreamSettings{Agent: claude, IdleGap: time.Hour, OnUsed: func(u emit.Used) { used.Add(u.Tokens) }}
	registry := telemetry.NewRegistry(telemetry.NewDefaultSettings())
	var f collected
	read := func(id string, output int64) {
		set.ID = id
		s := registry.Open(set)
		call := spend(2, "msg1", "m1", events.Usage{Tokens: events.Tokens{Input: 10, Output: output}, OutputUnknown: output == 0})
		s.Feed(telemetry.Line{Live: true, Arrival: at(1)}, line(started()))
		s.Feed(telemetry.Line{Offset: 1, Live: true, Arrival: at(1)}, line(text(1, "msg1", "a"), call))
		s.Close(otlp.CloseReasonTimeout)
		f.take(s.Take())
	}
	read("stream", 0)
	require.Equal(t, events.Tokens{Input: 10}, used)
	run := f.spans[len(f.spans)-1]
	require.Equal(t, "true", attr(run, otlp.AttrUsageIncomplete))
	read("transcript", 7)
	read("copy", 7)
	require.Equal(t, events.Tokens{Input: 10, Output: 7}, used)
	require.Equal(t, 1, f.counts.LateUsage)
	require.Len(t, f.spans, 2, "nothing is exported twice")
}

// TestModelsOfBothAccounts: the total by model includes the model calls that only the transcript of a run has whose stream was cut.
func TestModelsOfBothAccounts(t *testing.T) {
	registry := telemetry.NewRegistry(telemetry.NewDefaultSettings())
	var f collected
	open := func(id string, sc script) *telemetry.Stream {
		s := registry.Open(telemetry.StreamSettings{ID: id, Agent: claude, IdleGap: time.Hour})
		for i, evs := range sc {
			s.Feed(telemetry.Line{Offset: int64(i), Live: true, Arrival: at(1)}, clone(evs))
		}
		return s
	}
	spent := func(id, model string, input int64) []events.DisplayEvent {
		said := text(1, id, "On.")
		said.Model = model
		return line(said, spend(2, id, model, events.Usage{Tokens: events.Tokens{Input: input, Output: 1}}))
	}
	both := script{line(prompt(0, "p1")), spent("msg1", "m1", 10), spent("msg2", "m2", 200)}
	stream := open("stream", append(script{line(started())}, both...))
	transcript := open("transcript", append(append(script{line(recorded())}, both...), spent("msg3", "m3", 3000), spent("msg4", "m1", 40000)))
	for _, s := range []*telemetry.Stream{stream, transcript} {
		s.Idle()
		s.Close(otlp.CloseReasonTimeout)
		f.take(stream.Take())
		f.take(s.Take())
	}
	f.take(registry.Close())
	run := f.span(t, "invoke_agent claude-code")
	require.Equal(t, "43210", attr(run, otlp.AttrUsageInput))
	assert.Equal(t, map[string]any{"m1": int64(40010), "m2": int64(200), "m3": int64(3000)}, inputByModel(run))
}

// TestModelsOfNestedAgents: so does that of a sub-agent with the model calls of its own sub-agents.
func TestModelsOfNestedAgents(t *testing.T) {
	answer := func(id, by, model string, input int64) []events.DisplayEvent {
		evs := line(text(1, id, "On."), spend(2, id, model, events.Usage{Tokens: events.Tokens{Input: input, Output: 1}}))
		for i := range evs {
			evs[i].Model, evs[i].ParentID = model, by
		}
		return evs
	}
	ask := func(id, by string) []events.DisplayEvent {
		ev := use(1, "msg", id, "Agent", id)
		ev.Tool.AgentType, ev.ParentID = id, by
		return line(ev)
	}
	f := collect(t, script{
		line(started()), ask("outer", ""), answer("msg1", "outer", "m1", 10), ask("inner", "outer"), answer("msg2", "inner", "m2", 200), answer("msg3", "outer", "m1", 3000),
	}, telemetry.StreamSettings{}, otlp.CloseReasonNoResult)
	assert.Equal(t, map[string]any{"m1": int64(3010), "m2": int64(200)}, inputByModel(f.span(t, "invoke_agent outer")))
}

// inputByModel returns the input tokens in the total of an agent by model.
func inputByModel(s ptrace.Span) map[string]any {
	input := map[string]any{}
	models, listed := s.Attributes().Get(otlp.AttrUsageModels)
	if !listed {
		return input
	}
	for _, one := range models.Slice().All() {
		m := one.Map().AsRaw()
		input[m["model"].(string)] = m["input_tokens"]
	}
	return input
}
