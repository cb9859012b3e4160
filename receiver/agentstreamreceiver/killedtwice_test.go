package agentstreamreceiver_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/otlp"
)

// part is a file of testdata up to where its agent was killed; all of it if lines is 0.
type part struct {
	path  string
	lines int
}

func (p part) read(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(samples, p.path))
	require.NoError(t, err)
	if lines := bytes.SplitAfter(data, []byte("\n")); p.lines > 0 {
		data = bytes.Join(lines[:p.lines], nil)
	}
	return data
}

// killedTwice is a run that was killed: its stream on standard output and its transcripts. The tokens are those that the model
// served before.
type killedTwice struct {
	provider, name string
	files          []part
	input, output  int64
	incomplete     bool // its sub-agents may continue
}

func killedRuns() []killedTwice {
	family := filepath.Join("claude", "families", "subagent")
	return []killedTwice{
		{"claude", "alone", []part{{"claude/killed.jsonl", 0}, {"spans/inputs/claude-S7-kill.session.jsonl", 0}}, 29924, 136, false},
		{"claude", "with sub-agents", []part{
			{"claude/subagent.jsonl", 20}, {family + "/main.session.jsonl", 27},
			{family + "/agent-aba500ca402cb87b8.session.jsonl", 23}, {family + "/agent-ad12a344d93e7fc15.session.jsonl", 21},
		}, 74481, 459, true},
		{"codex", "alone", []part{{"codex/killed.jsonl", 0}, {"codex/killed.session.jsonl", 0}}, 2770, 127, false},
		{"gemini", "alone", []part{{"spans/inputs/gemini-S7-sigkill.stream.jsonl", 0}, {"spans/inputs/gemini-S7-sigkill.session.jsonl", 0}}, 10125, 66, false},
		// The transcript lacks the call during which it was killed.
		{"qwen", "alone", []part{{"qwen/sigkill.stream.jsonl", 0}, {"qwen/sigkill.session.jsonl", 0}}, 10120, 51, false},
	}
}

// usedBy are the tokens on all spans, and the total on that of the run.
type usedBy struct {
	input, output, totalInput, totalOutput int64
	incomplete                             bool
}

func usedIn(r *rig) usedBy { return usedOn(r.spans()) }

func usedOn(spans []ptrace.Span) (u usedBy) {
	for _, span := range spans {
		m := span.Attributes()
		tokens := tokensOf(m)
		u.input, u.output = u.input+tokens.Input, u.output+tokens.Output
		if isRun(span) {
			_, u.incomplete = m.Get(otlp.AttrUsageIncomplete)
			u.totalInput, u.totalOutput = u.totalInput+intOf(m, otlp.AttrUsageInput), u.totalOutput+intOf(m, otlp.AttrUsageOutput)
		}
	}
	return u
}

// TestKilledInTwoAccounts reads the stream and the transcripts of a run that was killed, in both orders, followed and afterwards:
// all tokens are on spans, once, and in the total of the run.
func TestKilledInTwoAccounts(t *testing.T) {
	for _, run := range killedRuns() {
		for _, mode := range []struct {
			name      string
			age, idle time.Duration
		}{{"followed", 0, 6 * time.Second}, {"afterwards", 24 * time.Hour, time.Hour}} {
			for _, order := range []string{"stream first", "stream last"} {
				t.Run(run.provider+" "+run.name+", "+mode.name+", "+order, func(t *testing.T) {
					t.Parallel()
					want := usedBy{input: run.input, output: run.output, totalInput: run.input, totalOutput: run.output, incomplete: run.incomplete}
					files := run.files
					if order == "stream last" {
						files = append(files[1:len(files):len(files)], files[0])
						if run.provider == "qwen" && mode.age > 0 { // the run was over when the stream was found
							want.totalInput, want.totalOutput = 4700, 20
						}
					}
					assert.Equal(t, want, run.play(t, files, mode.age, mode.idle))
				})
			}
		}
	}
}

// play reads files of the run that were last written some time ago, one after another.
func (k *killedTwice) play(t *testing.T, files []part, age, idle time.Duration) usedBy {
	dir := t.TempDir()
	cfg := configFor(filepath.Join(dir, "*.jsonl"))
	cfg.Stream.PollInterval, cfg.Stream.IdleClose = 20*time.Millisecond, idle
	cfg.Telemetry.EndGrace, cfg.Telemetry.ParentWait = time.Second, time.Second
	r := startOn(t, newMachine(), cfg, nil)
	lines := int64(0)
	for _, file := range files {
		data := file.read(t)
		lines += int64(bytes.Count(data, []byte("\n")))
		name := filepath.Base(filepath.Dir(file.path)) + "-" + filepath.Base(file.path)
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, data, 0o600))
		require.NoError(t, os.Chtimes(path, time.Now(), time.Now().Add(-age)))
		require.NoError(t, os.Rename(path, filepath.Join(dir, name)))
		require.Eventually(t, func() bool { return len(r.records()) > 0 }, wait, tick, "the run is known")
	}
	require.Eventually(t, func() bool {
		return r.lines(k.provider) == lines && slices.ContainsFunc(r.spans(), isRun)
	}, wait, tick)
	r.stop()
	assert.Empty(t, otlpjson.Check(r.traces.AllTraces()...))
	return usedIn(r)
}

func isRun(span ptrace.Span) bool {
	_, is := span.Attributes().Get(otlp.AttrRunKey)
	return is
}
