package codex_test

import (
	"fmt"
	"testing"

	"github.com/tailspan/tailspan/parser/codex"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
)

func newSource() *parsertest.Source { return parsertest.New(codex.New()) }

func TestGolden(t *testing.T)   { parsertest.Golden(t, codex.Name, newSource) }
func TestPrefixes(t *testing.T) { parsertest.Prefixes(t, codex.Name, newSource) }
func TestTorn(t *testing.T)     { parsertest.Torn(t, codex.Name, newSource) }

func TestDroppedOutput(t *testing.T) { parsertest.DroppedOutput(t, codex.Name, newSource) }
func TestAllocations(t *testing.T)   { parsertest.Allocations(t, codex.Name, newSource, nil) }

func TestLongResult(t *testing.T) {
	parsertest.LongResult(t, newSource, func(call int, output string) string {
		return fmt.Sprintf(`{"type":"item.completed","item":{"id":"item_%d","type":"command_execution","command":"cat calc.go","aggregated_output":"%s","exit_code":0,"status":"completed"}}`, call, output)
	})
}

func TestKept(t *testing.T) {
	for _, file := range parsertest.Fixtures(t, codex.Name) {
		parsertest.Kept(t, newSource(), parsertest.Lines(t, file))
	}
}
