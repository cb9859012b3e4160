package watch_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/watch"
	"github.com/tailspan/tailspan/internal/goldentest"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/session/ledger"
)

const recordings = "../../../../testdata"

// part returns the lines of a recording from one number to another; 0 is its end.
func part(t *testing.T, path, recording string, from, to int) watch.Part {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(recordings, recording))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if to == 0 {
		to = len(lines)
	}
	return watch.Part{Path: path, Lines: lines[from:to]}
}

func play(t *testing.T, now time.Time, parts ...watch.Part) *watch.Board {
	t.Helper()
	return playPriced(t, now, nil, parts...)
}

// playPriced is play with a list of prices.
func playPriced(t *testing.T, now time.Time, prices ledger.Prices, parts ...watch.Part) *watch.Board {
	t.Helper()
	redactor, err := redact.NewRedactor(redact.Settings{})
	require.NoError(t, err)
	board, err := watch.Play(now, watch.Settings{Redactor: redactor, Prices: prices}, parts...)
	require.NoError(t, err)
	return board
}

// noon is when lines without a time are read.
var noon = time.Date(2026, 11, 27, 21, 5, 0, 0, time.UTC)

// lastTime returns the time of the last event in runs.
func lastTime(runs []watch.Run) (last time.Time) {
	for _, r := range runs {
		for _, a := range r.Agents {
			if a.Last.After(last) {
				last = a.Last
			}
		}
	}
	return last
}

// TestView checks the screen after parts of recordings.
func TestView(t *testing.T) {
	claude := func(to int) []watch.Part { // a transcript, and a sub-agent in a separate file
		folder := t.TempDir()
		meta, err := os.ReadFile(recordings + "/spans/claude-session-main/agent1.meta.json")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(folder+"/agent-1.meta.json", meta, 0o600))
		return []watch.Part{
			part(t, "/home/me/.claude/main.jsonl", "spans/claude-session-main/main.jsonl", 0, to),
			part(t, folder+"/agent-1.jsonl", "spans/claude-session-main/agent1.jsonl", 0, 0),
		}
	}
	down := func(n int) func(*watch.View, []watch.Run) {
		return func(v *watch.View, runs []watch.Run) { v.Move(runs, n) }
	}
	for _, c := range []struct {
		name  string
		parts []watch.Part
		later time.Duration // after the last time in a line
		view  watch.View
		do    func(*watch.View, []watch.Run)
	}{
		{name: "nested sub-agents", parts: []watch.Part{part(t, "a", "claude/case-nested-subagents.jsonl", 0, 4)}},
		{name: "nested sub-agents, hidden", parts: []watch.Part{part(t, "a", "claude/case-nested-subagents.jsonl", 0, 4)}, view: watch.View{HideSubAgents: true}},
		{name: "inner sub-agent over", parts: []watch.Part{part(t, "a", "claude/case-nested-subagents.jsonl", 0, 6)}},
		{name: "run over", parts: []watch.Part{part(t, "a", "claude/case-nested-subagents.jsonl", 0, 0)}},
		{name: "background sub-agents", parts: []watch.Part{part(t, "a", "claude/background.jsonl", 0, 20)}},
		{name: "background sub-agents, narrow", parts: []watch.Part{part(t, "a", "claude/background.jsonl", 0, 20)}, view: watch.View{Width: 40}},
		{name: "files of sub-agents", parts: claude(45)},
		{name: "codex threads", parts: []watch.Part{
			part(t, "a", "codex/subagents-v2.session.jsonl", 0, 30), part(t, "b", "codex/subagents-v2-child.session.jsonl", 0, 14),
		}, later: 2 * time.Second},
		{name: "opencode", parts: []watch.Part{part(t, "a", "opencode/subagent.session.jsonl", 0, 30)}},
		{name: "gemini", parts: []watch.Part{part(t, "a", "gemini/subagent.session.jsonl", 0, 8)}},
		{name: "quiet", parts: []watch.Part{part(t, "a", "codex/subagents-v2.session.jsonl", 0, 30)}, later: 7 * time.Minute},
		{name: "several runs", parts: []watch.Part{
			part(t, "a", "claude/denied.jsonl", 0, 0), part(t, "b", "claude/fatal-401.jsonl", 0, 0), part(t, "c", "claude/interrupted.jsonl", 0, 0),
			part(t, "d", "claude/case-nested-subagents.jsonl", 0, 3), part(t, "e", "codex/parity.jsonl", 0, 0),
		}},
		{name: "several runs, low", parts: []watch.Part{
			part(t, "a", "claude/denied.jsonl", 0, 0), part(t, "b", "claude/fatal-401.jsonl", 0, 0), part(t, "c", "claude/interrupted.jsonl", 0, 0),
			part(t, "d", "claude/case-nested-subagents.jsonl", 0, 3), part(t, "e", "codex/parity.jsonl", 0, 0),
		}, view: watch.View{Height: 6}, do: down(4)},
		{name: "details", parts: []watch.Part{part(t, "/home/me/.claude/a.jsonl", "claude/failures.jsonl", 0, 16)}, view: watch.View{Details: true}},
		{name: "details, narrow and low", parts: []watch.Part{part(t, "/home/me/.claude/a.jsonl", "claude/failures.jsonl", 0, 16)}, view: watch.View{Details: true, Width: 40, Height: 14}},
		{name: "details of a sub-agent", parts: []watch.Part{part(t, "a", "opencode/subagent.session.jsonl", 0, 30)}, view: watch.View{Details: true}, do: down(1)},
		{name: "no runs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			runs := play(t, noon, c.parts...).Runs()
			now := lastTime(runs).Add(c.later)
			view := c.view
			view.Now = now
			if view.Width == 0 {
				view.Width = 80
			}
			if view.Height == 0 {
				view.Height = 20
			}
			view.Lines(runs) // selects the first
			if c.do != nil {
				c.do(&view, runs)
			}
			lines := view.Lines(runs)
			assert.LessOrEqual(t, len(lines), view.Height)
			var shown []string
			for _, line := range lines {
				assert.LessOrEqual(t, ansi.StringWidth(line), view.Width, line)
				mark := " "
				if strings.HasPrefix(line, "\x1b[7m") {
					mark = ">"
				}
				shown = append(shown, strings.TrimRight(mark+ansi.Strip(line), " "))
			}
			file := strings.ReplaceAll(strings.ReplaceAll(c.name, ", ", "-"), " ", "-")
			goldentest.Compare(t, "testdata/"+file+".golden", strings.Join(shown, "\n")+"\n")
		})
	}
}

