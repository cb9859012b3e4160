//go:build unix

package agentstreamreceiver_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
	"github.com/tailspan/tailspan/tail"
)

// handFed is a receiver without sources.
func handFed(tb testing.TB) *agentstreamreceiver.Inside {
	tb.Helper()
	r, err := agentstreamreceiver.NewInside(receivertest.NewNopSettings(agentstreamreceiver.NewFactory().Type()), configFor("unused"), consumertest.NewNop(), consumertest.NewNop())
	require.NoError(tb, err)
	tb.Cleanup(r.End)
	return r
}

// batchesOf cuts bytes into batches of lines, as the source does.
func batchesOf(data []byte) (batches [][]tail.Line) {
	var lines []tail.Line
	offset := int64(0)
	for text := range bytes.Lines(data) {
		next := offset + int64(len(text))
		lines = append(lines, tail.Line{Data: text[:len(text)-1], Offset: offset, Next: next})
		offset = next
		if len(lines) == tail.DefaultBatchLines {
			batches, lines = append(batches, lines), nil
		}
	}
	return append(batches, lines)
}

// BenchmarkReplay replays a session, as after a restart, and parses it, alternately. The result is the speed of the replay
// relative to that of parsing; the floor is 0.9.
func BenchmarkReplay(b *testing.B) {
	var text bytes.Buffer
	for id := 0; text.Len() < 100*mib; id++ {
		scaleSession(&text, rand.New(rand.NewPCG(5, uint64(id))), id, 2000)
	}
	batches := batchesOf(text.Bytes())
	b.SetBytes(int64(text.Len()))
	var parse, replay time.Duration
	for b.Loop() {
		p, err := parser.New(parser.Auto)
		require.NoError(b, err)
		begin := usedCPU(b)
		for _, lines := range batches {
			for i := range lines {
				p.ParseEvents(lines[i].Data)
			}
		}
		parse += usedCPU(b) - begin

		c, err := handFed(b).Open(b.Context(), tail.Stream{ID: "s", Path: "/s.jsonl"})
		require.NoError(b, err)
		begin = usedCPU(b)
		for _, lines := range batches {
			for i := range lines {
				lines[i].Replayed = true
			}
			require.NoError(b, c.Lines(b.Context(), lines))
		}
		replay += usedCPU(b) - begin
	}
	b.ReportMetric(parse.Seconds()/replay.Seconds(), "of-parsing")
	b.ReportMetric(float64(text.Len())*float64(b.N)/1e6/replay.Seconds(), "MB/cpu-s")
}

// BenchmarkLongSession reads a session of a million lines, and compares the cost of its last tenth with the first; the limit
// is 1.1.
func BenchmarkLongSession(b *testing.B) {
	const lines = 1_000_000
	var text bytes.Buffer
	scaleSession(&text, rand.New(rand.NewPCG(6, 7)), 0, 2000)
	for b.Loop() {
		c, err := handFed(b).Open(b.Context(), tail.Stream{ID: "s", Path: "/s.jsonl"})
		require.NoError(b, err)
		var tenths [10]time.Duration
		rng, turn, offset := rand.New(rand.NewPCG(6, 7)), 0, int64(0)
		for i := range tenths {
			for n := 0; n < lines/10; {
				text.Reset()
				scaleTurns(&text, rng, turn, turn+250)
				turn += 250
				batch := batchesOf(text.Bytes())[0]
				for i := range batch {
					batch[i].Offset += offset
					batch[i].Next += offset
				}
				offset += int64(text.Len())
				n += len(batch)
				begin := usedCPU(b)
				require.NoError(b, c.Lines(b.Context(), batch))
				tenths[i] += usedCPU(b) - begin
			}
		}
		b.ReportMetric(tenths[9].Seconds()/tenths[0].Seconds(), "last-over-first")
		b.ReportMetric(tenths[9].Seconds()/lines*10*1e6, "us/line")
		b.Log(fmt.Sprint(tenths))
	}
}

const mib = 1 << 20

// scaleSession writes a session: a prompt, then turns.
func scaleSession(b *bytes.Buffer, rng *rand.Rand, id, turns int) {
	fmt.Fprintf(b, `{"sessionId":"session-%d","uuid":"u%d","timestamp":"2026-11-27T08:00:00.000Z","type":"user","message":{"role":"user","content":"do it"}}`+"\n", id, id)
	scaleTurns(b, rng, id*1_000_000, id*1_000_000+turns)
}

// scaleTurns writes turns of a text, a call and its result, of two kilobytes on average.
func scaleTurns(b *bytes.Buffer, rng *rand.Rand, from, to int) {
	at := time.Date(2026, 11, 27, 8, 0, 0, 0, time.UTC)
	for n := from; n < to; n++ {
		at := at.Add(time.Duration(n%1_000_000) * time.Second).Format("2006-01-02T15:04:05.000Z")
		fmt.Fprintf(b, `{"sessionId":"session-%d","uuid":"a%d","timestamp":%q,"type":"assistant","message":{"id":"msg_%d","role":"assistant","model":"m","content":[`+
			`{"type":"text","text":%q},{"type":"tool_use","id":"toolu_%d","name":"Read","input":{"file_path":"/home/dev/shop/file%d.go"}}],"usage":{"input_tokens":9,"output_tokens":7}}}`+"\n",
			n/1_000_000, n, at, n, strings.Repeat("word ", 10+rng.IntN(90)), n, n)
		fmt.Fprintf(b, `{"sessionId":"session-%d","uuid":"r%d","timestamp":%q,"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%d","content":%q}]}}`+"\n",
			n/1_000_000, n, at, n, strings.Repeat("code ", 20+rng.IntN(500)))
	}
}
