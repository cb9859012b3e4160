package agentstreamreceiver_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zapcore"
)

// TestStartIsLogged: one info line contains what was found and what start_at: end skips; another one names each followed file
// and its format, and a debug line its end.
func TestStartIsLogged(t *testing.T) {
	folder := t.TempDir()
	old, fresh := filepath.Join(folder, "old.jsonl"), filepath.Join(folder, "new.jsonl")
	session, err := os.ReadFile(filepath.Join(samples, "claude", "parity.jsonl"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(old, session, 0o600))
	cfg := configFor(filepath.Join(folder, "*.jsonl"))
	cfg.Stream.StartAt = "end"
	r := start(t, cfg, nil)
	require.Eventually(t, func() bool { return r.logged.FilterMessage("watching files").Len() == 1 }, wait, tick)
	line := r.logged.FilterMessage("watching files").All()[0]
	assert.Equal(t, zapcore.InfoLevel, line.Level)
	assert.EqualValues(t, 1, line.ContextMap()["found"])
	assert.EqualValues(t, 1, line.ContextMap()["skipped_to_end"])

	require.NoError(t, os.WriteFile(fresh, session, 0o600))
	require.Eventually(t, func() bool { return r.logged.FilterMessage("following file").Len() == 1 }, wait, tick)
	r.stop()
	for _, want := range []struct {
		message, key string
		level        zapcore.Level
	}{{"following file", "provider", zapcore.InfoLevel}, {"file ended", "reason", zapcore.DebugLevel}} {
		lines := r.logged.FilterMessage(want.message).All()
		if assert.Len(t, lines, 1, want.message) {
			assert.Equal(t, want.level, lines[0].Level)
			assert.Equal(t, fresh, lines[0].ContextMap()["path"])
			assert.Contains(t, lines[0].ContextMap(), want.key)
		}
	}
}
