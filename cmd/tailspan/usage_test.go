package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
)

// usageHome creates a home folder with a session of each agent, in an otherwise empty environment.
func usageHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{"CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_DATA_HOME", "OPENCODE_DB"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for from, to := range map[string]string{
		"claude/parity-1.0.3.session.jsonl": ".claude/projects/-home-dev-shop/s1.jsonl",
		"codex/parity.session.jsonl":        ".codex/sessions/2026/11/27/rollout-1.jsonl",
		"gemini/parity.session.jsonl":       ".gemini/tmp/shop/chats/session-1.jsonl",
		"qwen/parity.session.jsonl":         ".qwen/projects/-home-dev-shop/chats/s1.jsonl",
	} {
		data, err := os.ReadFile(filepath.Join("..", "..", "testdata", from))
		require.NoError(t, err)
		to = filepath.Join(home, to)
		require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o700))
		require.NoError(t, os.WriteFile(to, data, 0o600))
	}
	unpackDatabase(t, filepath.Join(home, ".local", "share", "opencode", "opencode.db"))
	return home
}

// TestNoHome: without a home folder no command finds the agents' sessions, and all say so in the same way.
func TestNoHome(t *testing.T) {
	t.Setenv("HOME", "")
	t.Setenv("USERPROFILE", "")
	t.Setenv("home", "")
	for _, command := range []string{"usage", "watch", "doctor"} {
		code, _, stderr := tailspan("", command)
		assert.Equal(t, cli.ExitFailure, code, command)
		assert.Regexp(t, `^tailspan: find home folder: .* is not defined; name files or folders\n$`, stderr, command)
	}
}

// TestUsage adds up the sessions of all agents in their usual places.
func TestUsage(t *testing.T) {
	home := usageHome(t)
	code, out, stderr := tailspan("", "usage", "--by", "agent", "--json", "--utc")
	require.Equal(t, cli.ExitOK, code, stderr)
	assert.Empty(t, stderr)
	var report struct {
		Rows []struct {
			Of    map[string]string
			Total int `json:"total_tokens"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	agents := map[string]bool{}
	for _, row := range report.Rows {
		agents[row.Of["agent"]] = row.Total > 0
	}
	assert.Equal(t, map[string]bool{"claude-code": true, "codex": true, "gemini-cli": true, "qwen-code": true, "opencode": true}, agents)

	code, out, stderr = tailspan("", "usage", "--by", "project", filepath.Join(home, ".gemini"))
	require.Equal(t, cli.ExitOK, code, stderr)
	assert.Regexp(t, `^PROJECT +INPUT .*\nshop +[0-9]`, out)
	assert.NotContains(t, out, "\x1b")
}

func TestUsageOfNothing(t *testing.T) {
	home := usageHome(t)
	empty := t.TempDir()
	for want, args := range map[string][]string{
		"no sessions found": {empty},
		"no tokens used in this period in 5 session files": {"--until", "2020-01-01"},
	} {
		code, out, stderr := tailspan("", append([]string{"usage"}, args...)...)
		assert.Equal(t, cli.ExitOK, code)
		assert.Contains(t, out, want)
		assert.Empty(t, stderr)
	}
	for want, args := range map[string][]string{
		"no such file":      {filepath.Join(home, "gone")},
		"is not one of day": {"--by", "hour"},
		"--since":           {"--since", "soon"},
		"is before":         {"--since", "2026-11-28", "--until", "2026-11-01"},
		"no such flag":      {"--bye"},
		"prices.yaml":       {"--prices", filepath.Join(home, "prices.yaml")},
		"must be positive":  {"--max-line-size", "0"},
	} {
		code, out, stderr := tailspan("", append([]string{"usage"}, args...)...)
		assert.Equal(t, cli.ExitUsage, code, "%s: %s", args, stderr)
		assert.Contains(t, stderr, want)
		assert.Empty(t, out)
	}
}

// TestUsageOfUnreadable has a truncated file: the others count, and the exit code shows that something is missing.
func TestUsageOfUnreadable(t *testing.T) {
	home := usageHome(t)
	require.NoError(t, os.WriteFile(filepath.Join(home, "cut.jsonl.gz"), []byte("\x1f\x8b\x08"), 0o600))
	code, out, stderr := tailspan("", "usage", home)
	assert.Equal(t, cli.ExitFailure, code)
	assert.Contains(t, out, "total")
	assert.Contains(t, stderr, "cut.jsonl.gz")
	assert.Contains(t, stderr, "1 path")
}
