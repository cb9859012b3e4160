package watch_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/watch"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/ledger"
)

// agents describes the agents of the only run: name, outcome, and usage including sub-agents.
func agents(t *testing.T, board *watch.Board) (list []string) {
	t.Helper()
	runs := board.Runs()
	require.Len(t, runs, 1)
	for _, a := range runs[0].Agents {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s%s %s %d %s", strings.Repeat(" ", a.Depth), a.Name, a.Outcome, a.Tokens, a.Cost)))
	}
	return list
}

// TestUsedAtWork checks that a running run shows the usage and cost of its sub-agents, each once, and that its end has the same.
func TestUsedAtWork(t *testing.T) {
	prices := ledger.Prices{{Model: "*", Input: 1, Cached: 1, Output: 1}}
	families := func(main, child int) []watch.Part {
		return []watch.Part{
			part(t, "a", "spans/codex-session-asked-again/r1.jsonl", 0, main), part(t, "b", "spans/codex-session-asked-again/r2.jsonl", 0, child),
			part(t, "c", "spans/codex-session-asked-again/r3.jsonl", 0, child),
		}
	}
	for _, c := range []struct {
		name     string
		parts    []watch.Part
		prices   ledger.Prices
		estimate bool
		all      bool // the run's usage equals that of its agents
	}{
		{name: "reported", parts: []watch.Part{part(t, "a", "opencode/subagent.session.jsonl", 0, 30)}},
		{name: "estimated", parts: families(24, 0), prices: prices, estimate: true},
		{name: "over", parts: families(0, 0), prices: prices, estimate: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			runs := playPriced(t, noon, c.prices, c.parts...).Runs()
			require.Len(t, runs, 1)
			require.Greater(t, len(runs[0].Agents), 1)
			top, below, tokens := runs[0].Top(), 0.0, int64(0)
			for _, a := range runs[0].Agents[1:] {
				tokens += a.Tokens
				below += dollars(t, a.Cost)
				assert.Equal(t, c.estimate, strings.HasPrefix(a.Cost, "~"), a.Cost)
			}
			assert.Equal(t, c.estimate, strings.HasPrefix(top.Cost, "~"), top.Cost)
			assert.Greater(t, dollars(t, top.Cost), below)
			assert.Greater(t, top.Tokens, tokens)
			if c.estimate { // each token costs the same
				assert.InDelta(t, float64(top.Tokens)/1e6, dollars(t, top.Cost), 1e-4)
			}
		})
	}
	nested := func(to int) []string {
		return agents(t, play(t, noon, part(t, "a", "claude/case-nested-subagents.jsonl", 0, to)))
	}
	assert.Equal(t, []string{"claude-code  9", "Agent  6", "Agent  3"}, nested(4), "an agent has what works for it, each token once")
	runs := play(t, noon, families(0, 0)...).Runs()
	require.Len(t, runs, 1)
	var names []string
	for _, a := range runs[0].Agents {
		names = append(names, fmt.Sprintf("%s %d %s", a.Name, a.Tokens, a.Ended.Sub(a.Started).Round(time.Second/10)))
	}
	assert.Equal(t, []string{"codex 27796 3.3s", "price_auditor 7462 2.9s", "doc_reader 2897 2.4s"}, names, "a sub-agent that was asked again has both tasks")
	partly := ledger.Prices{{Model: "gpt-5*", Input: 1, Cached: 1, Output: 1}}
	for _, a := range agents(t, playPriced(t, noon, partly, part(t, "a", "claude/case-nested-subagents.jsonl", 0, 4))) {
		assert.NotContains(t, a, "$", "a model without a price has no cost")
	}
}

func dollars(t *testing.T, cost string) float64 {
	t.Helper()
	usd, err := strconv.ParseFloat(strings.TrimLeft(cost, "~$"), 64)
	require.NoError(t, err, cost)
	return usd
}

