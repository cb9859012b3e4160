package claude_test

import (
	"fmt"
	"testing"

	"github.com/tailspan/tailspan/parser/claude"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
)

func newSource() *parsertest.Source { return parsertest.New(claude.New()) }

func TestGolden(t *testing.T)   { parsertest.Golden(t, claude.Name, newSource) }
func TestPrefixes(t *testing.T) { parsertest.Prefixes(t, claude.Name, newSource) }
func TestTorn(t *testing.T)     { parsertest.Torn(t, claude.Name, newSource) }

func TestKept(t *testing.T) {
	for _, file := range parsertest.Fixtures(t, claude.Name) {
		parsertest.Kept(t, newSource(), parsertest.Lines(t, file))
	}
}

func TestDroppedOutput(t *testing.T)     { parsertest.DroppedOutput(t, claude.Name, newSource) }
func TestAllocations(t *testing.T)       { parsertest.Allocations(t, claude.Name, newSource, nil) }
func TestStreamAllocations(t *testing.T) { parsertest.StreamAllocations(t, claude.Name, newSource) }

func TestLongResult(t *testing.T) {
	parsertest.LongResult(t, newSource, func(call int, output string) string {
		return fmt.Sprintf(`{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_%d","type":"tool_result","content":"%s"}]},"session_id":"s","uuid":"u%d"}`, call, output, call)
	})
}
