//go:build unix

package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
)

// TestRunCannotKeepWhatIsUnsent: if its file cannot be created, unsent output is counted as lost, and the run ends.
func TestRunCannotKeepWhatIsUnsent(t *testing.T) {
	sink := newOTLPSink(t)
	sink.Close()
	plainEnvironment(t)
	raw := filepath.Join(t.TempDir(), "raw.jsonl")
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "no"))
	code, _, stderr := beginPlain("--raw", raw, "--otlp", sink.URL, "--mode", "quiet", "--export-timeout", "1h", "--", "cat", fixtures+"parity.jsonl").end(t)
	assert.Zero(t, code)
	assert.Contains(t, stderr, "not everything was sent (send traces: endpoint accepts no connection")
	assert.Regexp(t, `; \d+ spans and \d+ log records are lost, since they can't be kept: open .*: no such file or directory\n$`, stderr)
	assert.NotContains(t, stderr, "; 0 spans")
	assert.NotContains(t, stderr, "are kept")
}

// TestRunEndsWhileItCannotKeep: a signal after the end of the command ends the delivery even if nothing can be kept.
func TestRunEndsWhileItCannotKeep(t *testing.T) {
	sink := newOTLPSink(t)
	asked, done := make(chan struct{}, 1), make(chan struct{})
	sink.answer = func(http.ResponseWriter, *http.Request) bool {
		select {
		case asked <- struct{}{}:
		default:
		}
		<-done
		return true
	}
	t.Cleanup(func() { close(done) }) // before the server closes, which waits for its answers
	plainEnvironment(t)
	dir := t.TempDir()
	t.Setenv("TMPDIR", filepath.Join(dir, "no"))
	summary := filepath.Join(dir, "summary.md")
	b := beginPlain("--raw", filepath.Join(dir, "raw.jsonl"), "--otlp", sink.URL, "--export-timeout", "1h", "--summary-file", summary, "--", "cat", fixtures+"parity.jsonl")
	<-asked
	require.Eventually(t, func() bool { page, err := os.ReadFile(summary); return err == nil && len(page) > 0 }, patience, patience/1e5)
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
	code, _, stderr := b.end(t)
	assert.Zero(t, code)
	assert.Contains(t, stderr, "are lost, since they can't be kept")
}

// TestRunWithoutASignal: an endpoint that only accepts spans gets them. One line reports the signals that it lacks, and
// nothing is kept for them. An address that accepts nothing at all is wrong, and everything is kept.
func TestRunWithoutASignal(t *testing.T) {
	sink := newOTLPSink(t)
	takes := "/v1/traces"
	sink.answer = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == takes {
			return false
		}
		w.WriteHeader(http.StatusNotFound)
		return true
	}
	kept := func() []string {
		files, err := filepath.Glob(filepath.Join(os.TempDir(), "tailspan-unsent-*"))
		require.NoError(t, err)
		return files
	}
	code, _, stderr := begin(t, "--otlp", sink.URL+"/v1/traces", "--", "sh", "-c", usageStream+usageEnd).end(t)
	assert.Zero(t, code)
	sink.span(t, runSpan)
	assert.Empty(t, kept())
	assert.Regexp(t, `^tailspan: the endpoint takes no (log records and no metric points|metric points and no log records): they are not sent \(http://.*/v1/(logs|metrics) answers 404 Not Found\); `+
		`OTEL_(LOGS|METRICS)_EXPORTER=none OTEL_(LOGS|METRICS)_EXPORTER=none leaves them out\n$`, stderr)

	t.Setenv("OTEL_LOGS_EXPORTER", "none")
	t.Setenv("OTEL_METRICS_EXPORTER", "none")
	_, _, stderr = beginPlain("--otlp", sink.URL, "--", "sh", "-c", usageStream+usageEnd).end(t)
	assert.Empty(t, stderr)
	t.Setenv("OTEL_LOGS_EXPORTER", "")

	code, _, stderr = tailspan("", "send", "--otlp", sink.URL, fixtures+"parity.jsonl")
	assert.Equal(t, cli.ExitOK, code)
	assert.Equal(t, 1, strings.Count(stderr, "the endpoint takes no log records: they are not sent"), stderr)
	assert.Regexp(t, `sent [1-9]\d* spans and 0 log records of 1 file`, stderr)

	takes = "/none"
	code, _, stderr = beginPlain("--otlp", sink.URL, "--", "cat", fixtures+"parity.jsonl").end(t)
	assert.Zero(t, code)
	assert.Contains(t, stderr, "answers 404 Not Found)")
	assert.Contains(t, stderr, "are kept in")
	require.Len(t, kept(), 1)

	delivered := newOTLPSink(t)
	code, _, stderr = tailspan("", "send", "--otlp", delivered.URL, kept()[0])
	assert.Zero(t, code, stderr)
	assert.NotEmpty(t, delivered.named("tailspan.session_end"))
	code, _, stderr = tailspan("", "send", "--otlp", sink.URL, kept()[0])
	assert.Equal(t, cli.ExitFailure, code)
	assert.Contains(t, stderr, "not everything was sent")
}

// TestRunWithAWrongKey: output rejected for a wrong key is kept and delivered with the right one.
func TestRunWithAWrongKey(t *testing.T) {
	key := strings.Repeat("made-up", 3)
	sink := newOTLPSink(t)
	sink.answer = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("X-Key") == key {
			return false
		}
		http.Error(w, "the key is not known", http.StatusUnauthorized)
		return true
	}
	code, _, stderr := begin(t, "--otlp", sink.URL, "--", "cat", fixtures+"parity.jsonl").end(t)
	assert.Zero(t, code)
	assert.Contains(t, stderr, "/v1/traces answers 401 Unauthorized: the key is not known); ")
	assert.NotContains(t, stderr, "refused")
	kept, err := filepath.Glob(filepath.Join(os.TempDir(), "tailspan-unsent-*"))
	require.NoError(t, err)
	require.Len(t, kept, 1)

	code, _, stderr = tailspan("", "send", "--otlp", sink.URL, kept[0])
	assert.Equal(t, cli.ExitFailure, code)
	assert.Contains(t, stderr, "answers 401 Unauthorized: the key is not known")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key="+key)
	code, _, stderr = tailspan("", "send", "--otlp", sink.URL, kept[0])
	assert.Zero(t, code, stderr)
	sink.span(t, runSpan)
}
