package qwen_test

import (
	"testing"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
	"github.com/tailspan/tailspan/parser/qwen"
)

func newSource() events.DisplayEventSource { return qwen.New() }

func TestGolden(t *testing.T)   { parsertest.Golden(t, qwen.Name, newSource) }
func TestPrefixes(t *testing.T) { parsertest.Prefixes(t, qwen.Name, newSource) }
func TestTorn(t *testing.T)     { parsertest.Torn(t, qwen.Name, newSource) }

func TestKept(t *testing.T) {
	for _, file := range parsertest.Fixtures(t, qwen.Name) {
		parsertest.Kept(t, qwen.New(), parsertest.Lines(t, file))
	}
}

func TestAllocations(t *testing.T) { parsertest.Allocations(t, qwen.Name, newSource, nil) }
