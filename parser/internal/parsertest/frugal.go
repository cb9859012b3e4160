package parsertest

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// DroppedOutput checks that a source that drops the texts of results and the arguments of calls reports everything else
// unchanged, and the head of a text whose summary was cut. To have long texts, it feeds the fixtures, and the lines in
// beside, with each longer string repeated many times.
func DroppedOutput(t *testing.T, provider string, src func() *Source, beside ...string) {
	dropped := 0
	for _, line := range beside {
		dropped += requireDropped(t, src(), dropping(src()), []byte(line))
	}
	for _, file := range Fixtures(t, provider) {
		keeps, drops := src(), dropping(src())
		for _, line := range Lines(t, file) {
			dropped += requireDropped(t, keeps, drops, line)
		}
	}
	assert.Positive(t, dropped, "no long text was dropped")
}

func requireDropped(t *testing.T, keeps, drops *Source, line []byte) (dropped int) {
	long := lengthen(line)
	want, got := keeps.ParseEvents(long), drops.ParseEvents(long)
	require.Len(t, got, len(want), "%.200s", line)
	for i := range want {
		w, g := &want[i].Tool, &got[i].Tool
		require.True(t, bytes.HasPrefix(w.Output, g.Output), "the output begins otherwise: %.200s", line)
		if len(w.Output) > events.OutputHead && len(g.Output) < len(w.Output)/2 {
			dropped++
		}
		if cut := strings.TrimSuffix(w.Summary, "…"); cut != w.Summary && bytes.Contains(w.Output, []byte(cut)) {
			require.GreaterOrEqual(t, len(g.Output), min(events.OutputHead, len(w.Output))/2, "no head behind %q", w.Summary)
		}
		if len(g.Input) == 0 { // if omitting them saves work; see DroppedInput
			g.Input = w.Input
		}
		g.Output = w.Output
		require.Equal(t, want[i], got[i], "%.200s", line)
	}
	return dropped
}

// Sizes of lengthen: which strings are lengthened, and to which length.
const (
	longerBytes = 64
	longBytes   = 12 << 10
)

// lengthen repeats the longer string values of a line.
func lengthen(line []byte) []byte {
	var s scan.Scanner
	s.Reset(line)
	if s.Skip(); s.Err() != nil {
		return line
	}
	s.Reset(line)
	long, done := []byte(nil), 0
	walkStrings(&s, func(body []byte) {
		if len(body) < longerBytes {
			return
		}
		end := s.Offset() - 1
		long = append(long, line[done:end]...)
		long = append(long, bytes.Repeat(body, longBytes/len(body))...)
		done = end
	})
	return append(long, line[done:]...)
}

// walkStrings iterates over the strings of the next value, without keys.
func walkStrings(s *scan.Scanner, f func(body []byte)) {
	switch s.Peek() {
	case scan.KindObject:
		for s.Object(); s.Key(); {
			walkStrings(s, f)
		}
	case scan.KindArray:
		for s.Array(); s.Element(); {
			walkStrings(s, f)
		}
	default:
		if v := s.Value(); v.Kind == scan.KindString {
			f(v.Body())
		}
	}
}

// Limits of Allocations, over all fixtures of a provider.
const (
	eventAllocations = 2
	repeats          = 20
)

// Allocations checks that a line without events is parsed without allocation, and that an event takes at most two
// allocations, for its texts and its payload. A source that has read the whole stream parses each line repeatedly, so
// that its buffers exist. Lines for which keeps returns true hold what later events are about.
func Allocations(t *testing.T, provider string, src func() *Source, keeps func(line []byte) bool) {
	given, allocations := 0, 0.0
	for _, file := range Fixtures(t, provider) {
		s, lines := src(), Lines(t, file)
		for _, line := range slices.Concat(lines, lines) {
			s.ParseEvents(line)
		}
		for i, line := range lines {
			n := len(s.ParseEvents(line))
			took := testing.AllocsPerRun(repeats, func() {
				if m := len(s.ParseEvents(line)); m != n {
					n = -1
				}
			})
			switch {
			case n == 0 && s.LineStatus() == events.LineUnknownType: // the status contains its name
			case n == 0 && keeps != nil && keeps(line):
			case n == 0:
				assert.Zero(t, took, "%s, line %d: %.200s", file, i+1, line)
			case n > 0:
				given += n
				allocations += took
			}
		}
	}
	require.Positive(t, given)
	assert.LessOrEqual(t, allocations, float64(eventAllocations*given), "for %d events", given)
	t.Logf("%.0f allocations for %d events", allocations, given)
}

// streamAllocations is the number of allocations for the tables and buffers of a stream.
const streamAllocations = 60

// StreamAllocations checks the limit of Allocations if a line yields events only the first time: over each whole fixture,
// dropping the texts of results.
func StreamAllocations(t *testing.T, provider string, src func() *Source) {
	for _, file := range Fixtures(t, provider) {
		lines, given := Lines(t, file), 0
		took := testing.AllocsPerRun(5, func() { given = ParseAll(dropping(src()), lines) })
		assert.LessOrEqual(t, took, float64(eventAllocations*given+streamAllocations), "%s: %d events", file, given)
	}
}

// LongResult checks that only the head of a dropped result of a megabyte is decoded. line returns a line of a call that
// ended with an output.
func LongResult(t *testing.T, src func() *Source, line func(call int, output string) string) {
	const runs = 10
	output := strings.Repeat(`func Total(prices ...int) int {\n\tsum := 0 // \"cents\"\n`, 1<<20/58)
	size := len(output) - strings.Count(output, `\`)
	lines := make([][]byte, runs)
	for i := range lines {
		lines[i] = []byte(line(i, output))
	}
	s := dropping(src())
	s.ParseEvents([]byte(line(runs, "warm")))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, line := range lines {
		out := s.ParseEvents(line)
		result := out[slices.IndexFunc(out, func(e events.DisplayEvent) bool { return e.Kind == events.KindToolResult })].Tool
		assert.Equal(t, size, result.Size)
		assert.Equal(t, "func Total(prices ...int) int {", result.Summary)
	}
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(len(output)), "in bytes, for %d results", runs)
}

// DroppedInput checks that dropping the arguments of calls changes no other field of a line's events. The sources must be new.
func DroppedInput(t *testing.T, keeps, drops *Source, line []byte) {
	t.Helper()
	drops.Drop(true, false)
	want, got := keeps.ParseEvents(line), drops.ParseEvents(line)
	for i := range want {
		want[i].Tool.Input = nil
	}
	require.Equal(t, want, got)
}
