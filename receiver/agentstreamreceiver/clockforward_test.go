package agentstreamreceiver_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/session/clock"
)

// TestClockSetForward sets the agent's clock forward, or stops the machine for two hours, after each time of each session. That closes
// what is open as idle, but what follows belongs to the session: all tokens are on spans, once.
func TestClockSetForward(t *testing.T) {
	for name, paths := range clockCases(t) {
		if strings.HasPrefix(name, "codex/subagents-v") {
			continue // the usage that a closed sub-agent reports of an earlier call is only in the metrics if its run is closed too
		}
		t.Run(name, func(t *testing.T) {
			seen := map[time.Time]bool{}
			play := func(after time.Time) summed {
				e := readFamily(t, paths, func(files []*reading) (int, int) {
					for _, f := range files {
						f.written = func(at *time.Time) {
							if !clock.Plausible(*at) {
								return
							}
							if seen[*at] = true; !after.IsZero() && at.After(after) {
								*at = at.Add(2 * time.Hour)
							}
						}
					}
					return 0, 1 << 30
				})
				require.Empty(t, otlpjson.Check(e.traces...), "set forward after %s", after)
				return sumUp(e)
			}
			want := play(time.Time{})
			for after := range seen {
				got := play(after)
				assert.Equal(t, [2]int64{want.input, want.output}, [2]int64{got.input, got.output}, "set forward after %s", after)
			}
		})
	}
}
