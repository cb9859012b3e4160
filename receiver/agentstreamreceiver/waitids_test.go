package agentstreamreceiver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/program"
	"github.com/tailspan/tailspan/telemetry"
)

// readWhole reads a file from its beginning to its end. If waits is true, its runs can't open before that, because spans of another
// file that an earlier process left have to be replayed first.
func readWhole(t *testing.T, path string, waits bool) []string {
	t.Helper()
	registry, out := telemetry.NewRegistry(goldenSettings()), &exports{}
	if waits {
		registry.Recall("other", &telemetry.Ties{Unwritten: []otlp.SpanID{{1}}})
	}
	registry.Recalled()
	r := newReading(t, registry, path)
	r.read(len(r.lines))
	if waits {
		other := registry.Open(telemetry.StreamSettings{ID: "other", Agent: program.Agent{Provider: "claude"}})
		other.Idle()
		other.Close(otlp.CloseReasonShutdown)
		out.take(other.Take()) // with what the run exports now
	}
	if r.stream != nil {
		r.stream.Close(otlp.CloseReasonShutdown)
		out.take(r.stream.Take())
	}
	out.take(registry.Close())
	return out.list()
}

// TestRunsThatWaitKeepTheirIDs: a kill test exported a Codex transcript twice that names its turn only after the first answer. After a
// restart its run waited for the spans of another file, and then its key was that turn.
func TestRunsThatWaitKeepTheirIDs(t *testing.T) {
	for _, path := range fixtures(t) {
		t.Run(sessionName(path), func(t *testing.T) {
			require.Equal(t, readWhole(t, path, false), readWhole(t, path, true))
		})
	}
}
