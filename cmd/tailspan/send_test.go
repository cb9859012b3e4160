package main

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/internal/otlpjson"
)

// TestSendErrors: invalid arguments exit with 2, data that no endpoint accepts with 1.
func TestSendErrors(t *testing.T) {
	plainEnvironment(t)
	down := newOTLPSink(t)
	down.Close()
	refusing := newOTLPSink(t)
	refusing.answers(func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusBadRequest)
		return true
	})
	broken := filepath.Join(t.TempDir(), "kept.jsonl")
	require.NoError(t, os.WriteFile(broken, []byte(`{"resourceSpans":[{]`), 0o600))
	for _, tc := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no file", []string{"--otlp", down.URL}, cli.ExitUsage, "send needs a file"},
		{"no endpoint", []string{fixtures + "parity.jsonl"}, cli.ExitUsage, "send needs an endpoint"},
		{"missing file", []string{"--otlp", down.URL, "missing.jsonl"}, cli.ExitUsage, "no such file"},
		{"nothing matches", []string{"--otlp", down.URL, "*.missing"}, cli.ExitUsage, "no file matches"},
		{"down", []string{"--otlp", down.URL, "--timeout", "300ms", fixtures + "parity.jsonl"}, cli.ExitFailure, "not everything was sent"},
		{"refused", []string{"--otlp", refusing.URL, fixtures + "parity.jsonl"}, cli.ExitFailure, "were refused"},
		{"broken", []string{"--otlp", refusing.URL, broken}, cli.ExitFailure, "line 1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, stdout, stderr := tailspan("", append([]string{"send"}, tc.args...)...)
			assert.Equal(t, tc.code, code, stderr)
			assert.Empty(t, stdout)
			assert.Contains(t, stderr, tc.want)
		})
	}
}

// TestSendReportsAllErrors: an error in one file is also reported if the endpoint then accepts nothing of the next.
func TestSendReportsAllErrors(t *testing.T) {
	plainEnvironment(t)
	down := newOTLPSink(t)
	down.Close()
	dir := t.TempDir()
	session, err := os.ReadFile(fixtures + "parity.jsonl")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.jsonl"), []byte(`{"resourceSpans":[{]`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.jsonl"), session, 0o600))
	code, _, stderr := tailspan("", "send", "--otlp", down.URL, "--timeout", "300ms", filepath.Join(dir, "*.jsonl"))
	assert.Equal(t, cli.ExitFailure, code)
	assert.Contains(t, stderr, "a.jsonl\": line 1")
	assert.Contains(t, stderr, "not everything was sent")
}

// TestSendSubAgents: sub-agents in separate files become children of their calls, whichever file is read first, and lines
// of no known format stay in place.
func TestSendSubAgents(t *testing.T) {
	folder := filepath.Join("..", "..", "testdata", "claude", "families")
	families, err := filepath.Glob(filepath.Join(folder, "*"))
	require.NoError(t, err)
	require.NotEmpty(t, families)
	work := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(work, "journal.jsonl"), []byte("{\"prompt\":\"private words\"}\n"), 0o600))
	sink := newOTLPSink(t)
	code, _, stderr := tailspan("", "send", "--otlp", sink.URL, folder, work)
	require.Zero(t, code, stderr)
	assert.Empty(t, otlpjson.Check(sink.traces...))
	assert.Contains(t, stderr, "skipped 1 line of no known format")
	assert.Empty(t, sink.named("tailspan.raw"))
}
