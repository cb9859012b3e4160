package report_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/report"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/report/reporttest"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/verdict"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/session/program"
	"github.com/tailspan/tailspan/telemetry"
)

const recordings = "../../../../testdata"

// TestVerdict checks that a report has the same verdict as package verdict on the same stream.
func TestVerdict(t *testing.T) {
	var files []string
	for _, pattern := range []string{"claude/*.jsonl", "codex/*.jsonl", "gemini/*.jsonl", "opencode/*.session.jsonl", "qwen/*.jsonl"} {
		found, err := filepath.Glob(filepath.Join(recordings, pattern))
		require.NoError(t, err)
		files = append(files, found...)
	}
	compared := 0
	for _, file := range files {
		set := reporttest.Settings(t, nil)
		c := report.NewCollector(report.DefaultLimits())
		report.Capture(&set.Telemetry)
		var judge verdict.Reader
		reporttest.Feed(t, set, file, func(out *telemetry.Output) {
			c.Add(out.Traces, out.Logs)
			judge.Read(&out.Data)
		})
		if runs := c.Runs(); len(runs) == 1 {
			compared++
			want := events.CleanLine(render.Sanitize(judge.Verdict().String()), 0)
			assert.Equal(t, want, runs[0].Verdict.String(), file)
		}
	}
	assert.Greater(t, compared, 150)
}

// TestTimesAndIDs checks that times and IDs are those of the telemetry.
func TestTimesAndIDs(t *testing.T) {
	runs := reporttest.Runs(t, filepath.Join(recordings, "claude/families/subagent/main.session.jsonl"))
	require.Len(t, runs, 1)
	run := runs[0]
	assert.Equal(t, "f4373a666c85f7c5e0f95d815b429409", run.TraceID)
	assert.Equal(t, "f4373a66-e7909cb1d8fd794f", run.ID)
	assert.Equal(t, 27697*time.Millisecond, run.Duration())
	assert.Equal(t, 9, run.ModelCalls)
	assert.Equal(t, 8, run.Calls)
	assert.Equal(t, 1, run.CallsFailed)
	assert.Equal(t, 2, run.Agents)
	var names []string
	run.Each(func(a *report.Agent) { names = append(names, fmt.Sprint(a.Name, " ", a.Outcome, " ", a.Duration())) })
	assert.Equal(t, []string{"claude-code ok 27.697s", "general-purpose ok 16.221s", "Explore ok 9.535s"}, names)
}

func turn(id int, text string) string {
	return fmt.Sprintf(`{"type":"assistant","session_id":"s","message":{"id":"m%d","model":"m","role":"assistant","content":[{"type":"text","text":%q}]}}`, id, text)
}

func TestLimits(t *testing.T) {
	dir := t.TempDir()
	var lines []string
	for i := range 300 {
		lines = append(lines, turn(i, strings.Repeat("word ", 100)))
	}
	newest := reporttest.File(t, dir, "b.jsonl", lines...)
	l := report.DefaultLimits()
	l.Items, l.ReportBytes = 100, 30_000
	set := reporttest.Settings(t, nil)
	older := filepath.Join(recordings, "claude/parity.jsonl")
	runs, err := report.Read(t.Context(), set, []string{older, newest}, l)
	require.NoError(t, err)
	require.Len(t, runs, 2)
	l.Fit(runs)
	assert.True(t, runs[0].Omitted, "the older run has no room")
	assert.Empty(t, runs[0].Items)
	assert.False(t, runs[1].Omitted)
	size := 0
	for _, item := range runs[1].Items {
		size += len(item.Text.Text)
		if item.Kind == events.KindPhase {
			assert.Equal(t, "200 items are left out here", item.Text.Text)
			continue
		}
		assert.True(t, item.Text.Cut)
		assert.Equal(t, 500, item.Text.Size)
	}
	assert.Len(t, runs[1].Items, 101)
	assert.LessOrEqual(t, size, 30_000+len("200 items are left out here"))

	l.HeldBytes = 1000
	runs, err = report.Read(t.Context(), set, []string{newest}, l)
	require.NoError(t, err)
	last := runs[0].Items[len(runs[0].Items)-1]
	assert.Less(t, len(last.Text.Text), 300, "only the first words are kept")
	assert.True(t, last.Text.Cut)
}

