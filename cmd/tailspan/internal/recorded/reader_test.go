package recorded_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/options"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/recorded"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/telemetry"
)

// TestMemory checks that a session that was read keeps no parser: a history has thousands of sessions.
func TestMemory(t *testing.T) {
	const sessions, mostBytes = 100, 40 << 10
	data, err := os.ReadFile("../../../../testdata/spans/claude-session-three-prompts/main.jsonl")
	require.NoError(t, err)
	r := recorded.New(recorded.Settings{
		Stream:    options.Stream{Provider: parser.Auto, MaxLine: input.DefaultMaxLine},
		Telemetry: telemetry.NewDefaultSettings(),
		Deliver:   func(context.Context, *telemetry.Output) error { return nil },
	})
	dir := t.TempDir()
	read := func(n int) {
		path := filepath.Join(dir, fmt.Sprintf("%d.jsonl", n))
		require.NoError(t, os.WriteFile(path, data, 0o600))
		require.NoError(t, r.Read(t.Context(), path))
	}
	read(0)
	before := heap()
	for n := range sessions {
		read(1 + n)
	}
	assert.Less(t, (heap()-before)/sessions, int64(mostBytes), "bytes a session")
	require.NoError(t, r.Close(t.Context()))
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc) //nolint:gosec // below the memory of any machine
}
