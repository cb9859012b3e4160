package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/internal/terminaltest"
)

// TestRenderJSONIsUntouched checks that mode json copies its input regardless of other options.
func TestRenderJSONIsUntouched(t *testing.T) {
	in := "{\"token\":\"ghp_" + strings.Repeat("a1B2", 9) + "\"}\r\n\x1b[2J not JSON \xff\n\nno newline at the end"
	_, out, _ := tailspan(in, "render", "--mode", "json", "--style", "activity", "--results", "--reasoning", "--color", "always",
		"--max-line-size", "3", "--step", "build", "-")
	assert.Equal(t, in, out)
}

// secretStream contains a secret in two pieces of a text, in a command, and in text between the JSON.
func secretStream(secret string) string {
	delta := func(text string) string {
		return `{"type":"stream_event","session_id":"s","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"` + text + `"}}}`
	}
	return strings.Join([]string{
		`{"type":"system","subtype":"init","session_id":"s","model":"demo-1"}`,
		`{"type":"stream_event","session_id":"s","event":{"type":"message_start","message":{"id":"m1"}}}`,
		`{"type":"stream_event","session_id":"s","event":{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}}`,
		delta("The key is " + secret[:9]), delta(secret[9:] + " here."),
		`{"type":"assistant","session_id":"s","message":{"id":"m2","role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"push ` + secret + `"}}]}}`,
		"warning: " + secret + " is no good key",
		`{"type":"user","session_id":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"no ` + secret + `"}]}}`,
	}, "\n")
}

// TestRenderTakesSecretsOut checks that no part of a secret is shown in any style unless redaction is off.
func TestRenderTakesSecretsOut(t *testing.T) {
	secret := "ghp_" + strings.Repeat("a1B2", 9) // made up
	for _, style := range []string{"marker", "transcript", "progress", "activity"} {
		args := []string{"render", "--provider", "claude", "--mode", "verbose", "--style", style, "--results"}
		_, out, _ := tailspan(secretStream(secret), append(args, "-")...)
		assert.Contains(t, out, "The key is [redacted:github] here.\n", style)
		assert.NotContains(t, out, "a1B2", style)
		_, out, _ = tailspan(secretStream(secret), append(args, "--redact=false", "-")...)
		assert.Contains(t, out, "The key is "+secret+" here.\n", style)
		if style == "transcript" {
			assert.Contains(t, out, "warning: "+secret)
		}
	}
	_, out, _ := tailspan("the key "+secret, "render", "-")
	assert.Equal(t, "the key [redacted:github]\n", out, "a stream of no known agent")
}

// TestRenderLive checks that the whole lines of an unfinished text appear after a second.
func TestRenderLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, stdin := io.Pipe()
		var out terminaltest.Buffer
		done := make(chan int)
		go func() { done <- run([]string{"render", "--provider", "gemini", "-"}, in, &out, os.Stderr) }()
		_, err := io.WriteString(stdin, `{"type":"message","timestamp":"2026-11-27T20:49:13.473Z","role":"assistant","content":"One line.\nHa","delta":true}
{"type":"message","timestamp":"2026-11-27T20:49:13.473Z","role":"assistant","content":"lf a","delta":true}
`)
		require.NoError(t, err)
		synctest.Wait()
		assert.Empty(t, out.String(), "the text may go on")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.Equal(t, "One line.\n", out.String())
		require.NoError(t, stdin.Close())
		assert.Equal(t, cli.ExitOK, <-done)
		assert.Equal(t, "One line.\nHalf a\n", out.String())
	})
}

// TestRenderReportsUnrecognizedLines checks the note at the end of a log.
func TestRenderReportsUnrecognizedLines(t *testing.T) {
	line := `{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"hello"}]}}` + "\n"
	for _, tt := range []struct{ provider, in, want string }{
		{"claude", line, ""},
		{"claude", line + "{\"type\":\n", "tailspan: 1 line not understood (malformed), of 2\n"},
		{"claude", line + "{\n{\n", "tailspan: 2 lines not understood (malformed), of 3\n"},
		{"codex", line, "tailspan: no line is one of codex; --provider auto finds out whose they are\n"},
		{"none", line, ""},
		{"auto", "words\n", "tailspan: 1 line not recognized and shown unchanged; --provider names the agent: claude, codex, gemini, openai_compatible, opencode, qwen\n"},
	} {
		code, _, stderr := tailspan(tt.in, "render", "--provider", tt.provider, "-")
		assert.Equal(t, cli.ExitOK, code)
		assert.Equal(t, tt.want, stderr, "%s %s", tt.provider, tt.in)
	}
}

