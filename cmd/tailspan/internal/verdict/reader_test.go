package verdict_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/verdict"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/goldentest"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/telemetry"
)

const recordings = "../../../../testdata"

// judge returns the verdict on lines of a process with this exit.
func judge(t *testing.T, lines []string, exit *outcome.Exit) verdict.Verdict {
	r := read(t, lines, exit)
	return r.Verdict()
}

// read reads the lines of a process with this exit; nil if unknown.
func read(t *testing.T, lines []string, exit *outcome.Exit) (r verdict.Reader) {
	t.Helper()
	registry := telemetry.NewRegistry(telemetry.NewDefaultSettings())
	set := pipeline.Settings{Events: pipeline.EventSettings{Provider: parser.Auto}, Registry: registry}
	set.Telemetry.ID, set.Telemetry.AwaitExit = "s", exit != nil
	p, err := pipeline.New(set)
	require.NoError(t, err)
	for _, line := range lines {
		p.At.Offset++
		p.Line([]byte(line))
	}
	p.Flush()
	if exit != nil {
		exit.Time = time.Unix(2e9, 0)
		p.Exited(*exit)
		r.Exited(exit)
	}
	for _, out := range p.Take() {
		r.Read(&out.Data)
	}
	last := registry.Close()
	r.Read(&last.Data)
	return r
}

// recording returns the lines of a recording.
func recording(t *testing.T, name string) (lines []string) {
	t.Helper()
	f, err := os.Open(filepath.Join(recordings, name))
	require.NoError(t, err)
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		lines = append(lines, in.Text())
	}
	require.NoError(t, in.Err())
	return lines
}

// TestExits has recordings as the output of processes with every kind of exit.
func TestExits(t *testing.T) {
	for _, c := range []struct {
		name, recording string
		exit            outcome.Exit
		want            string
	}{
		{"success", "claude/parity.jsonl", outcome.Exit{}, "ok"},
		{"success, exit code 3", "claude/parity.jsonl", outcome.Exit{Code: 3}, "error: exit code 3"},
		{"success, signal", "claude/parity.jsonl", outcome.Exit{Signal: "SIGSEGV"}, "error: killed by SIGSEGV"},
		{"failure, exit code 0", "claude/fatal-401.jsonl", outcome.Exit{}, "error: Invalid API key · Fix external API key"},
		{"failure, exit code 1", "claude/fatal-401.jsonl", outcome.Exit{Code: 1}, "error: Invalid API key · Fix external API key"},
		{"failure without a text", "claude/max-turns.jsonl", outcome.Exit{Code: 1}, "error: Reached maximum number of turns (3)"},
		{"killed in a call", "claude/killed.jsonl", outcome.Exit{Signal: "SIGKILL"}, "error: killed by SIGKILL in Bash: echo begin; sleep 40; echo end"},
		{"killed in a text", "claude/killed-in-text.jsonl", outcome.Exit{Signal: "SIGKILL"}, "error: killed by SIGKILL"},
		{"killed, Codex", "codex/killed.jsonl", outcome.Exit{Signal: "SIGKILL"}, "error: killed by SIGKILL in command_execution: echo begin; touch .started; sleep 30; e…"},
		{"killed, Qwen Code", "qwen/sigkill.stream.jsonl", outcome.Exit{Signal: "SIGKILL"}, "error: killed by SIGKILL in run_shell_command: echo start; sleep 30; echo never"},
		{"no result, exit code 1", "claude/killed.jsonl", outcome.Exit{Code: 1}, "error: exit code 1 before its result in Bash: echo begin; sleep 40; echo end"},
		{"no result, exit code 0", "claude/killed-in-text.jsonl", outcome.Exit{}, "incomplete: ended without a result"},
		{"output was lost", "claude/killed-in-text.jsonl", outcome.Exit{Dropped: 9}, "incomplete: its output was cut"},
		{"output was lost after a result", "claude/parity.jsonl", outcome.Exit{Dropped: 9}, "incomplete: its output was cut"},
		{"output was lost, nothing is known", "opencode/silent.jsonl", outcome.Exit{Dropped: 9}, "incomplete: its output was cut"},
		{"output was lost after refused calls", "claude/denied.jsonl", outcome.Exit{Dropped: 9}, "denied: 3 refused calls (Bash, Write, WebFetch)"},
		{"output was lost after a failure", "claude/max-turns.jsonl", outcome.Exit{Dropped: 9}, "error: Reached maximum number of turns (3)"},
		{"Ctrl-C", "claude/killed.jsonl", outcome.Exit{Code: 130}, "incomplete: interrupted in Bash: echo begin; sleep 40; echo end"},
		{"stopped for a limit", "claude/killed.jsonl", outcome.Exit{Signal: "SIGTERM", Stopped: true, StopReason: otlp.StopStall}, "error: stopped: no output for too long in Bash: echo begin; sleep 40; echo end"},
		{"stopped for a limit, exit code 0", "claude/killed-in-text.jsonl", outcome.Exit{Stopped: true, StopReason: otlp.StopMaxCost}, "error: stopped: it cost too much"},
		{"refused calls", "claude/denied.jsonl", outcome.Exit{}, "denied: 3 refused calls (Bash, Write, WebFetch)"},
		{"refused calls, Gemini CLI", "gemini/policy.jsonl", outcome.Exit{}, "denied: 3 refused calls (run_shell_command, write_file, glob)"},
		{"conversation compacted", "claude/compact-run2.jsonl", outcome.Exit{}, "ok"},
		{"nothing done", "opencode/silent.jsonl", outcome.Exit{}, "empty: did nothing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, judge(t, recording(t, c.recording), &c.exit).String())
		})
	}
}

