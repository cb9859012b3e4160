package summary_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/names"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/summary"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/verdict"
	"github.com/tailspan/tailspan/internal/goldentest"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/session/ledger"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/telemetry"
)

// page returns the page about a stream whose process ended with this exit.
func page(t *testing.T, data []byte, exit *outcome.Exit, p summary.Page) string {
	t.Helper()
	settings := telemetry.NewDefaultSettings()
	settings.Now = func() time.Time { return time.Unix(2e9, 0) } // for recordings without times
	settings.Prices = ledger.Prices{{Model: "gpt-*", Input: 1, Cached: 0.1, Output: 10}}
	registry := telemetry.NewRegistry(settings)
	set := pipeline.Settings{Events: pipeline.EventSettings{Provider: parser.Auto}, Registry: registry}
	set.Telemetry.ID, set.Telemetry.AwaitExit = "s", true
	stream, err := pipeline.New(set)
	require.NoError(t, err)
	for line := range bytes.Lines(data) {
		stream.At.Offset++
		stream.Line(bytes.TrimRight(line, "\n"))
	}
	stream.Flush()
	if exit.Time.IsZero() {
		exit.Time = time.Unix(2e9, 0)
	}
	stream.Exited(*exit)
	var r summary.Reader
	var judge verdict.Reader
	judge.Exited(exit)
	for _, out := range stream.Take() {
		r.Read(&out.Data)
		judge.Read(&out.Data)
	}
	facts := judge.Facts()
	if p.Name != nil {
		facts = facts.WithoutContents(p.Name)
	}
	p.Verdict = facts.Verdict()
	return r.Markdown(&p)
}

func recording(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "testdata", name))
	require.NoError(t, err)
	return data
}

func TestPages(t *testing.T) {
	for _, c := range []struct {
		name, recording string
		exit            outcome.Exit
		page            summary.Page
	}{
		{"failures", "claude/failures.jsonl", outcome.Exit{}, summary.Page{Title: "fix", TraceURL: "https://traces.example/trace/{trace_id}?org=1"}},
		{"sub-agents", "claude/background.jsonl", outcome.Exit{}, summary.Page{Title: "review"}},
		{"killed", "claude/killed.jsonl", outcome.Exit{Signal: "SIGKILL", Time: time.Date(2026, 11, 27, 20, 55, 0, 0, time.UTC)}, summary.Page{}},
		{"codex", "codex/parity.jsonl", outcome.Exit{}, summary.Page{Title: "fix"}},
		{"denied", "gemini/policy.jsonl", outcome.Exit{}, summary.Page{Title: "fix"}},
		{"names", "claude/failures.jsonl", outcome.Exit{Signal: "SIGTERM"}, summary.Page{Title: "fix", Name: names.Name}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := page(t, recording(t, c.recording), &c.exit, c.page)
			goldentest.Compare(t, filepath.Join("testdata", c.name+".md.golden"), got)
		})
	}
}

// hostile is a stream in which every text contains Markdown, HTML or terminal control sequences.
func hostile(text string) []byte {
	return fmt.Appendf(nil, `{"type":"system","subtype":"init","session_id":"s","model":%[1]q,"cwd":"/w","tools":[],"uuid":"u0"}
{"type":"assistant","session_id":"s","uuid":"u1","message":{"id":"m1","role":"assistant","model":%[1]q,"content":[{"type":"text","text":%[1]q},{"type":"tool_use","id":"t1","name":%[1]q,"input":{"command":%[1]q}}]}}
{"type":"user","session_id":"s","uuid":"u2","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":%[1]q}]}}
{"type":"result","subtype":"error","is_error":true,"session_id":"s","uuid":"u3","result":%[1]q}
`, text)
}

func TestHostile(t *testing.T) {
	const text = "```\n![x](https://evil.example/a.png) <img src=x onerror=alert(1)> | [a](javascript:x) @someone #1 www.evil.example \x1b[31m ````"
	got := page(t, hostile(text), &outcome.Exit{}, summary.Page{Title: "<b>x</b>|"})
	outside := regexp.MustCompile("(?s)(`{5,})text\n.*?\n`{5,}\n").ReplaceAllString(got, "")
	require.NotEqual(t, got, outside, "the last words are in a block with a longer fence:\n%s", got)
	for _, part := range []string{"![", "<img", "](", "<b>", "@someone", "www.", "```", "\x1b"} {
		assert.NotContains(t, outside, part)
	}
	assert.NotContains(t, got, "\x1b")
}

// TestLimits has more of everything than a page shows.
func TestLimits(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"type":"system","subtype":"init","session_id":"s","model":"m","cwd":"/w","tools":[],"uuid":"u"}` + "\n")
	for i := range 1200 {
		fmt.Fprintf(&b, `{"type":"assistant","session_id":"s","uuid":"a%[1]d","message":{"id":"m%[1]d","role":"assistant","model":"m","content":[{"type":"tool_use","id":"t%[1]d","name":"tool%[1]d","input":{"command":"x"}}]}}
{"type":"user","session_id":"s","uuid":"b%[1]d","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%[1]d","is_error":true,"content":"no"}]}}
`, i)
	}
	fmt.Fprintf(&b, `{"type":"result","subtype":"success","session_id":"s","uuid":"r","result":%q}`+"\n", strings.Repeat("word ", 10000))
	got := page(t, []byte(b.String()), &outcome.Exit{}, summary.Page{})
	assert.Less(t, len(got), 16<<10)
	assert.Contains(t, got, "| other tools | 200 | 200 |")
	assert.Contains(t, got, "| and 971 more | | | |", "1000 tools and the rest")
	assert.Contains(t, got, "| and 1180 more | | |")
}