// TestReadmeSample checks that the readable log in the README is the output of the command for the sample session.
func TestReadmeSample(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, log, _ := tailspan("", "render", "--mode", "verbose", fixtures+"parity.jsonl")
	sample := "\n    " + strings.ReplaceAll(strings.TrimSuffix(log, "\n"), "\n", "\n    ") + "\n"
	assert.True(t, strings.Contains(string(readme), sample), "README.md has no sample%s", sample) //nolint:testifylint // Contains would print it
}

// TestCommandsToCISystemsAreBroken: commands are broken in a CI job without a flag, by render and run, in every style.
// The flag breaks those of all systems and can also disable it.
func TestCommandsToCISystemsAreBroken(t *testing.T) {
	stream := strings.Join([]string{
		`{"type":"system","subtype":"init","session_id":"s","model":"demo-1"}`,
		`{"type":"assistant","session_id":"s","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"\u00a0::error::made up\n--- fold"},{"type":"tool_use","id":"t1","name":"##[group]x","input":{"command":"::error::made up"}}]}}`,
		`{"type":"user","session_id":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"##[error]made up"}]}}`,
		`{"type":"result","subtype":"error","is_error":true,"result":"::error::made up","session_id":"s","num_turns":1}`,
	}, "\n")
	obeyed := func(out string) (found []string) {
		for line := range strings.SplitSeq(out, "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
				found = append(found, line)
			}
		}
		return found
	}
	path := filepath.Join(t.TempDir(), "s.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(stream), 0o600))
	plainEnvironment(t)
	for _, style := range []string{"marker", "transcript", "progress", "activity"} {
		look := []string{"--mode", "verbose", "--style", style, "--results"}
		t.Setenv("GITHUB_ACTIONS", "true")
		_, out, _ := tailspan(stream, append(append([]string{"render"}, look...), "-")...)
		assert.Empty(t, obeyed(out), style)
		assert.Contains(t, out, "\u00a0:\\:error::made up\n--- fold\n", style)
		_, out, errs := tailspan("", append(append([]string{"run"}, look...), "--", "cat", path)...)
		assert.Empty(t, obeyed(out+"\n"+errs), style)
		assert.Contains(t, out, ":\\:error::made up", style)
		_, out, _ = tailspan(stream, append(append([]string{"render", "--escape-commands=off"}, look...), "-")...)
		assert.Contains(t, out, "\u00a0::error::made up\n", style)
		t.Setenv("GITHUB_ACTIONS", "")
		_, out, _ = tailspan(stream, append(append([]string{"render"}, look...), "-")...)
		assert.Contains(t, out, "\u00a0::error::made up\n", style)
		_, out, _ = tailspan(stream, append(append([]string{"render", "--escape-commands"}, look...), "-")...)
		assert.Empty(t, obeyed(out), style)
		assert.Contains(t, out, "---\\ fold\n", style)
	}
	t.Setenv("GITHUB_ACTIONS", "true")
	for _, mode := range []string{"quiet", "default"} {
		_, out, errs := tailspan("", "run", "--mode", mode, "--step", "##[group]x", "--", "sh", "-c", `cat "$0"; printf ' ::error::%s\n' made up >&2; exit 3`, path)
		assert.Empty(t, obeyed(out+"\n"+errs), mode)
		assert.Contains(t, errs, " :\\:error::made\n", mode)
	}
	_, _, errs := tailspan("", "run", "--", "##[group]\x1b[2Jx")
	assert.Empty(t, obeyed(errs))
	assert.NotContains(t, errs, "\x1b")
	code, _, errs := tailspan("", "render", "--escape-commands=maybe", "-")
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, errs, `must be one of auto, on, off, got "maybe"`)
}
