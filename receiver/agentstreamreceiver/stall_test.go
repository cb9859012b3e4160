package agentstreamreceiver_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/otlp"
)

// TestHangAtTheFirstCall: an agent starts and its API never answers. Its file is complete when it is found, so none of its lines is
// written while the file is followed.
func TestHangAtTheFirstCall(t *testing.T) {
	stream, err := os.ReadFile(filepath.Join("..", "..", "testdata", "claude", "parity.jsonl"))
	require.NoError(t, err)
	init, _, _ := bytes.Cut(stream, []byte("\n"))
	folder := t.TempDir()
	cfg := configFor(filepath.Join(folder, "*.jsonl"))
	cfg.Telemetry.StallAfter, cfg.Telemetry.ProgressInterval = time.Second, 20*time.Millisecond // a busy machine finds the file in time
	r := start(t, cfg, nil)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.jsonl"), append(init, '\n'), 0o600))
	var stalled []plog.LogRecord
	require.Eventually(t, func() bool {
		stalled = r.records()
		return len(stalled) > 0
	}, wait, tick)
	assert.Equal(t, otlp.EventNameStalled, stalled[0].EventName())
	assert.True(t, stalled[0].TraceID().IsEmpty())
}
