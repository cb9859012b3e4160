package telemetry_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// TestTrim: a stream that is trimmed after each line has the same output and counts as one that is not.
func TestTrim(t *testing.T) {
	scripts := map[string]script{"tools": parallelTools()}
	for seed := range uint64(20) {
		scripts[fmt.Sprint("noise ", seed)] = noise(rand.New(rand.NewPCG(seed, 3)))
	}
	for name, sc := range scripts {
		untrimmed, counted := trimmedRun(t, sc, func(*telemetry.Stream, *collected) {})
		trimmed, alike := trimmedRun(t, sc, func(s *telemetry.Stream, f *collected) {
			f.take(s.Take())
			s.Trim()
		})
		assert.Equal(t, untrimmed, trimmed, name)
		assert.Equal(t, counted, alike, name)
		kept, alike := trimmedRun(t, sc, func(s *telemetry.Stream, _ *collected) { s.Trim() })
		assert.Equal(t, untrimmed, kept, "%s: what nobody took yet stays", name)
		assert.Equal(t, counted, alike, name)
	}
}

// trimmedRun applies a script, calls between after each line, and describes the output and the counts.
func trimmedRun(t *testing.T, sc script, between func(*telemetry.Stream, *collected)) (list []string, metrics string) {
	t.Helper()
	registry := newRegistry()
	stream := registry.Open(telemetry.StreamSettings{ID: "f", Agent: claude})
	var f collected
	for i, evs := range sc {
		stream.Feed(telemetry.Line{Offset: int64(i)}, clone(evs))
		between(stream, &f)
	}
	stream.Close(otlp.CloseReasonNoResult)
	f.take(stream.Take())
	for _, s := range f.spans {
		list = append(list, fmt.Sprint("span ", s.Name(), s.SpanID(), s.ParentSpanID(), s.StartTimestamp(), s.EndTimestamp(), s.Attributes().AsRaw()))
	}
	for _, lr := range f.records {
		list = append(list, fmt.Sprint("record ", lr.EventName(), lr.SpanID(), lr.Timestamp(), lr.Attributes().AsRaw()))
	}
	encoded, err := new(pmetric.JSONMarshaler).MarshalMetrics(registry.Metrics().TakeLast(at(2000))[1])
	require.NoError(t, err)
	return list, string(encoded)
}