// TestMessageIsWords has a text that the records contain only in its closing event.
func TestMessageIsWords(t *testing.T) {
	registry := telemetry.NewRegistry(telemetry.NewDefaultSettings())
	stream := registry.Open(telemetry.StreamSettings{ID: "s", Agent: program.Agent{Provider: "claude"}})
	stream.Feed(telemetry.Line{}, []events.DisplayEvent{
		{Kind: events.KindSessionStarted, SessionID: "s"},
		{Kind: events.KindMessage, SessionID: "s", MessageID: "m", Text: "Done."},
		{Kind: events.KindSessionEnded, SessionID: "s", End: &events.End{}},
	})
	stream.Close(otlp.CloseReasonNoResult)
	c := report.NewCollector(report.DefaultLimits())
	for _, out := range []telemetry.Output{stream.Take(), registry.Close()} {
		c.Add(out.Traces, out.Logs)
	}
	runs := c.Runs()
	require.Len(t, runs, 1)
	assert.Equal(t, verdict.KindOK, runs[0].Verdict.Kind)
}

func TestSelect(t *testing.T) {
	runs := reporttest.Runs(t, filepath.Join(recordings, "claude/interactive.session.jsonl"))
	require.Len(t, runs, 6)
	assert.Len(t, report.Select(runs, runs[2].TraceID[:10]), 1)
	assert.Len(t, report.Select(runs, runs[2].Key), 1)
	assert.Len(t, report.Select(runs, runs[2].SessionID), 6)
	assert.Empty(t, report.Select(runs, "none"))
	_, span, _ := strings.Cut(runs[3].ID, "-")
	assert.Equal(t, runs[3:4], report.Select(runs, span))
}

func TestCost(t *testing.T) {
	assert.Equal(t, "–", report.Cost(events.Usage{}))
	assert.Equal(t, "$0.0618", report.Cost(events.Usage{HasCost: true, CostUSD: 0.06177}))
	assert.Equal(t, "~$123.46", report.Cost(events.Usage{HasCost: true, CostUSD: 123.456, CostEstimated: true}))
}

func TestArguments(t *testing.T) {
	for input, want := range map[string]string{
		`{"command":"go test ./...","timeout":120,"quiet":true}`:         "command: go test ./...\ntimeout: 120\nquiet: true",
		`{"path":"a.go","new":"func f() {\n\treturn\n}\n","list":[1,2]}`: "path: a.go\nnew:\n  func f() {\n  \treturn\n  }\nlist: [1,2]",
		`{}`:            "",
		`{"none":null}`: "none: null",
		`"two\nlines"`:  "two\nlines",
		`[1]`:           `[1]`,
	} {
		line := fmt.Sprintf(`{"type":"assistant","session_id":"s","message":{"id":"m","model":"m","role":"assistant","content":[{"type":"tool_use","id":"c","name":"T","input":%s}]}}`, input)
		runs := reporttest.Runs(t, reporttest.File(t, t.TempDir(), "run.jsonl", line))
		require.Len(t, runs, 1)
		require.Len(t, runs[0].Items, 1)
		assert.Equal(t, want, runs[0].Items[0].Call.Input.Text, input)
	}
}

// TestUndated has a recording without times: Codex's stream.
func TestUndated(t *testing.T) {
	runs := reporttest.Runs(t, reporttest.File(t, t.TempDir(), "run.jsonl",
		`{"type":"thread.started","thread_id":"t"}`, `{"type":"turn.started"}`,
		`{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"Done."}}`,
		`{"type":"turn.completed","usage":{"input_tokens":9,"cached_input_tokens":1,"output_tokens":2}}`))
	require.Len(t, runs, 1)
	run := runs[0]
	assert.True(t, run.Undated())
	assert.Equal(t, "–", run.Took())
	assert.Empty(t, run.Offset(run.Start))
	assert.Equal(t, "–", run.ModelCallCount(), "the tokens are those of the turn")
	assert.Equal(t, "Done.", run.LastWords.Text)
}
