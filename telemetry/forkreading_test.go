package telemetry_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// originalAndFork returns the streams of a session, and of a fork that copies it up to its last call and then says something by itself.
func originalAndFork() map[string]script {
	fork := append(saying("I fetch it.", "ls")[:4], line(text(9, "msg9", "My own.")))
	for _, evs := range fork {
		for i := range evs {
			evs[i].SessionID = "s2"
		}
	}
	return map[string]script{"a": saying("I fetch it.", "ls"), "b": fork}
}

// TestForkReadWithItsOriginal: files are read concurrently. A fork that is read faster than its original waits where it overtakes that, so
// nothing is exported twice, and what the fork does by itself is a separate run.
func TestForkReadWithItsOriginal(t *testing.T) {
	scripts := originalAndFork()
	original, fork := scripts["a"], scripts["b"]
	want := idsOf(readAll(t, claude, scripts, "a", "b"))
	for _, shutdown := range []bool{false, true} {
		for read := 2; read <= len(original); read++ { // lines of the original before the fork is read
			registry, f := newRegistry(), &collected{}
			a := registry.Open(telemetry.StreamSettings{ID: "a", Agent: claude, Fingerprint: "begins"})
			b := registry.Open(telemetry.StreamSettings{ID: "b", Agent: claude, Fingerprint: "begins"})
			feed := func(s *telemetry.Stream, sc script, from int) {
				for i, evs := range sc {
					s.Feed(telemetry.Line{Offset: int64(from + i)}, clone(evs))
				}
			}
			feed(a, original[:read], 0)
			feed(b, fork, 0)
			if b.Idle(); shutdown { // in this order, although the fork waits
				b.Close(otlp.CloseReasonShutdown)
			}
			feed(a, original[read:], read)
			a.Idle()
			a.Close(otlp.CloseReasonNoResult)
			if !shutdown {
				b.Close(otlp.CloseReasonNoResult)
			}
			f.take(a.Take())
			f.take(b.Take())
			f.take(registry.Close())
			require.Empty(t, otlpjson.Check(f.traces...))
			assert.Equal(t, want, idsOf(f), "after %d lines of the original; shutdown: %v", read, shutdown)
		}
	}
}

// TestForkWaitsOverARestart: a fork that waits for its original when the collector stops continues when the original was read by the next
// process.
func TestForkWaitsOverARestart(t *testing.T) {
	scripts := originalAndFork()
	want := idsOf(readAll(t, claude, scripts, "a", "b"))
	for read := 2; read < len(scripts["a"]); read++ { // lines of the original before the restart
		lines := map[string]int{"a": read, "b": len(scripts["b"])}
		registry, f, states := newRegistry(), &collected{}, map[string]telemetry.StreamState{}
		for _, id := range []string{"a", "b"} {
			s := registry.Open(telemetry.StreamSettings{ID: id, Agent: claude, Fingerprint: "begins"})
			for i, evs := range scripts[id][:lines[id]] {
				s.Feed(telemetry.Line{Offset: int64(i)}, clone(evs))
			}
			out := s.Take()
			out.Accepted()
			f.take(out)
			states[id], _ = s.State()
			s.Detach()
		}
		registry = newRegistry()
		for id, state := range states {
			registry.Recall(id, &state.Ties)
		}
		registry.Recalled()
		streams := map[string]*telemetry.Stream{}
		for _, id := range []string{"a", "b"} {
			state := states[id]
			streams[id] = registry.Open(telemetry.StreamSettings{ID: id, Agent: claude, Fingerprint: "begins", State: &state})
			for i, evs := range scripts[id][:lines[id]] {
				streams[id].Feed(telemetry.Line{Offset: int64(i), Replay: true}, clone(evs))
			}
		}
		streams["b"].Idle()
		for i, evs := range scripts["a"][read:] {
			streams["a"].Feed(telemetry.Line{Offset: int64(read + i)}, clone(evs))
		}
		streams["a"].Idle()
		for _, id := range []string{"a", "b"} {
			streams[id].Close(otlp.CloseReasonNoResult)
			f.take(streams[id].Take())
		}
		f.take(registry.Close())
		require.Empty(t, otlpjson.Check(f.traces...))
		assert.Equal(t, want, idsOf(f), "after %d lines of the original", read)
	}
}
