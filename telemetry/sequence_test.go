package telemetry_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// numbers returns the sequence number of each record, after the stream in which it counts.
func numbers(logs plog.Logs) map[string][]int64 {
	all := map[string][]int64{}
	for _, rl := range logs.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			stream, _ := sl.Scope().Attributes().Get(otlp.AttrStreamID)
			for _, lr := range sl.LogRecords().All() {
				if lr.EventName() == otlp.EventNameRunEnd {
					continue // it has no event
				}
				n, _ := lr.Attributes().Get(otlp.AttrSequence)
				all[stream.AsString()] = append(all[stream.AsString()], n.Int())
			}
		}
	}
	return all
}

// TestSequence: all records of a stream are numbered consecutively, across runs and raw lines, and a replay continues
// where the stream was.
func TestSequence(t *testing.T) {
	sc := script{
		line(prompt(1, "p1")), line(text(2, "msg1", "One.")),
		line(prompt(3, "p2")), line(text(4, "msg2", "Two.")), line(text(5, "msg2", "Three.")),
	}
	feed := func(s *telemetry.Stream, from, silent int) {
		for i := from; i < len(sc); i++ {
			at := telemetry.Line{Offset: int64(i), Replay: i < silent}
			s.Feed(at, clone(sc[i]))
			s.RawCopy(at, []byte("{}"))
		}
	}
	open := func(id string) *telemetry.Stream {
		return newRegistry().Open(telemetry.StreamSettings{ID: id, Agent: claude})
	}
	whole := open("a")
	feed(whole, 0, 0)
	got := numbers(whole.Take().Logs)
	assert.Len(t, got, 1)
	for stream, n := range got {
		assert.Len(t, stream, 16)
		assert.Equal(t, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, n)
		again := open("a")
		feed(again, 0, 3)
		assert.Equal(t, map[string][]int64{stream: {6, 7, 8, 9, 10}}, numbers(again.Take().Logs), "the prompt of the second run was pending")
		assert.NotContains(t, numbers(take(open("b"), feed)), stream, "another stream counts for itself")
	}
}

func take(s *telemetry.Stream, feed func(s *telemetry.Stream, from, silent int)) plog.Logs {
	feed(s, 0, 0)
	return s.Take().Logs
}
