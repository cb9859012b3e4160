package gemini_test

import (
	"testing"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/gemini"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
)

func newSource() events.DisplayEventSource { return gemini.New() }

func TestGolden(t *testing.T)   { parsertest.Golden(t, gemini.Name, newSource) }
func TestPrefixes(t *testing.T) { parsertest.Prefixes(t, gemini.Name, newSource) }
func TestTorn(t *testing.T)     { parsertest.Torn(t, gemini.Name, newSource) }

func TestDroppedOutput(t *testing.T) { parsertest.DroppedOutput(t, gemini.Name, newSource) }
func TestAllocations(t *testing.T)   { parsertest.Allocations(t, gemini.Name, newSource, nil) }

func TestKept(t *testing.T) {
	for _, file := range parsertest.Fixtures(t, gemini.Name) {
		parsertest.Kept(t, gemini.New(), parsertest.Lines(t, file))
	}
}
