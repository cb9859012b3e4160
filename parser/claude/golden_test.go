package claude_test

import (
	"testing"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/claude"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
)

func newSource() events.DisplayEventSource { return claude.New() }

func TestGolden(t *testing.T)   { parsertest.Golden(t, claude.Name, newSource) }
func TestPrefixes(t *testing.T) { parsertest.Prefixes(t, claude.Name, newSource) }
func TestTorn(t *testing.T)     { parsertest.Torn(t, claude.Name, newSource) }

func TestKept(t *testing.T) {
	for _, file := range parsertest.Fixtures(t, claude.Name) {
		parsertest.Kept(t, claude.New(), parsertest.Lines(t, file))
	}
}

func TestAllocations(t *testing.T) { parsertest.Allocations(t, claude.Name, newSource, nil) }
