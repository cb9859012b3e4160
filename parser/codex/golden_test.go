package codex_test

import (
	"testing"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/codex"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
)

func newSource() events.DisplayEventSource { return codex.New() }

func TestGolden(t *testing.T)   { parsertest.Golden(t, codex.Name, newSource) }
func TestPrefixes(t *testing.T) { parsertest.Prefixes(t, codex.Name, newSource) }
func TestTorn(t *testing.T)     { parsertest.Torn(t, codex.Name, newSource) }

func TestDroppedOutput(t *testing.T) { parsertest.DroppedOutput(t, codex.Name, newSource) }
func TestAllocations(t *testing.T)   { parsertest.Allocations(t, codex.Name, newSource, nil) }

func TestKept(t *testing.T) {
	for _, file := range parsertest.Fixtures(t, codex.Name) {
		parsertest.Kept(t, codex.New(), parsertest.Lines(t, file))
	}
}
