package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
)

// TestFilesOnly checks how commands that read files and folders reject standard input and missing files.
func TestFilesOnly(t *testing.T) {
	plainEnvironment(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
	for _, command := range []string{"usage", "send", "doctor", "doctor --otlp"} {
		code, _, stderr := tailspan("", append(strings.Fields(command), "-")...)
		assert.Equal(t, cli.ExitUsage, code, command)
		assert.Contains(t, stderr, "reads files and folders, not standard input", command)
	}
	missing := filepath.Join(t.TempDir(), "nothing")
	for _, command := range []string{"usage", "send"} {
		code, _, _ := tailspan("", command, missing)
		assert.Equal(t, cli.ExitUsage, code, command)
	}
	_, stdout, _ := tailspan("", "doctor", filepath.Join(missing, "*"))
	assert.Regexp(t, `nothing/\* +- +not there\n`, stdout)
}

// TestReportCommands checks that no text in a Markdown report is a command for the CI system whose job writes it.
func TestReportCommands(t *testing.T) {
	plainEnvironment(t)
	text := "x\n::error::a\n##vso[task.complete]\n##teamcity[a]\n+++ b\nsection_start:1:c\n"
	encoded, err := json.Marshal(text)
	require.NoError(t, err)
	file := writeFile(t, filepath.Join(t.TempDir(), "run.jsonl"), claudeLines("s1", strings.Trim(string(encoded), `"`)))
	commands := []string{"\n::error::", "##vso[", "##teamcity[", "\n+++ ", "section_start:"}
	broken := func(markdown string) {
		for _, command := range commands {
			assert.NotContains(t, markdown, command)
		}
		assert.Contains(t, markdown, `:\:error::`)
	}
	report := func(flags ...string) string {
		code, stdout, stderr := tailspan("", append(append([]string{"report", "--format", "markdown"}, flags...), file)...)
		require.Equal(t, cli.ExitOK, code, stderr)
		return stdout
	}
	broken(report("--escape-commands"))
	for _, command := range commands {
		assert.Contains(t, report(), command, "no job of a CI system")
	}
	t.Setenv("CI", "true")
	broken(report())
	page := filepath.Join(t.TempDir(), "summary.md")
	code, _, stderr := tailspan("", "run", "--summary-file", page, "--", "cat", file)
	require.Equal(t, cli.ExitOK, code, stderr)
	markdown, err := os.ReadFile(page)
	require.NoError(t, err)
	broken(string(markdown))
}
