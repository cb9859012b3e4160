//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// writing returns a command that writes lines to standard output and ends with a code.
func writing(t *testing.T, code string, lines ...string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "output")
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	return []string{"sh", "-c", `cat "$0"; exit ` + code, path}
}

// arrivals is the duration of a run whose lines have no times: it is 0, and not shown, or that between their arrivals.
var arrivals = regexp.MustCompile(`(?m)^duration .*\n`)

// TestRunShowsPlainText checks that what an agent writes for people around and between its records is on standard error, and
// what the verdict says about it.
func TestRunShowsPlainText(t *testing.T) {
	key := "AKIA" + strings.Repeat("Q2W3", 4)
	noise := []string{"npm ERR 1", startLine, wordsLine, callLine, "FATAL: out of credits " + key, "    at cli.js:1"}
	failed := `tailspan: error: exit code 1 before its result: "FATAL: out of credits [redacted:aws]"` + "\n"
	for _, tc := range []struct {
		name        string
		args, lines []string
		code        string
		stdout      string
		stderr      string
	}{
		{"default", nil, noise, "1", "Working.\n", "npm ERR 1\nFATAL: out of credits [redacted:aws]\n    at cli.js:1\n" + failed},
		{"quiet", []string{"--mode", "quiet"}, noise, "1", "Run failed: exit code 1 before its result\n",
			failed + "tailspan: 3 lines of plain text, which mode quiet does not show\n"},
		{"quiet, quoted by the verdict", []string{"--mode", "quiet"}, []string{startLine, wordsLine, "FATAL: x"}, "0", "Run incomplete: ended without a result\n",
			`tailspan: incomplete: ended without a result: "FATAL: x"` + "\n"},
		{"quiet, before the last event", []string{"--mode", "quiet"}, []string{startLine, "FATAL: x", wordsLine}, "0", "Run incomplete: ended without a result\n",
			"tailspan: incomplete: ended without a result\ntailspan: 1 line of plain text, which mode quiet does not show; the last: FATAL: x\n"},
		{"verbose, no result", []string{"--mode", "verbose"}, []string{startLine, wordsLine}, "0", "Working.\n[run incomplete: ended without a result]\n--- Summary ---\ntools     0 calls\ntokens    10 in, 0 out\n",
			"tailspan: incomplete: ended without a result\n"},
		{"quiet and well", []string{"--mode", "quiet"}, []string{"npm warn", startLine, wordsLine, okLine}, "0", "Run finished (session s1)\n", ""},
		{"json", []string{"--mode", "json"}, noise, "1", strings.Join(noise, "\n") + "\n", ""},
		{"not after the last event", nil, []string{"npm ERR 1", startLine, wordsLine}, "0", "Working.\n", "npm ERR 1\ntailspan: incomplete: ended without a result\n"},
		{"with a result", nil, []string{startLine, wordsLine, failedLine, "bye"}, "1", "Working.\n", "bye\ntailspan: error: Credit balance is too low\n"},
		{"controls and commands", []string{"--escape-commands"}, []string{startLine, wordsLine, okLine, "\x1b[31mred\x1b]0;title\x07", "::error::x", "\x1b[2K"}, "0",
			"Working.\n", "red\n:\\:error::x\n"},
		{"torn, unknown or blank", nil, []string{startLine, `{"type":"assis`, `tant","x":1}}`, `{"type":"brand_new"}`, " ", `[{"a":`, wordsLine, okLine}, "0", "Working.\n", ""},
		{"logs in brackets", nil, []string{startLine, "[1/2] building", "{ Error: no", wordsLine, okLine}, "0", "Working.\n", "[1/2] building\n{ Error: no\n"},
		{"no record", []string{"--provider", "claude"}, []string{"Invalid API key"}, "1", "",
			"Invalid API key\ntailspan: 1 line not understood (malformed), of 1\ntailspan: no line is one of claude; --provider auto finds out whose they are\n" +
				`tailspan: error: exit code 1: "Invalid API key"` + "\n"},
		{"nothing done", []string{"--provider", "codex"}, []string{"Invalid API key"}, "0", "",
			"Invalid API key\ntailspan: 1 line not understood (malformed), of 1\ntailspan: no line is one of codex; --provider auto finds out whose they are\n" +
				`tailspan: empty: did nothing: "Invalid API key"` + "\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, stdout, stderr := begin(t, append(append(tc.args, "--"), writing(t, tc.code, tc.lines...)...)...).end(t)
			assert.Equal(t, tc.code, strconv.Itoa(code))
			assert.Equal(t, tc.stdout, arrivals.ReplaceAllString(stdout, ""))
			assert.Equal(t, tc.stderr, stderr)
		})
	}
}

// TestPlainTextElsewhere checks where plain text must not be, and the page and messages that quote it.
func TestPlainTextElsewhere(t *testing.T) {
	lines := []string{startLine, wordsLine, "FATAL: out of credits"}
	page := filepath.Join(t.TempDir(), "page.md")
	_, stdout, stderr := begin(t, append([]string{"--show", "names", "--summary-file", page, "--"}, writing(t, "1", lines...)...)...).end(t)
	named, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.NotContains(t, stdout+stderr+string(named), "FATAL")

	_, _, _ = begin(t, append([]string{"--summary-file", page, "--"}, writing(t, "1", lines...)...)...).end(t)
	full, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Contains(t, string(full), "out of credits")

	_, _, stderr = begin(t, append([]string{"--"}, writing(t, "1", startLine, strings.Repeat("é", 1000))...)...).end(t)
	assert.Contains(t, stderr, `before its result: "`+strings.Repeat("é", 199)+"…\"\n")

	for _, command := range []string{"render", "events"} {
		var out, errs bytes.Buffer
		file := filepath.Join(t.TempDir(), "a.jsonl")
		require.NoError(t, os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
		require.Zero(t, run([]string{command, file}, nil, &out, &errs))
		assert.Equal(t, "tailspan: 1 line not understood (malformed), of 3, the last text: FATAL: out of credits\n", errs.String())
		assert.NotContains(t, out.String(), "FATAL")
	}
}

// TestRunOfALongLine checks that the head of an overlong line of an unknown program is shown and counts as something said.
func TestRunOfALongLine(t *testing.T) {
	code, stdout, stderr := begin(t, append([]string{"--max-line-size", "1000", "--fail-on", "empty", "--"},
		writing(t, "0", "first "+strings.Repeat("words ", 1000))...)...).end(t)
	assert.Zero(t, code)
	assert.True(t, strings.HasPrefix(stdout, "first words "), stdout)
	assert.Contains(t, stderr, "tailspan: 1 line longer than 1000 bytes, read in part\n")
	assert.NotContains(t, stderr, "empty")
}
