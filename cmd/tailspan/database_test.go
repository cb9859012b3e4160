package main

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
)

// unpackDatabase writes the sample of a database to path and returns its bytes.
func unpackDatabase(t *testing.T, path string) []byte {
	t.Helper()
	in, err := os.Open(filepath.Join("..", "..", "testdata", "opencode", "db", "sample.opencode.db.gz"))
	require.NoError(t, err)
	defer in.Close()
	unpacked, err := gzip.NewReader(in)
	require.NoError(t, err)
	content, err := io.ReadAll(unpacked)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return content
}

// TestDatabase reads OpenCode's database under any name: the events are those of its sessions.
func TestDatabase(t *testing.T) {
	samples := filepath.Join("..", "..", "testdata", "opencode")
	path := filepath.Join(t.TempDir(), "copy of a database")
	content := unpackDatabase(t, path)
	longAgo := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(path, longAgo, longAgo))

	code, ofDatabase, stderr := tailspan("", "events", path)
	require.Equal(t, cli.ExitOK, code, stderr)
	var want []string
	for _, session := range []string{"parity.session.jsonl", "subagent.session.jsonl"} {
		_, events, _ := tailspan("", "events", filepath.Join(samples, session))
		want = append(want, withoutSummary(events)...)
	}
	assert.ElementsMatch(t, want, withoutSummary(ofDatabase))

	require.NoError(t, os.WriteFile(path, content[:4096], 0o600))
	require.NoError(t, os.Chtimes(path, longAgo, longAgo))
	code, _, stderr = tailspan("", "events", path)
	assert.Equal(t, cli.ExitFailure, code)
	assert.Contains(t, stderr, path)
}

func withoutSummary(events string) []string {
	lines := strings.Split(strings.TrimSpace(events), "\n")
	return slices.DeleteFunc(lines, func(s string) bool { return strings.HasPrefix(s, `{"kind":"summary"`) })
}

// TestZstandard reads a compressed file, and a truncated one as far as possible.
func TestZstandard(t *testing.T) {
	path := filepath.Join("..", "..", "testdata", "claude", "parity.jsonl")
	plain, err := os.ReadFile(path)
	require.NoError(t, err)
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	require.NoError(t, err)
	packed := z.EncodeAll(plain, nil)
	require.NoError(t, z.Close())
	copied := filepath.Join(t.TempDir(), "parity.jsonl.zst")
	require.NoError(t, os.WriteFile(copied, packed, 0o600))
	_, want, _ := tailspan("", "events", path)
	code, got, stderr := tailspan("", "events", copied)
	require.Equal(t, cli.ExitOK, code, stderr)
	assert.Equal(t, want, got)
	require.NoError(t, os.WriteFile(copied, packed[:2], 0o600))
	code, _, stderr = tailspan("", "events", copied)
	assert.NotEqual(t, cli.ExitOK, code)
	assert.Contains(t, stderr, "unexpected EOF")
}
