package opencode_test

import (
	"fmt"
	"testing"

	"github.com/tailspan/tailspan/parser/internal/parsertest"
	"github.com/tailspan/tailspan/parser/opencode"
)

func newSource() *parsertest.Source { return parsertest.New(opencode.New()) }

func TestGolden(t *testing.T)   { parsertest.Golden(t, opencode.Name, newSource) }
func TestPrefixes(t *testing.T) { parsertest.Prefixes(t, opencode.Name, newSource) }
func TestTorn(t *testing.T)     { parsertest.Torn(t, opencode.Name, newSource) }

func TestDroppedOutput(t *testing.T) { parsertest.DroppedOutput(t, opencode.Name, newSource) }
func TestAllocations(t *testing.T)   { parsertest.Allocations(t, opencode.Name, newSource, nil) }

func TestLongResult(t *testing.T) {
	parsertest.LongResult(t, newSource, func(call int, output string) string {
		return fmt.Sprintf(`{"type":"tool_use","timestamp":1795812891382,"sessionID":"ses_1","part":{"type":"tool","tool":"bash","callID":"call_%d","state":{"status":"completed",`+
			`"input":{"command":"cat calc.go"},"output":"%s","metadata":{"exit":0},"time":{"start":1795812890995,"end":1795812891231}},"id":"prt_%d","messageID":"msg_1"}}`, call, output, call)
	})
}

func TestKept(t *testing.T) {
	for _, file := range parsertest.Fixtures(t, opencode.Name) {
		parsertest.Kept(t, newSource(), parsertest.Lines(t, file))
	}
}