// TestVerdictOfNothing checks that text that the agent program made up does not count as work.
func TestVerdictOfNothing(t *testing.T) {
	runs := play(t, noon, watch.Part{Path: "a", Lines: []string{
		`{"type":"system","subtype":"init","session_id":"s","cwd":"/x","tools":[],"model":"m"}`,
		`{"type":"assistant","session_id":"s","message":{"id":"1","model":"<synthetic>","content":[{"type":"text","text":"No response requested."}]}}`,
		`{"type":"result","subtype":"success","is_error":false,"session_id":"s","result":""}`,
	}}).Runs()
	require.Len(t, runs, 1)
	assert.Equal(t, "empty: did nothing", runs[0].Verdict.String())
}

// TestHostile checks that only text of an agent reaches the terminal, at every width.
func TestHostile(t *testing.T) {
	evil := `\u001b[2J\u001b]0;title\u0007\u009b31m\u202e\r\n\tend 表表表👩‍👩‍👧‍👦é\u200b`
	secret := "ghp_" + strings.Repeat("aB3dE6gH9", 4)
	lines := []string{
		`{"type":"system","subtype":"init","cwd":"/p/` + evil + `","session_id":"` + evil + `","model":"` + evil + `"}`,
		`{"type":"assistant","message":{"id":"m1","role":"assistant","model":"` + evil + `","content":[{"type":"text","text":"` + evil + secret + `"},{"type":"tool_use","id":"t1","name":"Agent` + evil + `","input":{"subagent_type":"` + evil + `","description":"` + evil + secret + `"}}]},"session_id":"s"}`,
		`{"type":"assistant","parent_tool_use_id":"t1","message":{"id":"m2","role":"assistant","content":[{"type":"tool_use","id":"t2","name":"Bash","input":{"command":"` + evil + `"}}]},"session_id":"s"}`,
		`{"type":"user","parent_tool_use_id":"t1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","is_error":true,"content":"` + evil + secret + `"}]},"session_id":"s"}`,
	}
	now := noon
	runs := play(t, now, watch.Part{Path: "/x/\x1b[2J\u202e\n.jsonl", Lines: lines}).Runs()
	require.Len(t, runs, 1)
	require.Len(t, runs[0].Agents, 2)
	style := regexp.MustCompile("\x1b\\[\\d*m")
	for width := 1; width < 120; width++ {
		for height := range 12 {
			for _, details := range []bool{false, true} {
				view := watch.View{Width: width, Height: height, Now: now, Details: details}
				for _, agent := range []int{0, 1} {
					view.Move(runs, agent)
					got := view.Lines(runs)
					assert.LessOrEqual(t, len(got), height)
					for _, line := range got {
						assert.LessOrEqual(t, ansi.StringWidth(line), width, "%q", line)
						text := style.ReplaceAllString(line, "")
						assert.NotRegexp(t, "[\x00-\x1f\x7f-\u009f\u202a-\u202e\u200b]", text, "width %d", width)
						assert.NotContains(t, text, secret)
					}
				}
			}
		}
	}
}

// TestReading checks that a run is not shown before its existing lines have been read.
func TestReading(t *testing.T) {
	assert.Empty(t, play(t, noon, watch.Part{Path: "a"}).Runs())
	board := watch.NewBoard(nil)
	select {
	case <-board.Changed():
		t.Error("nothing changed")
	default:
	}
	board.Describe("a", watch.Source{Path: "a"})
	<-board.Changed()
	assert.Empty(t, board.Runs())
}
