package agentstreamreceiver_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDatabaseUnderAnotherName checks that a database that include matches, and the files that SQLite keeps beside it, yield
// no records, are counted, and cause one warning, while files beside it are read.
func TestDatabaseUnderAnotherName(t *testing.T) {
	folder := t.TempDir()
	appendTo(t, filepath.Join(folder, "agents.db"), "SQLite format 3\x00\x10\x00\nsecret\nmore\n")
	appendTo(t, filepath.Join(folder, "agents.db-wal"), "\x37\x7f\x06\x82\x00\nsecret\n")
	appendTo(t, filepath.Join(folder, "a.jsonl"), assistant("1", "hello"))
	r := start(t, configFor(filepath.Join(folder, "*")), nil)
	skipped := func() int64 {
		return r.metric("otelcol_receiver_agent_stream_lines_not_parsed", "reason", "database")
	}
	require.Eventually(t, func() bool { return skipped() == 5 && len(r.texts()) == 1 }, wait, tick)
	appendTo(t, filepath.Join(folder, "agents.db"), "later\n")
	require.Eventually(t, func() bool { return skipped() == 6 }, wait, tick)
	r.stop()
	for _, lr := range r.records() {
		assert.NotEqual(t, "tailspan.raw", lr.EventName())
	}
	assert.Equal(t, []string{"skipping SQLite database, which has no lines; list OpenCode's under databases and any other under exclude"}, warnings(r.logged))
}
