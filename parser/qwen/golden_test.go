package qwen_test

import (
	"fmt"
	"testing"

	"github.com/tailspan/tailspan/parser/internal/parsertest"
	"github.com/tailspan/tailspan/parser/qwen"
)

func newSource() *parsertest.Source { return parsertest.New(qwen.New()) }

func TestGolden(t *testing.T)   { parsertest.Golden(t, qwen.Name, newSource) }
func TestPrefixes(t *testing.T) { parsertest.Prefixes(t, qwen.Name, newSource) }
func TestTorn(t *testing.T)     { parsertest.Torn(t, qwen.Name, newSource) }

func TestKept(t *testing.T) {
	for _, file := range parsertest.Fixtures(t, qwen.Name) {
		parsertest.Kept(t, newSource(), parsertest.Lines(t, file))
	}
}

func TestDroppedOutput(t *testing.T)     { parsertest.DroppedOutput(t, qwen.Name, newSource) }
func TestAllocations(t *testing.T)       { parsertest.Allocations(t, qwen.Name, newSource, nil) }
func TestStreamAllocations(t *testing.T) { parsertest.StreamAllocations(t, qwen.Name, newSource) }

func TestLongResult(t *testing.T) {
	parsertest.LongResult(t, newSource, func(call int, output string) string {
		return fmt.Sprintf(`{"type":"user","uuid":"u%d","session_id":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_%d","content":"%s"}]}}`, call, call, output)
	})
}
