package agentstreamreceiver_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
)

// BenchmarkOpenSessions measures the heap of an open session once its lines are read and it is suspended.
func BenchmarkOpenSessions(b *testing.B) {
	const files = 5000
	rng := rand.New(rand.NewPCG(1, 2))
	for _, bench := range []struct {
		name    string
		records int // of a session
		write   func(into *bytes.Buffer, i int)
	}{
		{"line", 2, func(into *bytes.Buffer, i int) {
			fmt.Fprintf(into, `{"type":"assistant","sessionId":"session-%d","version":"2.1.100","uuid":"u%d","timestamp":"2026-11-27T08:00:00.000Z","message":`+
				`{"id":"msg_%d","role":"assistant","model":"m","content":[{"type":"text","text":"One."}],"usage":{"input_tokens":9,"output_tokens":7}}}`+"\n", i, i, i)
		}},
		{"turns=10", 1 + 10*4, func(into *bytes.Buffer, i int) { scaleSession(into, rng, i, 10) }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			dir, recently := b.TempDir(), time.Now().Add(-time.Minute)
			var text bytes.Buffer
			for i := range files {
				text.Reset()
				bench.write(&text, i)
				path := filepath.Join(dir, fmt.Sprint(i, ".jsonl"))
				require.NoError(b, os.WriteFile(path, text.Bytes(), 0o600))
				require.NoError(b, os.Chtimes(path, recently, recently))
			}
			for b.Loop() {
				b.ReportMetric(float64(heapOfSessions(b, dir, files, files*bench.records))/files, "heap-B/session")
			}
		})
	}
}

// heapOfSessions reads the files of a folder and returns by how much the heap has grown once all of them are suspended.
func heapOfSessions(b *testing.B, dir string, files, records int) int64 {
	b.Helper()
	before := liveHeap()
	counter := &arrivals{Logs: consumertest.NewNop()}
	r, err := agentstreamreceiver.NewInside(receivertest.NewNopSettings(agentstreamreceiver.NewFactory().Type()), configFor(filepath.Join(dir, "*.jsonl")), consumertest.NewNop(), counter)
	require.NoError(b, err)
	require.NoError(b, r.Start(b.Context(), componenttest.NewNopHost()))
	require.Eventually(b, func() bool { return counter.records.Load() >= int64(records) && r.AllSuspended(files) }, time.Minute, 20*time.Millisecond)
	after := liveHeap()
	require.NoError(b, r.Shutdown(b.Context()))
	return after - before
}

// liveHeap returns the bytes of the heap in use, without garbage.
func liveHeap() int64 {
	runtime.GC()
	runtime.GC() // the second collection frees what pools keep
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