// TestSubAgentIsOver checks that a sub-agent in a separate file is shown as ended once its turn or call is, although its span
// arrives later, and as running again once it is asked again.
func TestSubAgentIsOver(t *testing.T) {
	outcome := func(main, child int) events.Outcome {
		runs := play(t, noon, part(t, "a", "spans/codex-session-asked-again/r1.jsonl", 0, main), part(t, "b", "spans/codex-session-asked-again/r2.jsonl", 0, child)).Runs()
		require.Len(t, runs, 1)
		require.True(t, runs[0].AtWork)
		for _, a := range runs[0].Agents {
			if a.Name == "price_auditor" {
				return a.Outcome
			}
		}
		t.Fatal("no sub-agent")
		return 0
	}
	ends := turnEnds(t, "spans/codex-session-asked-again/r2.jsonl")
	require.Len(t, ends, 2)
	const spawned, askedAgain = 24, 49 // lines of the parent
	assert.Equal(t, events.OutcomeUnknown, outcome(spawned, ends[0]-1))
	assert.Equal(t, events.OutcomeOK, outcome(spawned, ends[0]))
	assert.Equal(t, events.OutcomeUnknown, outcome(askedAgain, ends[1]-1))
	assert.Equal(t, events.OutcomeOK, outcome(askedAgain, ends[1]))

	// Turns have no end in a transcript of Claude Code: the call has ended.
	folder := t.TempDir()
	meta, err := os.ReadFile(recordings + "/spans/claude-session-main/agent1.meta.json")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(folder+"/agent-1.meta.json", meta, 0o600))
	for result, want := range map[int]events.Outcome{44: events.OutcomeUnknown, 45: events.OutcomeOK} {
		runs := play(t, noon,
			part(t, "a", "spans/claude-session-main/main.jsonl", 0, 44), part(t, folder+"/agent-1.jsonl", "spans/claude-session-main/agent1.jsonl", 0, 0),
			part(t, "a", "spans/claude-session-main/main.jsonl", 44, result)).Runs()
		require.Len(t, runs, 1)
		require.Len(t, runs[0].Agents, 2)
		assert.Equal(t, want, runs[0].Agents[1].Outcome)
	}
}

// TestOverAtStart checks that a run that ended before the watch began is not shown as running, whichever of its files is read
// first, and that a quiet run that has not ended is.
func TestOverAtStart(t *testing.T) {
	folder := t.TempDir()
	meta, err := os.ReadFile(recordings + "/spans/claude-session-main/agent1.meta.json")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(folder+"/agent-1.meta.json", meta, 0o600))
	main := func(to int) watch.Part {
		p := part(t, folder+"/a.jsonl", "spans/claude-session-main/main.jsonl", 0, to)
		p.Age = time.Minute
		return p
	}
	sub := part(t, folder+"/agent-1.jsonl", "spans/claude-session-main/agent1.jsonl", 0, 0)
	sub.Age = time.Minute
	for name, parts := range map[string][]watch.Part{"parent first": {main(0), sub}, "sub-agent first": {sub, main(0)}} {
		runs := play(t, noon, parts...).Runs()
		require.Len(t, runs, 1, name)
		assert.False(t, runs[0].AtWork, name)
		assert.Equal(t, events.OutcomeOK, runs[0].Top().Outcome, name)
	}
	runs := play(t, noon, main(44), sub).Runs()
	require.Len(t, runs, 1)
	assert.True(t, runs[0].AtWork)
}

// TestRestoredSessions: a file that was copied or restored is new, but its last line shows that nobody writes it.
func TestRestoredSessions(t *testing.T) {
	for _, tc := range []struct {
		path, recording string
		to              int
		last            string // time of the last line
	}{
		{"a.jsonl", "spans/claude-session-main/main.jsonl", 35, "2026-11-28T13:34:23Z"},
		{"rollout.jsonl", "codex/killed.session.jsonl", 0, "2026-11-27T20:52:12Z"},
		{"/h/.gemini/tmp/x/chats/main.jsonl", "spans/gemini-session-main/main.jsonl", 15, "2026-11-28T13:43:47Z"},
		{"session.jsonl", "opencode/killed.session.jsonl", 0, "2026-11-27T21:01:12Z"},
		{"b.jsonl", "qwen/sigkill.session.jsonl", 0, "2026-11-27T21:09:44Z"},
	} {
		t.Run(tc.recording, func(t *testing.T) {
			last, err := time.Parse(time.RFC3339, tc.last)
			require.NoError(t, err)
			p := part(t, tc.path, tc.recording, 0, tc.to)
			for later, atWork := range map[time.Duration]bool{50 * time.Minute: true, 70 * time.Minute: false} {
				runs := play(t, last.Add(later), p).Runs()
				require.Len(t, runs, 1)
				assert.Equal(t, atWork, runs[0].AtWork, later)
			}
		})
	}
}

// turnEnds returns the numbers of the lines that end a turn in a Codex transcript.
func turnEnds(t *testing.T, recording string) (ends []int) {
	t.Helper()
	for i, line := range part(t, "", recording, 0, 0).Lines {
		if strings.Contains(line, `"task_complete"`) {
			ends = append(ends, i+1)
		}
	}
	return ends
}

