package gemini_test

import (
	"fmt"
	"testing"

	"github.com/tailspan/tailspan/parser/gemini"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
)

func newSource() *parsertest.Source { return parsertest.New(gemini.New()) }

func TestGolden(t *testing.T)   { parsertest.Golden(t, gemini.Name, newSource) }
func TestPrefixes(t *testing.T) { parsertest.Prefixes(t, gemini.Name, newSource) }
func TestTorn(t *testing.T)     { parsertest.Torn(t, gemini.Name, newSource) }

func TestDroppedOutput(t *testing.T) { parsertest.DroppedOutput(t, gemini.Name, newSource) }
func TestAllocations(t *testing.T)   { parsertest.Allocations(t, gemini.Name, newSource, nil) }

func TestLongResult(t *testing.T) {
	parsertest.LongResult(t, newSource, func(call int, output string) string {
		return fmt.Sprintf(`{"type":"tool_result","timestamp":"2026-11-27T20:44:32.788Z","tool_id":"read_file__%d","status":"success","output":"%s"}`, call, output)
	})
}

func TestKept(t *testing.T) {
	for _, file := range parsertest.Fixtures(t, gemini.Name) {
		parsertest.Kept(t, newSource(), parsertest.Lines(t, file))
	}
}
