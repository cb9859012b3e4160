package page_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/report"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/report/page"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/report/page/pagetest"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/report/reporttest"
)

const recordings = "../../../../../testdata"

func write(t *testing.T, runs []*report.Run) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, page.Write(&b, runs, page.Settings{Version: "v1", Made: time.Unix(1e9, 0)}))
	return b.String()
}

// TestPages checks on recordings of each agent what must hold for any page.
func TestPages(t *testing.T) {
	var files [][]string // each with the file twice: for a single file, related files are read
	for _, pattern := range []string{"claude/*.jsonl", "codex/*.jsonl", "gemini/*.jsonl", "opencode/*.session.jsonl", "qwen/*.jsonl"} {
		found, err := filepath.Glob(filepath.Join(recordings, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, found)
		for _, file := range found {
			files = append(files, []string{file, file})
		}
	}
	families, err := filepath.Glob(filepath.Join(recordings, "*", "families", "*", "main*.jsonl"))
	require.NoError(t, err)
	for _, file := range families {
		files = append(files, []string{file})
	}
	for _, file := range files {
		runs := reporttest.Runs(t, file...)
		if len(runs) == 0 {
			continue // lines without a run
		}
		got := write(t, runs)
		if pagetest.Check(t, got); t.Failed() {
			require.Fail(t, "the page is no good", file[0])
		}
		for _, run := range runs {
			assert.Contains(t, got, ">"+run.TraceID+"<", file[0])
		}
	}
}

func TestPolicy(t *testing.T) {
	got := write(t, reporttest.Runs(t, filepath.Join(recordings, "claude/parity.jsonl")))
	style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(got)
	require.Len(t, style, 2)
	sum := sha256.Sum256([]byte(style[1]))
	policy := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	policy = strings.NewReplacer("'", "&#39;", "+", "&#43;").Replace(policy)
	assert.Contains(t, got, `<meta http-equiv="Content-Security-Policy" content="`+policy+`">`)
}

func TestSeveralRuns(t *testing.T) {
	files := []string{filepath.Join(recordings, "claude/parity.jsonl"), filepath.Join(recordings, "claude/denied.jsonl"), filepath.Join(recordings, "codex/parity.session.jsonl")}
	runs := reporttest.Runs(t, files...)
	require.Len(t, runs, 3)
	require.True(t, slices.IsSortedFunc(runs, func(a, b *report.Run) int { return a.Start.Compare(b.Start) }), "the newest is last")
	got := write(t, runs)
	pagetest.Check(t, got)
	for _, run := range runs {
		assert.Contains(t, got, fmt.Sprintf(`href="#run-%s"`, run.ID))
		assert.Contains(t, got, fmt.Sprintf(`id="run-%s"`, run.ID))
	}
}

// TestSubAgentAtItsCall expects the log of a sub-agent inside the call that started it, and a timeline lane for each agent.
func TestSubAgentAtItsCall(t *testing.T) {
	got := write(t, reporttest.Runs(t, filepath.Join(recordings, "claude/families/subagent/main.session.jsonl")))
	call := strings.Index(got, "<code>Check the docs</code>")
	agent := strings.Index(got, `<b>Explore</b> <span class="tag">sub-agent</span>`)
	words := agent + strings.Index(got[agent:], "Docs are fine; one file is missing.</pre>")
	after := strings.Index(got, "Both are back.</pre>")
	assert.True(t, 0 < call && call < agent && agent < words && words < after, "%d %d %d %d", call, agent, words, after)
	assert.Equal(t, 3, strings.Count(got, `class="life"`), "an agent and two sub-agents")
	assert.Contains(t, got, `Failures (1)`)
}

// TestSize has a run with more items than a page holds.
func TestSize(t *testing.T) {
	var lines []string
	output := strings.Repeat("a line of output, and some more of it\\n", 1000)
	for i := range 1500 {
		lines = append(lines,
			fmt.Sprintf(`{"type":"assistant","session_id":"s","message":{"id":"m%d","model":"m","role":"assistant","content":[{"type":"tool_use","id":"c%d","name":"Bash","input":{"command":"make %d"}}]}}`, i, i, i),
			fmt.Sprintf(`{"type":"user","session_id":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c%d","content":"%s"}]}}`, i, output))
	}
	path := reporttest.File(t, t.TempDir(), "run.jsonl", lines...)
	got := write(t, reporttest.Runs(t, path))
	pagetest.Check(t, got)
	assert.Less(t, len(got), 5<<19, "bytes")
	assert.Contains(t, got, "<code>make 1499</code>")
	assert.Regexp(t, `cut: the first [0-9.]+ (bytes|KiB) of 37\.1 KiB`, got)
}