// TestGeminiSubAgent checks that a running sub-agent of Gemini CLI is shown although its call is written only at its end, and
// that it gets its name then.
func TestGeminiSubAgent(t *testing.T) {
	main := func(from, to int) watch.Part {
		p := part(t, "/h/.gemini/tmp/x/chats/main.jsonl", "spans/gemini-session-main/main.jsonl", from, to)
		p.Live = true
		return p
	}
	var header struct{ SessionID string }
	require.NoError(t, json.Unmarshal([]byte(main(0, 1).Lines[0]), &header))
	helper := func(to int) watch.Part {
		p := part(t, "/h/.gemini/tmp/x/chats/"+header.SessionID+"/helper.jsonl", "spans/gemini-session-main/helper.jsonl", 0, to)
		p.Live = true
		return p
	}
	runs := play(t, noon, main(0, 16), helper(6)).Runs()
	require.Len(t, runs, 1)
	require.Len(t, runs[0].Agents, 2)
	assert.Zero(t, runs[0].Agents[1].Ended)
	assert.Empty(t, runs[0].Agents[1].Name)
	runs = play(t, noon, main(0, 16), helper(0), main(16, 18)).Runs()
	require.Len(t, runs, 1)
	require.Len(t, runs[0].Agents, 2)
	assert.Equal(t, "codebase_investigator", runs[0].Agents[1].Name)
	assert.Equal(t, events.OutcomeOK, runs[0].Agents[1].Outcome)
	assert.NotEmpty(t, runs[0].Agents[1].Title)
}

// TestTooManyAgents checks the limit of a run's sub-agents: ended ones are evicted first, and their usage stays.
func TestTooManyAgents(t *testing.T) {
	const more = 7
	started := func(i int) []string {
		return []string{
			fmt.Sprintf(`{"type":"assistant","session_id":"s","message":{"id":"m%d","model":"x","usage":{"input_tokens":1,"output_tokens":1},"content":[{"type":"tool_use","id":"t%d","name":"Agent","input":{"subagent_type":"a%d","prompt":"p"}}]}}`, i, i, i),
			fmt.Sprintf(`{"type":"assistant","session_id":"s","parent_tool_use_id":"t%d","message":{"id":"c%d","model":"x","usage":{"input_tokens":100,"output_tokens":1},"content":[{"type":"tool_use","id":"b%d","name":"Bash","input":{"command":"true"}}]}}`, i, i, i),
		}
	}
	over := func(i int) string {
		return fmt.Sprintf(`{"type":"user","session_id":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"done"}]}}`, i)
	}
	lines := []string{`{"type":"system","subtype":"init","session_id":"s","cwd":"/x","tools":[],"model":"x"}`}
	for i := range watch.MaxAgents + more {
		lines = append(lines, started(i)...)
		if i == 3 {
			lines = append(lines, over(3))
		}
	}
	runs := play(t, noon, watch.Part{Path: "a", Lines: lines}).Runs()
	require.Len(t, runs, 1)
	assert.Len(t, runs[0].Agents, 1+watch.MaxAgents)
	assert.Equal(t, 1, runs[0].Ended)
	assert.Equal(t, more-1, runs[0].Dropped)
	assert.GreaterOrEqual(t, runs[0].Top().Tokens, int64(100*(watch.MaxAgents+more)), "what those used that are not kept counts")
	view := watch.View{Width: 80, Height: 2 * watch.MaxAgents, Now: noon}
	assert.Contains(t, strings.Join(view.Lines(runs), "\n"), "1 more that ended, 6 more that were at work")
}

// TestSources checks that closed sources are removed unless a run refers to them.
func TestSources(t *testing.T) {
	board := play(t, noon, part(t, "a", "claude/failures.jsonl", 0, 0))
	board.Describe("a", watch.Source{Path: "a", Read: true, Closed: true})
	for i := range 10 * watch.MinSources {
		id := strconv.Itoa(i)
		board.Describe(id, watch.Source{Path: id})
		board.Describe(id, watch.Source{Path: id, Read: true, Closed: true})
	}
	assert.LessOrEqual(t, board.Sources(), 2*watch.MinSources)
	runs := board.Runs()
	require.Len(t, runs, 1)
	assert.Equal(t, "a", runs[0].Top().Path)
	for i := range 3 * watch.MinSources {
		board.Describe("open "+strconv.Itoa(i), watch.Source{Read: true})
	}
	assert.Greater(t, board.Sources(), 3*watch.MinSources, "one that is open is kept")
}
