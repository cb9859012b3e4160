package agentstreamreceiver_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/otlp"
)

// raw returns the lines that were exported unchanged.
func (r *rig) raw() []string {
	var lines []string
	for _, lr := range r.records() {
		if lr.EventName() == otlp.EventNameRaw {
			lines = append(lines, lr.Body().Str())
		}
	}
	return lines
}

// TestShortUnknownStreamIsSeenLive checks that a few lines of no known provider are exported while their file is open, each
// once, even over a restart, and that later lines are parsed.
func TestShortUnknownStreamIsSeenLive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	appendTo(t, path, "loading\nready\n")
	m := newMachine()
	cfg := stored(path)
	cfg.Stream.ForceFlushPeriod = 50 * time.Millisecond
	first := startOn(t, m, cfg, nil)
	require.Eventually(t, func() bool { return len(first.raw()) == 2 }, wait, tick)
	first.read(m, path)
	first.stop()
	assert.Equal(t, []string{"loading", "ready"}, first.raw())

	second := startOn(t, m, cfg, nil)
	appendLines(t, path, session(t, "claude", "parity.jsonl")...)
	second.read(m, path)
	second.stop()
	assert.Empty(t, second.raw())
	assert.Contains(t, second.spanNames(), "invoke_agent claude-code")
}
