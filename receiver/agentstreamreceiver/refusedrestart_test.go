//go:build unix

package agentstreamreceiver_test

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRefusedAfterARestart: a process of which no line is acknowledged keeps what the process before it stored. Here that is that the
// beginning of a text was exported as a part.
func TestRefusedAfterARestart(t *testing.T) {
	t.Parallel()
	lines := session(t, "gemini", "parity-0.24.0.jsonl")
	path := filepath.Join(t.TempDir(), "s.jsonl")
	m := newMachine()
	first := startOn(t, m, stored(path), nil)
	appendLines(t, path, lines[:partOfAText]...)
	begun := func(text string) bool { return strings.HasPrefix(text, begunText) }
	require.Eventually(t, func() bool { return slices.ContainsFunc(first.texts(), begun) }, wait, tick)
	first.stop()

	appendLines(t, path, lines[partOfAText:]...)
	second := startOn(t, m, stored(path), &refuser{refuse: math.MaxInt, refusal: errors.New("queue is full")})
	require.Eventually(t, func() bool { return second.metric("otelcol_receiver_agent_stream_retries", "signal", "logs") > 0 }, wait, tick)
	second.stopAnyhow()

	third := startOn(t, m, stored(path), nil)
	third.read(m, path)
	third.stop()
	assert.True(t, slices.ContainsFunc(third.texts(), func(text string) bool { return strings.Contains(text, restOfIt) }))
	assert.False(t, slices.ContainsFunc(third.texts(), begun), "it was exported before")
}
