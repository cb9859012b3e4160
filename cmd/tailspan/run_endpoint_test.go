//go:build unix

package main

import (
	"bytes"
	"context"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/otlp"
)

// TestRunEndpointIsDown checks that an endpoint that accepts no connection changes neither log nor exit code and delays
// the end by at most one attempt. Unsent output is kept without secrets and delivered by send, with the IDs that
// sending the recorded session yields.
func TestRunEndpointIsDown(t *testing.T) {
	sink := newOTLPSink(t)
	sink.Close()
	secret := "ghp_" + strings.Repeat("K7demo", 6)
	session := filepath.Join(t.TempDir(), "session.jsonl")
	recorded, err := os.ReadFile(fixtures + "parity.jsonl")
	require.NoError(t, err)
	recorded = bytes.Replace(recorded, []byte("All tests pass now."), []byte("All tests pass now, "+secret+"."), 1)
	require.NoError(t, os.WriteFile(session, recorded, 0o600))
	b := begin(t, "--otlp", sink.URL, "--export-timeout", "1h", "--", "sh", "-c", `cat "$1"; exit 5`, "sh", session)
	code, stdout, stderr := b.end(t)
	assert.Equal(t, 5, code)
	assert.Contains(t, stdout, "All tests pass now")
	assert.Equal(t, 1, strings.Count(stderr, "sending traces"), stderr)
	assert.Contains(t, stderr, "connection refused")
	spools, err := filepath.Glob(filepath.Join(os.TempDir(), "*.spool"))
	require.NoError(t, err)
	assert.Empty(t, spools, "the output as it was is not kept")
	kept, err := filepath.Glob(filepath.Join(os.TempDir(), "tailspan-unsent-*"))
	require.NoError(t, err)
	require.Len(t, kept, 1)
	assert.Contains(t, stderr, kept[0])
	info, err := os.Stat(kept[0])
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
	data, err := os.ReadFile(kept[0])
	require.NoError(t, err)
	assert.NotContains(t, string(data), secret)

	delivered := newOTLPSink(t)
	code, _, stderr = tailspan("", "send", "--otlp", delivered.URL, kept[0])
	require.Zero(t, code, stderr)
	span, _ := delivered.span(t, runSpan)
	assert.EqualValues(t, 5, span.Attributes().AsRaw()[otlp.AttrProcessExitCode])
	assert.NotEmpty(t, delivered.metrics, "the run's metrics are delivered too")

	again := newOTLPSink(t)
	code, _, stderr = tailspan("", "send", "--otlp", again.URL, filepath.Dir(session))
	require.Zero(t, code, stderr)
	same, _ := again.span(t, runSpan)
	assert.Equal(t, span.TraceID(), same.TraceID())
	assert.Equal(t, span.SpanID(), same.SpanID())
}

// TestRunProxyIsDown checks that a proxy that accepts no connection delays the end by at most one attempt too. The proxy is that of
// a process, so the command is a separate one.
func TestRunProxyIsDown(t *testing.T) {
	plainEnvironment(t)
	sink := newOTLPSink(t)
	sink.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c := exec.CommandContext(ctx, os.Args[0], "run", "--export-timeout", "1h", "--", "sh", "-c", `cat "$1"; exit 5`, "sh", fixtures+"parity.jsonl")
	c.Env = append(os.Environ(), mainVariable+"=1", "OTEL_EXPORTER_OTLP_ENDPOINT=https://collector.invalid:4318", "HTTPS_PROXY="+sink.URL)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	require.Error(t, c.Run())
	assert.Equal(t, 5, c.ProcessState.ExitCode(), stderr.String())
	assert.Contains(t, stderr.String(), "proxyconnect")
}

// TestRunEndpointRecovers rejects the first requests.
func TestRunEndpointRecovers(t *testing.T) {
	sink := newOTLPSink(t)
	refuse := 3
	sink.answers(func(w http.ResponseWriter, _ *http.Request) bool {
		if refuse--; refuse < 0 {
			return false
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	})
	b := begin(t, "--otlp", sink.URL, "--", "cat", fixtures+"parity.jsonl")
	code, _, stderr := b.end(t)
	assert.Zero(t, code)
	assert.Equal(t, 2, strings.Count(stderr, "tailspan:"), stderr)
	assert.Regexp(t, `sending (traces|logs) works again`, stderr)
	span, _ := sink.span(t, runSpan)
	assert.EqualValues(t, 0, span.Attributes().AsRaw()[otlp.AttrProcessExitCode])
	ids := map[string]bool{}
	for _, lr := range sink.records {
		uid := lr.Attributes().AsRaw()[otlp.AttrLogRecordUID].(string)
		assert.False(t, ids[uid], "twice")
		ids[uid] = true
	}
}

// TestRunIdentity checks the sources of pipeline, step, persona and the outer span.
func TestRunIdentity(t *testing.T) {
	sink := newOTLPSink(t)
	plainEnvironment(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", sink.URL+"/")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-team=made%20up")
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "team=ops,cicd.pipeline.name=other")
	t.Setenv("TRACEPARENT", "00-0102030405060708090a0b0c0d0e0f10-0102030405060708-01")
	var stdout, stderr output
	code := run([]string{"run", "--pipeline", "nightly", "--run-id", "7", "--step", "fix", "--persona", "fixer", "--", "cat", fixtures + "parity.jsonl"}, nil, &stdout, &stderr)
	require.Zero(t, code, stderr.String())
	span, resource := sink.span(t, "invoke_agent fixer")
	assert.Equal(t, "0102030405060708090a0b0c0d0e0f10", span.TraceID().String())
	assert.Equal(t, "0102030405060708", span.ParentSpanID().String())
	for key, want := range map[string]string{
		otlp.AttrPipelineName: "nightly", otlp.AttrPipelineRunID: "7", otlp.AttrTaskName: "fix",
		"team": "ops", otlp.AttrServiceName: "claude-code",
	} {
		assert.Equal(t, want, resource[key], key)
	}
	for _, r := range sink.seen {
		assert.Equal(t, "made up", r.Header.Get("X-Team"))
		assert.Equal(t, "application/x-protobuf", r.Header.Get("Content-Type"))
		assert.True(t, strings.HasPrefix(r.Header.Get("User-Agent"), "tailspan/"))
	}
}

// TestRunWithABrokenEnvironment checks that environment variables set by others do not keep an agent from running.
func TestRunWithABrokenEnvironment(t *testing.T) {
	plainEnvironment(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317")
	t.Setenv("TRACEPARENT", "no")
	var stdout, stderr output
	assert.Equal(t, 4, run([]string{"run", "--", "sh", "-c", "echo words; exit 4"}, nil, &stdout, &stderr))
	assert.Equal(t, "words\n", stdout.String())
	assert.Contains(t, stderr.String(), "nothing is sent: OTEL_EXPORTER_OTLP_ENDPOINT must be a URL")
	assert.Contains(t, stderr.String(), "TRACEPARENT is ignored: parse traceparent: ")
}

// TestRunSendsDocuments checks that a document is sent by its content, not as lines.
func TestRunSendsDocuments(t *testing.T) {
	sink := newOTLPSink(t)
	code, _, stderr := begin(t, "--otlp", sink.URL, "--", "cat", "../../testdata/gemini/case-rewritten-3.session.json").end(t)
	require.Zero(t, code, stderr)
	var texts []string
	for _, lr := range sink.named("tailspan.text") {
		texts = append(texts, lr.Body().Str())
	}
	assert.Equal(t, []string{"Going.", "Gone."}, texts)
	assert.Empty(t, sink.named(otlp.EventNameRaw))
}
