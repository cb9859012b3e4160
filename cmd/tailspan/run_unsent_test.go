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
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"

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
	sink.answers(func(http.ResponseWriter, *http.Request) bool {
		select {
		case asked <- struct{}{}:
		default:
		}
		<-done
		return true
	})
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
	sink.answers(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == takes {
			return false
		}
		w.WriteHeader(http.StatusNotFound)
		return true
	})
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
	sink.answers(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("X-Key") == key {
			return false
		}
		http.Error(w, "the key is not known", http.StatusUnauthorized)
		return true
	})
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

// TestRunWithRefusedRequests: what an endpoint refuses for good is kept and counted, later requests are sent, and send delivers the
// rest. An internal error is tried again first.
func TestRunWithRefusedRequests(t *testing.T) {
	rejecting := plogotlp.NewExportResponse()
	rejecting.PartialSuccess().SetRejectedLogRecords(1)
	partial, err := rejecting.MarshalProto()
	require.NoError(t, err)
	const kept, delivered = `not everything was sent \(.*\); \d+ spans? and \d+ log records? are kept in ".*", tailspan send delivers them\n$`, `sending \w+ works again\n$`
	for _, tc := range []struct {
		name    string
		status  int
		times   int // requests for spans and log records that are answered so
		timeout string
		kept    bool
		want    string
	}{
		{"one is malformed", http.StatusBadRequest, 1, "15s", true, `(spans|log records) were refused: .* answers 400 Bad Request(.|\n)*` + kept},
		{"one is not implemented", http.StatusNotImplemented, 1, "15s", true, `were refused: .* answers 501 Not Implemented(.|\n)*` + kept},
		{"all are malformed", http.StatusBadRequest, 1 << 20, "15s", true, kept},
		{"too large, however small", http.StatusRequestEntityTooLarge, 1 << 20, "15s", true, kept},
		{"fails twice", http.StatusInternalServerError, 2, "15s", false, delivered},
		{"fails", http.StatusInternalServerError, 1 << 20, "300ms", true, kept},
		{"rejects records", http.StatusOK, 1 << 20, "15s", false, `not everything was sent \(partial success\); the endpoint rejected [1-9]\d* spans?, log records? or metric points?, which are lost\n$`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			sink := newOTLPSink(t)
			left := tc.times
			sink.answers(func(w http.ResponseWriter, r *http.Request) bool {
				if tc.status == http.StatusOK && r.URL.Path == "/v1/logs" {
					_, _ = w.Write(partial) // the client may have gone
					return true
				}
				if left--; left < 0 || r.URL.Path == "/v1/metrics" || tc.status == http.StatusOK {
					return false
				}
				w.WriteHeader(tc.status)
				return true
			})
			code, _, stderr := begin(t, "--otlp", sink.URL, "--export-timeout", tc.timeout, "--mode", "quiet", "--", "cat", fixtures+"parity.jsonl").end(t)
			assert.Zero(t, code)
			assert.Regexp(t, tc.want, stderr)
			files, err := filepath.Glob(filepath.Join(os.TempDir(), "tailspan-unsent-*"))
			require.NoError(t, err)
			if !tc.kept {
				assert.Empty(t, files)
				return
			}
			require.Len(t, files, 1)
			assert.Equal(t, tc.times == 1, len(sink.named("tailspan.session_end")) > 0, "what comes behind a refusal is sent")
			code, _, stderr = tailspan("", "send", "--otlp", sink.URL, "--timeout", "300ms", files[0])
			if tc.times == 1 {
				assert.Zero(t, code, stderr)
				sink.span(t, runSpan)
				return
			}
			assert.Equal(t, cli.ExitFailure, code)
			assert.Regexp(t, `[1-9]\d* spans, log records or metric points were refused; the files are unchanged and still have them|not everything was sent`, stderr)
		})
	}
}
