package agentrenderexporter

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/events"
)

// TestSummaryOfARunThatGoesOn holds what is told of a run that is at work when the exporter stops: nothing, until the one
// that hears its end tells of the whole.
func TestSummaryOfARunThatGoesOn(t *testing.T) {
	// shown is what an exporter writes that has not heard the first records of a run, and is stopped after the others.
	shown := func(evs []events.DisplayEvent, unheard int) string {
		out := &flakyOutput{allow: -1}
		exp := started(t, out, func(c *Config) { c.Mode = "verbose" })
		logs := fold(evs)
		seen := 0
		logs.ResourceLogs().RemoveIf(func(rl plog.ResourceLogs) bool {
			rl.ScopeLogs().At(0).LogRecords().RemoveIf(func(plog.LogRecord) bool { seen++; return seen <= unheard })
			return false
		})
		require.NoError(t, exp.ConsumeLogs(t.Context(), logs))
		require.NoError(t, exp.Shutdown(t.Context()))
		return out.String()
	}
	evs := run()
	const begun = "--- [1a2b3c4d] ---\nI look.\n[tool: Read(src/auth.ts)]\n"
	assert.Equal(t, begun, shown(evs[:3], 0), "it goes on")
	ended := append(evs[:3:3], evs[len(evs)-1])
	assert.Equal(t, begun+"[run failed: out of turns]\n--- Summary ---\ntools     1 call\n  Read  1 call\nduration  4.1s\n",
		shown(ended, 0), "it has ended")

	// That a turn was aborted ends a run too.
	whole := slices.DeleteFunc(evs, func(e events.DisplayEvent) bool { return e.Kind == events.KindTurnAborted })
	assert.Contains(t, shown(whole, 3), "--- Summary ---\ntools     3 calls, 1 failed, 5s\n  Task  1 call, 3s\n"+
		"  Grep  1 call, 1 failed, 1s\n  Read  1s\n  before this log began  1 call\n", "the first call was told to another one")
}
