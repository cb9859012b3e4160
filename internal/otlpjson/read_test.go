package otlpjson_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/internal/otlpjson"
)

func TestRead(t *testing.T) {
	traces := lines(t, requests(t, "claude-code", node{trace: 1, id: 1, name: "a"}, node{trace: 1, id: 2, parent: 1, name: "b"}), nil)
	logs := lines(t, nil, []plog.Logs{records(plog.SeverityNumberInfo)})
	tests := []struct {
		name                  string
		in                    string
		traces, logs, skipped int
		foreign               int
		err                   string
	}{
		{name: "empty"},
		{name: "traces", in: traces, traces: 2},
		{name: "both signals in one file", in: traces + logs + traces, traces: 4, logs: 1},
		{name: "blank lines and CRLF", in: "\n" + strings.ReplaceAll(logs, "\n", "\r\n") + " \n", logs: 1},
		{name: "last line without newline", in: strings.TrimRight(logs, "\n"), logs: 1},
		{name: "other signals are counted", in: `{"resourceMetrics":[]}` + "\n" + `{"resourceProfiles":[]}` + "\n", skipped: 2},
		{name: "objects that are no request are counted", in: `{"type":"result"}` + "\n{}\n", foreign: 2},
		{name: "a request without spans", in: `{"resourceSpans":[]}`, traces: 1},
		{name: "half a line", in: logs + `{"resourceLogs":[{"scope`, err: "parse line 2: unexpected end of JSON input"},
		{name: "no object", in: `["resourceLogs"]`, err: "parse line 1: json: cannot unmarshal array"},
		{name: "spans of the wrong shape", in: logs + logs + `{"resourceSpans":7}`, err: "parse line 3: parse traces: "},
		{name: "records of the wrong shape", in: `{"resourceLogs":"x"}`, err: "parse line 1: parse logs: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := otlpjson.Read(strings.NewReader(tt.in))
			if tt.err != "" {
				assert.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			assert.Len(t, d.Traces, tt.traces)
			assert.Len(t, d.Logs, tt.logs)
			assert.Equal(t, tt.skipped, d.Skipped)
			assert.Equal(t, tt.foreign, d.Foreign)
			assert.Equal(t, tt.traces+tt.logs+tt.skipped == 0, d.Empty())
		})
	}
}

func TestReadNamesTheLineOfAFailingReader(t *testing.T) {
	broken := errors.New("disk on fire")
	_, err := otlpjson.Read(io.MultiReader(strings.NewReader("{}\n{}\n"), iotest.ErrReader(broken)))
	assert.ErrorIs(t, err, broken)
	assert.ErrorContains(t, err, "read line 3")
}

func TestReadFiles(t *testing.T) {
	folder := t.TempDir()
	spans, logs, bad := filepath.Join(folder, "spans.jsonl"), filepath.Join(folder, "logs.jsonl"), filepath.Join(folder, "bad.jsonl")
	require.NoError(t, os.WriteFile(spans, []byte(lines(t, requests(t, "s", node{trace: 1, id: 1}), nil)), 0o600))
	require.NoError(t, os.WriteFile(logs, []byte(lines(t, nil, []plog.Logs{records(plog.SeverityNumberInfo)})), 0o600))
	require.NoError(t, os.WriteFile(bad, []byte("no"), 0o600))

	d, err := otlpjson.ReadFiles(spans, logs)
	require.NoError(t, err)
	assert.Len(t, d.Traces, 1)
	assert.Len(t, d.Logs, 1)

	_, err = otlpjson.ReadFiles(spans, bad)
	assert.ErrorContains(t, err, `bad.jsonl": parse line 1`)
	_, err = otlpjson.ReadFiles(filepath.Join(folder, "gone.jsonl"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
