//go:build unix

package telemetry_test

import (
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// cpuOf returns the lowest CPU time of some calls.
func cpuOf(t *testing.T, f func()) time.Duration {
	t.Helper()
	now := func() time.Duration {
		var used syscall.Rusage
		require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
		return time.Duration(used.Utime.Nano() + used.Stime.Nano())
	}
	least := time.Duration(1<<63 - 1)
	for range 2 {
		runtime.GC()
		begin := now()
		f()
		least = min(least, now()-begin)
	}
	return least
}

// takesLinearTime checks that twenty times as much takes less than fifty times as long. Quadratic time would be about a
// hundred.
func takesLinearTime(t *testing.T, n int, f func(n int)) {
	t.Helper()
	few, many := cpuOf(t, func() { f(n) }), cpuOf(t, func() { f(20 * n) })
	assert.Less(t, many, 50*few, "%s for a twentieth", few)
}

// TestSubAgentsTakeLinearTime has sub-agents whose calls never get a result.
func TestSubAgentsTakeLinearTime(t *testing.T) {
	takesLinearTime(t, 1000, func(n int) {
		settings := telemetry.NewDefaultSettings()
		settings.Limits.OpenCalls = n // none is evicted
		stream := telemetry.NewRegistry(settings).Open(telemetry.StreamSettings{ID: "f", Agent: claude})
		stream.Feed(telemetry.Line{}, line(started()))
		for i := range n {
			id := fmt.Sprint("t", i)
			stream.Feed(telemetry.Line{Offset: int64(i)}, line(use(1, "m1", id, "Task", "x"), by(text(1, "s"+id, "x"), id)))
			stream.Take()
		}
		stream.Close(otlp.CloseReasonShutdown)
	})
}

// TestWaitingStreamsTakeLinearTime has files of sub-agents of one turn whose session is not read: all wait, and all leave.
func TestWaitingStreamsTakeLinearTime(t *testing.T) {
	takesLinearTime(t, 1000, func(n int) {
		registry := newRegistry()
		streams := make([]*telemetry.Stream, n)
		for i := range streams {
			streams[i] = registry.Open(telemetry.StreamSettings{ID: fmt.Sprint("f", i), Agent: claude})
			ev := text(1, fmt.Sprint("m", i), "x")
			ev.AgentID, ev.TurnID = fmt.Sprint("agent", i), "turn"
			streams[i].Feed(telemetry.Line{}, []events.DisplayEvent{ev})
		}
		for _, s := range streams {
			s.Close(otlp.CloseReasonShutdown)
			out := s.Take()
			assert.Equal(t, 2, out.Traces.SpanCount(), "it has a trace of its own")
		}
	})
}

// TestSecondAccountTakesLinearTime has a second account of a run wait for the end of the first: all its events are pending.
func TestSecondAccountTakesLinearTime(t *testing.T) {
	takesLinearTime(t, 1000, func(n int) {
		settings := telemetry.NewDefaultSettings()
		settings.Limits.PendingEvents, settings.Limits.PendingBytes = 100*n, 1<<30
		registry := telemetry.NewRegistry(settings)
		first := registry.Open(telemetry.StreamSettings{ID: "f1", Agent: claude})
		first.Feed(telemetry.Line{}, line(started(), text(1, "m0", "x")))
		second := registry.Open(telemetry.StreamSettings{ID: "f2", Agent: claude, IdleGap: time.Hour})
		second.Feed(telemetry.Line{}, line(started(), text(1, "m0", "x")))
		for i := range n {
			second.Feed(telemetry.Line{Offset: int64(i + 1)}, line(text(1, fmt.Sprint("m", i+1), "x")))
		}
		pending := second.Take()
		assert.Zero(t, pending.Logs.LogRecordCount())
		first.Take()
		first.Close(otlp.CloseReasonShutdown)
		out := first.Take()
		assert.GreaterOrEqual(t, out.Logs.LogRecordCount(), n, "what the first account lacks comes with its end")
		second.Close(otlp.CloseReasonShutdown)
	})
}
