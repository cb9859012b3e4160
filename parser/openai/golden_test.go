package openai_test

import (
	"testing"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
	"github.com/tailspan/tailspan/parser/openai"
)

// folder holds the fixtures.
const folder = "openai"

func newSource() events.DisplayEventSource { return openai.New() }

func TestGolden(t *testing.T)   { parsertest.Golden(t, folder, newSource) }
func TestPrefixes(t *testing.T) { parsertest.Prefixes(t, folder, newSource) }
func TestTorn(t *testing.T)     { parsertest.Torn(t, folder, newSource) }

func TestKept(t *testing.T) {
	for _, file := range parsertest.Fixtures(t, folder) {
		parsertest.Kept(t, openai.New(), parsertest.Lines(t, file))
	}
}
