package parsertest

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// LookedAt is how much of a result's text anybody looks at who does not export it, in bytes.
const LookedAt = 8 << 10

// Limited makes sources that give no more of a result's text than is looked at.
func Limited(src func() events.DisplayEventSource) func() events.DisplayEventSource {
	return func() events.DisplayEventSource {
		s := src()
		s.(events.OutputLimiter).LimitOutput(LookedAt)
		return s
	}
}

// LimitedOutput holds that a source which is told how much of a result's text anybody reads gives the beginning of it,
// and all else as it was. To have long texts, the fixtures are fed with each longer string many times over.
func LimitedOutput(t *testing.T, provider string, src func() events.DisplayEventSource) {
	cut := 0
	for _, file := range Fixtures(t, provider) {
		whole, limited := src(), Limited(src)()
		for i, line := range Lines(t, file) {
			long := lengthen(line)
			want, got := whole.ParseEvents(long), limited.ParseEvents(long)
			require.Len(t, got, len(want), "%s, line %d", file, i+1)
			for j := range want {
				cut += requireHead(t, &want[j], &got[j])
				require.Equal(t, want[j], got[j], "%s, line %d", file, i+1)
			}
		}
	}
	assert.Positive(t, cut, "no text was longer than the limit")
}

// requireHead holds that got has the head of the texts of want, and makes them the same; it counts the texts that were
// cut.
func requireHead(t *testing.T, want, got *events.DisplayEvent) (cut int) {
	w, g := &want.Tool, &got.Tool
	require.True(t, bytes.HasPrefix(w.Output, g.Output), "the output begins otherwise")
	if len(g.Output) < len(w.Output) {
		cut++
		require.LessOrEqual(t, len(g.Output), LookedAt)
		require.Greater(t, len(g.Output), LookedAt/8, "a head that is too short to be looked at")
	}
	require.True(t, len(w.Err) == len(g.Err) || len(g.Err) > LookedAt/8 && w.Err[:len(g.Err)] == g.Err, "the error begins otherwise")
	g.Output, g.Err = w.Output, w.Err
	return cut
}

// Sizes of lengthen: which strings are made longer, and how many times as long.
const (
	longerBytes = 64
	longerTimes = 200
)

// lengthen repeats the longer strings of a line that are values.
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
		long = append(long, bytes.Repeat(body, longerTimes-1)...)
		done = end
	})
	return append(long, line[done:]...)
}

// walkStrings goes over the strings of the value that comes next, keys left out.
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

// Bounds of Allocations, over what the fixtures of a provider give.
const (
	eventAllocations = 2
	repeats          = 20
)

// Allocations holds that a line which gives no event is read without allocation, and that an event takes no more than
// two, for its texts and its payload. Each line is read again and again by a source that has read the whole stream, so
// that its buffers are there.
func Allocations(t *testing.T, provider string, src func() events.DisplayEventSource) {
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
			case n == 0 && s.(events.LineStatuser).LineStatus() == events.LineUnknownType: // it is told by its name
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
