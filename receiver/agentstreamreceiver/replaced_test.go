package agentstreamreceiver_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFileThatBecameTwo: a file with a second name loses its first, and a longer version of it appears under a third. What
// both contain is exported once, and what each adds to their common run is exported as well, even after a restart.
func TestFileThatBecameTwo(t *testing.T) {
	said := func(n int) []byte {
		return fmt.Appendf(nil, `{"type":"assistant","sessionId":"s","uuid":"u%[1]d","timestamp":"2026-11-01T10:00:00.%03[1]dZ",`+
			`"message":{"id":"msg_%[1]d","role":"assistant","model":"m","content":[{"type":"text","text":"Text %[1]d."}]}}`+"\n", n)
	}
	texts := func(r *rig) []string { return slices.Sorted(slices.Values(r.texts())) }
	want := func(from, to int) (list []string) {
		for n := from; n < to; n++ {
			list = append(list, fmt.Sprintf("Text %d.", n))
		}
		return list
	}
	dir := t.TempDir()
	first, second, third := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl"), filepath.Join(dir, "c.jsonl")
	m := newMachine()
	cfg := stored(filepath.Join(dir, "*.jsonl"))
	before := startOn(t, m, cfg, nil)
	exported := func(r *rig, from, to int) {
		t.Helper()
		require.Eventually(t, func() bool { return len(r.texts()) >= to-from }, wait, tick)
		assert.Equal(t, want(from, to), texts(r))
	}
	appendLines(t, first, []byte(`{"type":"user","sessionId":"s","uuid":"u","timestamp":"2026-11-01T10:00:00.000Z","message":{"role":"user","content":"Do it."}}`+"\n"), said(1))
	exported(before, 1, 2)
	require.NoError(t, os.Link(first, second))
	appendLines(t, second, said(2))
	exported(before, 1, 3)
	version, err := os.ReadFile(first)
	require.NoError(t, err)
	require.NoError(t, os.Remove(first))
	require.NoError(t, os.WriteFile(third+".tmp", append(version, said(3)...), 0o600))
	require.NoError(t, os.Rename(third+".tmp", third))
	exported(before, 1, 4)
	appendLines(t, second, said(4))
	exported(before, 1, 5)
	before.read(m, second, third)
	before.stop()
	after := startOn(t, m, cfg, nil)
	appendLines(t, third, said(5))
	appendLines(t, second, said(6))
	exported(after, 5, 7)
	after.read(m, second, third)
	after.stop()
	assert.Equal(t, want(5, 7), texts(after))
	assert.Equal(t, 0, spansOf(before, "invoke_agent claude-code")+spansOf(after, "invoke_agent claude-code"), "the run has not ended")
}
