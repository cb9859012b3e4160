package doctor_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/doctor"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// examine examines the places of a home folder; variables are in pairs.
func examine(t *testing.T, home string, variables ...string) (out string, err error) {
	t.Helper()
	t.Setenv("HOME", home)
	var stdout bytes.Buffer
	err = doctor.Examine(t.Context(), nil, func(name string) string {
		for i := 0; i < len(variables); i += 2 {
			if variables[i] == name {
				return variables[i+1]
			}
		}
		return ""
	}, &stdout)
	return stdout.String(), err
}

// TestEndpoint checks the report about the endpoint of run, and whether it is a problem.
func TestEndpoint(t *testing.T) {
	for _, tc := range []struct {
		name    string
		status  int
		want    string
		problem string
	}{
		{"takes all", http.StatusOK, "run sends to ADDRESS/v1/traces, ADDRESS/v1/logs, ADDRESS/v1/metrics: it answers\n", ""},
		{"wrong key", http.StatusUnauthorized, "run sends to ADDRESS/v1/traces", "problem: endpoint: send traces: ADDRESS/v1/traces answers 401 Unauthorized"},
		{"wrong address", http.StatusNotFound, "run sends to ADDRESS/v1/traces", "problem: endpoint: send traces: ADDRESS/v1/traces answers 404 Not Found\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(tc.status) }))
			defer server.Close()
			out, err := examine(t, t.TempDir(), "OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
			out = strings.ReplaceAll(out, server.URL, "ADDRESS")
			assert.Contains(t, out, tc.want)
			assert.Contains(t, out, "note: no_sessions: ", "which is no problem")
			if tc.problem == "" {
				require.NoError(t, err)
				assert.Contains(t, out, "no problems\n")
				return
			}
			require.ErrorIs(t, err, doctor.ErrProblems)
			assert.Contains(t, out, tc.problem)
		})
	}
	out, err := examine(t, t.TempDir(), "OTEL_EXPORTER_OTLP_ENDPOINT", "http://a", "OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")
	require.ErrorIs(t, err, doctor.ErrProblems)
	assert.Contains(t, out, `problem: endpoint: OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or grpc, got "http/json"`)
}

// TestBrokenPlaces: an unreadable file is a problem that names it, and the rest is examined nevertheless.
func TestBrokenPlaces(t *testing.T) {
	home := t.TempDir()
	write := func(content string, path ...string) {
		name := filepath.Join(append([]string{home}, path...)...)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
	}
	write("SQLite format 3\x00"+strings.Repeat("torn", 1000), ".local", "share", "opencode", "opencode.db")
	write("\x1f\x8b\x08", ".claude", "projects", "p", "torn.jsonl")
	write(`{"sessionId":"s1"`, ".gemini", "tmp", "p", "chats", "session-1.json")
	write(`{"timestamp":"2026-11-29T12:00:00Z","type":"session_meta","payload":{"id":"c1","cli_version":"0.171.0","cwd":"/x","originator":"codex"}}`+"\n", ".codex", "sessions", "2026", "r.jsonl")
	out, err := examine(t, home)
	require.ErrorIs(t, err, doctor.ErrProblems)
	for _, want := range []string{
		"problem: unreadable: open database \"" + filepath.Join(home, ".local", "share", "opencode", "opencode.db"),
		"problem: unreadable: unpack \"" + filepath.Join(home, ".claude", "projects", "p", "torn.jsonl") + "\"",
		"problem: incomplete: \"" + filepath.Join(home, ".gemini", "tmp", "p", "chats", "session-1.json") + "\"",
		"version 0.171.0, codex: 1\n",
	} {
		assert.Contains(t, out, want)
	}
}

// TestFullDisk: a report that cannot be written is a failure, whatever it contains.
func TestFullDisk(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	err := doctor.Examine(t.Context(), nil, func(string) string { return "" }, full{})
	require.ErrorIs(t, err, syscall.ENOSPC)
	assert.ErrorContains(t, err, "write report: ")
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }
