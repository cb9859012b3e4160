package agentstreamreceiver_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
	"github.com/tailspan/tailspan/tail"
)

// bench is a receiver without a source, whose streams are fed by hand.
type bench struct {
	*agentstreamreceiver.Inside
	traces *consumertest.TracesSink
	logs   *consumertest.LogsSink
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{traces: &consumertest.TracesSink{}, logs: &consumertest.LogsSink{}}
	var err error
	b.Inside, err = agentstreamreceiver.NewInside(receivertest.NewNopSettings(agentstreamreceiver.NewFactory().Type()), configFor("unused"), b.traces, b.logs)
	require.NoError(t, err)
	t.Cleanup(b.End)
	return b
}

func (b *bench) list() []string {
	e := exports{traces: b.traces.AllTraces(), logs: b.logs.AllLogs()}
	return e.list()
}

// readSuspending reads a file, with ticks at random, and suspends the stream at random if suspends is set. It returns how often it
// did.
func readSuspending(t *testing.T, path string, rng *rand.Rand, suspends bool) (b *bench, suspended int) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	b = newBench(t)
	c, err := b.Open(t.Context(), tail.Stream{ID: path, Path: path, ModTime: fileTime})
	require.NoError(t, err)
	st := agentstreamreceiver.StreamOf(c)
	var lines []tail.Line
	offset := int64(0)
	for text := range bytes.Lines(data) {
		next := offset + int64(len(text))
		lines = append(lines, tail.Line{Data: bytes.TrimSuffix(text, []byte("\n")), Offset: offset, Next: next})
		offset = next
	}
	isSuspended := false
	for at := 0; at < len(lines); {
		n := min(1+rng.IntN(4), len(lines)-at)
		if isSuspended {
			again := slices.Clone(lines[:at])
			for i := range again {
				again[i].Replayed = true
			}
			require.NoError(t, c.Lines(t.Context(), again))
		}
		require.NoError(t, c.Lines(t.Context(), lines[at:at+n]))
		at += n
		require.NoError(t, c.Idle(t.Context()))
		if rng.IntN(3) == 0 {
			st.Quieten()
			require.NoError(t, st.Tick(t.Context()))
		}
		want := rng.IntN(2) == 0
		isSuspended = suspends && want && st.Suspend()
		if isSuspended {
			suspended++
			state, _ := st.State()
			assert.NotEmpty(t, state, "it is asked for its state while it rests")
		}
	}
	require.NoError(t, c.Close(t.Context(), tail.CloseReasonUnlinked))
	return b, suspended
}

// TestSuspendChangesNothing: a stream suspended now and then exports and counts the same as one that never was.
func TestSuspendChangesNothing(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(samples, "*", "*.jsonl"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	total := 0
	for _, path := range paths {
		for seed := range uint64(6) {
			want, _ := readSuspending(t, path, rand.New(rand.NewPCG(seed, 3)), false)
			got, suspended := readSuspending(t, path, rand.New(rand.NewPCG(seed, 3)), true)
			total += suspended
			require.Equal(t, untimed(want.list()), untimed(got.list()), "%s, seed %d, rested %d times", path, seed, suspended)
		}
	}
	assert.Greater(t, total, len(paths), "streams did rest")
}
