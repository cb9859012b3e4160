package parsertest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
)

// Bounds of memory that is taken: for each event, and for the tables and buffers of a stream, which grow to their size.
const (
	allocationsPerEvent  = 2
	allocationsPerStream = 60
)

// Allocations holds what a parser may take of memory for lines whose results nobody keeps: nothing for a line that gives
// no event, such as one that came before, and no more than two pieces for each event otherwise.
func Allocations(t *testing.T, src func() events.DisplayEventSource, lines [][]byte) {
	t.Helper()
	total := 0
	took := testing.AllocsPerRun(5, func() { total = ParseAll(dropping(src()), lines) })
	assert.LessOrEqual(t, took, float64(allocationsPerEvent*total+allocationsPerStream), "%d events", total)

	s := dropping(src())
	ParseAll(s, lines)
	for i, line := range lines {
		if len(s.ParseEvents(line)) > 0 {
			continue
		}
		if status := s.(events.LineStatuser).LineStatus(); status == events.LineUnknownType {
			continue // its name is told
		}
		require.Zero(t, testing.AllocsPerRun(10, func() {
			if len(s.ParseEvents(line)) > 0 {
				t.Errorf("line %d gives events only later", i+1)
			}
		}), "line %d gives no event: %.300s", i+1, line)
	}
}
