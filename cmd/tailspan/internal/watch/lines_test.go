package watch_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/watch"
	"github.com/tailspan/tailspan/internal/goldentest"
	"github.com/tailspan/tailspan/session/ledger"
)

// TestLines checks step by step what is printed without a screen.
func TestLines(t *testing.T) {
	now := time.Date(2026, 11, 27, 20, 48, 40, 0, time.UTC)
	var out bytes.Buffer
	print := watch.NewPrinter(&out, now)
	for _, to := range []int{2, 9, 9, 0} {
		out.WriteString("--- \n")
		require.NoError(t, print(play(t, now, part(t, "a", "claude/failures.jsonl", 0, to), part(t, "b", "claude/case-nested-subagents.jsonl", 0, min(to, 5)))))
	}
	goldentest.Compare(t, "testdata/lines.golden", out.String())
}

// TestEstimate checks that an estimated cost is marked.
func TestEstimate(t *testing.T) {
	prices := ledger.Prices{{Model: "*", Input: 1, Cached: 0.1, Output: 10}}
	board := playPriced(t, noon, prices, part(t, "a", "codex/parity.session.jsonl", 0, 0))
	var out bytes.Buffer
	require.NoError(t, watch.NewPrinter(&out, time.Time{})(board))
	assert.Regexp(t, ` tokens · ~\$0\.\d+\n$`, out.String())
}

// TestLinesOfThePast checks that runs that ended before the start are not printed.
func TestLinesOfThePast(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, watch.NewPrinter(&out, noon)(play(t, noon, part(t, "a", "claude/failures.jsonl", 0, 0))))
	assert.Empty(t, out.String())
}

// TestShortID checks that an ID is not cut inside a rune.
func TestShortID(t *testing.T) {
	board := play(t, noon, watch.Part{Path: "a", Lines: []string{
		`{"type":"system","subtype":"init","session_id":"aééééé","cwd":"/x","tools":[],"model":"m"}`,
		`{"type":"result","subtype":"success","is_error":false,"session_id":"aééééé","result":"done"}`,
	}})
	var out bytes.Buffer
	require.NoError(t, watch.NewPrinter(&out, time.Time{})(board))
	assert.Contains(t, out.String(), "[aééé]")
}