// TestNoAgent has the output of an unknown agent.
func TestNoAgent(t *testing.T) {
	plain := []string{"hello"}
	assert.Equal(t, "ok", judge(t, plain, &outcome.Exit{}).String())
	assert.Equal(t, "error: exit code 2", judge(t, plain, &outcome.Exit{Code: 2}).String())
	assert.Equal(t, "error: killed by SIGTERM", judge(t, plain, &outcome.Exit{Signal: "SIGTERM"}).String())
	assert.Equal(t, "error: stopped: it took too long", judge(t, plain, &outcome.Exit{Signal: "SIGTERM", Stopped: true, StopReason: otlp.StopMaxTime}).String())
	assert.Equal(t, "empty: did nothing", judge(t, nil, &outcome.Exit{}).String())
}

// TestLateExit has a process that stays after its result for longer than the span of its run waits.
func TestLateExit(t *testing.T) {
	r := read(t, recording(t, "claude/parity.jsonl"), nil)
	assert.Equal(t, "ok", r.Verdict().String())
	r.Exited(&outcome.Exit{Code: 4})
	assert.Equal(t, "error: exit code 4", r.Verdict().String())
}

// TestStreams checks the verdict on every recorded stream of an agent whose process exited with 0.
func TestStreams(t *testing.T) {
	var b strings.Builder
	for _, pattern := range []string{"claude/*.jsonl", "codex/*.jsonl", "gemini/*.jsonl", "opencode/*.jsonl", "qwen/*.stream.jsonl"} {
		paths, err := filepath.Glob(filepath.Join(recordings, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, paths)
		for _, path := range paths {
			if name := filepath.Base(path); strings.Contains(name, ".session.") || strings.Contains(name, ".log.") || strings.Contains(name, ".storage.") {
				continue // not a stream
			}
			name, err := filepath.Rel(recordings, path)
			require.NoError(t, err)
			fmt.Fprintf(&b, "%s  %s\n", name, judge(t, recording(t, name), &outcome.Exit{}))
		}
	}
	goldentest.Compare(t, filepath.Join("testdata", "verdicts.golden"), b.String())
}

func TestParseKinds(t *testing.T) {
	kinds, err := verdict.ParseKinds("error, denied")
	require.NoError(t, err)
	assert.Equal(t, []verdict.Kind{verdict.KindError, verdict.KindDenied}, kinds)
	kinds, err = verdict.ParseKinds("")
	require.NoError(t, err)
	assert.Empty(t, kinds)
	for _, wrong := range []string{"ok", "failed", "error;empty"} {
		_, err = verdict.ParseKinds(wrong)
		assert.ErrorContains(t, err, "want some of error, incomplete, denied, empty", wrong)
	}
}

func TestWithoutContents(t *testing.T) {
	for name, want := range map[string]string{
		"claude/killed.jsonl": "error: killed by SIGKILL in bash", "claude/denied.jsonl": "denied: 3 refused calls (bash, write, webfetch)", "claude/fatal-401.jsonl": "error: authentication_failed",
		"claude/parity.jsonl": "error: exit code 3",
	} {
		exit := outcome.Exit{}
		if name == "claude/parity.jsonl" {
			exit.Code = 3
		}
		if name == "claude/killed.jsonl" {
			exit.Signal = "SIGKILL"
		}
		r := read(t, recording(t, name), &exit)
		facts := r.Facts().WithoutContents(strings.ToLower)
		assert.Equal(t, want, facts.Verdict().String())
	}
}

func TestReasonIsBounded(t *testing.T) {
	f := verdict.Facts{Worst: outcome.Verdict{Outcome: events.OutcomeError, Message: strings.Repeat("x", 1000) + "\nmore"}}
	assert.Len(t, []rune(f.Verdict().Reason), verdict.ReasonRunes)
}
