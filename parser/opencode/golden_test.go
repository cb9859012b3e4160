package opencode_test

import (
	"testing"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
	"github.com/tailspan/tailspan/parser/opencode"
)

func newSource() events.DisplayEventSource { return opencode.New() }

func TestGolden(t *testing.T)   { parsertest.Golden(t, opencode.Name, newSource) }
func TestPrefixes(t *testing.T) { parsertest.Prefixes(t, opencode.Name, newSource) }
func TestTorn(t *testing.T)     { parsertest.Torn(t, opencode.Name, newSource) }

func TestDroppedOutput(t *testing.T) { parsertest.DroppedOutput(t, opencode.Name, newSource) }
func TestAllocations(t *testing.T)   { parsertest.Allocations(t, opencode.Name, newSource, nil) }

func TestKept(t *testing.T) {
	for _, file := range parsertest.Fixtures(t, opencode.Name) {
		parsertest.Kept(t, opencode.New(), parsertest.Lines(t, file))
	}
}
