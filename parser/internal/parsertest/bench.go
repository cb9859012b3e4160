package parsertest

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// Input is a named set of lines for a benchmark; the name gives their size or origin.
type Input struct {
	Name  string
	Lines [][]byte
}

// dropping makes a source drop the arguments of calls and the texts of results, as receiver and command do
// unless they capture them.
func dropping(src *Source) *Source {
	src.Drop(true, true)
	return src
}

// Benchmark parses lines, dropping the texts of results, and for comparison iterates over the top-level members of the same
// bytes with gjson.ForEach. The two alternate pass by pass, so that other work on the machine slows both. "ratio" is the
// median of how many times as fast as gjson the parser was in a pass, "gjson-MB/s" the median of gjson's speed. Time and
// memory are the parser's alone.
func Benchmark(b *testing.B, provider string, src func() *Source, inputs ...Input) {
	for _, in := range inputs {
		size := len(bytes.Join(in.Lines, nil))
		b.Run("provider="+provider+"/line="+in.Name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			var walks, ratios []float64
			for b.Loop() {
				start := time.Now()
				require.NotZero(b, ParseAll(dropping(src()), in.Lines))
				parsed := time.Since(start)
				b.StopTimer()
				start = time.Now()
				require.NotZero(b, WalkAll(in.Lines))
				walked := time.Since(start)
				walks = append(walks, float64(size)/1e6/walked.Seconds())
				ratios = append(ratios, walked.Seconds()/parsed.Seconds())
				b.StartTimer()
			}
			b.ReportMetric(median(walks), "gjson-MB/s")
			b.ReportMetric(median(ratios), "ratio")
		})
	}
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// ParseAll parses lines to their end and counts the events.
func ParseAll(src *Source, lines [][]byte) int {
	n := 0
	for _, line := range lines {
		n += len(src.ParseEvents(line))
	}
	n += len(src.Flush())
	return n
}

// WalkAll counts the top-level members of lines.
func WalkAll(lines [][]byte) int {
	n := 0
	for _, line := range lines {
		gjson.ParseBytes(bytes.TrimPrefix(line, []byte("data: "))).ForEach(func(_, _ gjson.Result) bool {
			n++
			return true
		})
	}
	return n
}
