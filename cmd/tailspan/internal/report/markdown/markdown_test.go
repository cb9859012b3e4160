package markdown_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/report"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/report/markdown"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/report/reporttest"
	"github.com/tailspan/tailspan/internal/goldentest"
	"github.com/tailspan/tailspan/session/ledger"
)

const recordings = "../../../../../testdata"

func write(t *testing.T, runs []*report.Run, limit int) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, markdown.Write(&b, runs, limit))
	return b.String()
}

// TestGolden compares whole reports of recordings of each agent. For a single file, the files of its sub-agents are found.
func TestGolden(t *testing.T) {
	for _, name := range []string{
		"claude/families/subagent/main.session", "claude/families/background/main.session", "claude/families/asked-again/main",
		"codex/families/subagents-v2/main.session", "gemini/families/subagent/main.session", "qwen/families/background/main",
		"opencode/subagent.session", "claude/denied", "claude/fatal-401", "claude/killed", "claude/structured", "codex/failures.session",
		"claude/interactive.session",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir() // an old file shows that its run was abandoned
			beside := name + ".jsonl"
			if strings.Contains(name, "/families/") {
				beside = filepath.Dir(name) + "/*.jsonl"
			}
			reporttest.Copy(t, filepath.Join(recordings, beside), dir)
			got := write(t, reporttest.Runs(t, filepath.Join(dir, filepath.Base(name)+".jsonl")), markdown.DefaultBytes)
			goldentest.Compare(t, filepath.Join("testdata", strings.ReplaceAll(name, "/", "-")+".md.golden"), got)
		})
	}
}

func TestEstimate(t *testing.T) {
	prices := ledger.Prices{{Model: "gpt-*", Input: 1, Cached: 0.1, Output: 10}}
	runs, err := report.Read(t.Context(), reporttest.Settings(t, prices), []string{filepath.Join(recordings, "codex/parity.session.jsonl")}, report.DefaultLimits())
	require.NoError(t, err)
	got := write(t, runs, markdown.DefaultBytes)
	assert.Contains(t, got, "| ~$0.0")
	assert.Contains(t, got, "~ marks an estimate")
}

// line returns a line of Claude Code's stream with a text and a call.
func line(id int, text, command string) string {
	return fmt.Sprintf(`{"type":"assistant","session_id":"s","message":{"id":"m%d","model":"m","role":"assistant","content":[`+
		`{"type":"text","text":%q},{"type":"tool_use","id":"c%d","name":"Bash","input":{"command":%q}}]}}`, id, text, id, command)
}

// TestNothingBreaksOut has texts that would end a code span, a code block, a table or a details element.
func TestNothingBreaksOut(t *testing.T) {
	const words = "```\n````\n~~~\n</details>\n<img src=x onerror=alert(1)> ![x](http://example.invalid/x.png) @team #1 | a | b |"
	path := reporttest.File(t, t.TempDir(), "run.jsonl", line(1, words, "echo `x` ``y`` | tee <b>out</b>"), line(2, words, "````"))
	got := write(t, reporttest.Runs(t, path), markdown.DefaultBytes)
	fence, folded := "", 0
	begin := regexp.MustCompile("^(```+)text$")
	for number, line := range strings.Split(got, "\n") {
		switch {
		case fence != "" && strings.TrimSpace(line) == fence:
			fence = ""
		case fence != "":
		case begin.MatchString(line):
			fence = begin.FindStringSubmatch(line)[1]
		default:
			line = withoutCode(line)
			folded += strings.Count(line, "</details>")
			for _, hostile := range []string{"<img", "![x", "@team", "<b>"} {
				assert.NotContains(t, line, hostile, "line %d is outside of a block", number+1)
			}
		}
	}
	assert.Empty(t, fence, "all blocks are closed")
	assert.Equal(t, 1, folded, "folded parts")
}

// withoutCode removes the code spans of a line: from a number of backticks to the same number.
func withoutCode(line string) string {
	ticks := regexp.MustCompile("`+")
	for {
		open := ticks.FindStringIndex(line)
		if open == nil {
			return line
		}
		rest := line[open[1]:]
		closing := -1
		for _, at := range ticks.FindAllStringIndex(rest, -1) {
			if at[1]-at[0] == open[1]-open[0] {
				closing = at[1]
				break
			}
		}
		if closing < 0 {
			return line
		}
		line = line[:open[0]] + rest[closing:]
	}
}

func TestLimit(t *testing.T) {
	var lines []string
	for i := range 3000 {
		lines = append(lines, line(i, fmt.Sprintf("step %d", i), "true"))
	}
	path := reporttest.File(t, t.TempDir(), "run.jsonl", lines...)
	got := write(t, reporttest.Runs(t, path), markdown.DefaultBytes)
	assert.LessOrEqual(t, len(got), markdown.DefaultBytes)
	assert.Contains(t, got, "items are left out here")
	assert.Equal(t, strings.Count(got, "<details>"), strings.Count(got, "</details>"))
}
