package deploy

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/tailspan/tailspan/exporter/agentrenderexporter"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
)

// TestJSONLogIsTheInput holds that receiver and exporter together copy what an agent wrote byte for byte in mode json,
// whatever stands in it.
func TestJSONLogIsTheInput(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "out.jsonl")
	const session = `"session_id":"5e55104e-0000-4000-8000-000000000001"`
	input := `{"type":"system","subtype":"init",` + session + `,"model":"demo-1"}` + "\n" +
		`{"type":"assistant",` + session + `,"message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"caf` + "\xe9 \xff" + `"}]}}` + "\r\n" +
		"words \x1b[2J\x00 between the JSON \xc3\n" +
		"\n" +
		`{"type":"assistant",` + session + `,"message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"good UTF-8: é"}]}}` + "\n"
	require.NoError(t, os.WriteFile(in, []byte(input), 0o600))

	exporters := agentrenderexporter.NewFactory()
	exporterConfig := exporters.CreateDefaultConfig()
	require.NoError(t, confmap.NewFromStringMap(map[string]any{"output": out, "mode": "json"}).Unmarshal(exporterConfig))
	exp, err := exporters.CreateLogs(t.Context(), exportertest.NewNopSettings(exporters.Type()), exporterConfig)
	require.NoError(t, err)
	require.NoError(t, exp.Start(t.Context(), componenttest.NewNopHost()))

	receivers := agentstreamreceiver.NewFactory()
	receiverConfig := receivers.CreateDefaultConfig()
	require.NoError(t, confmap.NewFromStringMap(map[string]any{
		"include": []any{in}, "start_at": "beginning", "provider": "claude", "raw_lines": true,
	}).Unmarshal(receiverConfig))
	rec, err := receivers.CreateLogs(t.Context(), receivertest.NewNopSettings(receivers.Type()), receiverConfig, exp)
	require.NoError(t, err)
	require.NoError(t, rec.Start(t.Context(), componenttest.NewNopHost()))

	written := func() string {
		data, _ := os.ReadFile(out)
		return string(data)
	}
	assert.Eventually(t, func() bool { return len(written()) >= len(input) }, 30*time.Second, 5*time.Millisecond)
	require.NoError(t, rec.Shutdown(t.Context()))
	require.NoError(t, exp.Shutdown(t.Context()))
	assert.Equal(t, input, written())
}
