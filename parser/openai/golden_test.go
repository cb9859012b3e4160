package openai_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/tailspan/tailspan/parser/internal/parsertest"
	"github.com/tailspan/tailspan/parser/openai"
)

// folder holds the fixtures.
const folder = "openai"

func newSource() *parsertest.Source { return parsertest.New(openai.New()) }

func TestGolden(t *testing.T)   { parsertest.Golden(t, folder, newSource) }
func TestPrefixes(t *testing.T) { parsertest.Prefixes(t, folder, newSource) }
func TestTorn(t *testing.T)     { parsertest.Torn(t, folder, newSource) }

func TestDroppedOutput(t *testing.T) {
	const long = `drwxr-xr-x 2 dev dev 4096 Nov 27 20:51 shop\n-rw-r--r-- 1 dev dev 412 calc.go\n`
	parsertest.DroppedOutput(t, folder, newSource,
		`{"model":"m","messages":[{"role":"tool","tool_call_id":"c1","content":"`+long+`"},{"role":"tool","tool_call_id":"c2","content":[{"type":"text","text":"`+long+`"},{"type":"text","text":"`+long+`"}]},{"role":"user","content":[{"type":"text","text":"`+long+`"}]}]}`,
		`{"object":"response","id":"r1","status":"completed","output":[{"type":"shell_call_output","call_id":"s1","status":"failed","output":[{"stdout":"`+long+`","stderr":"`+long+`","outcome":{"type":"exit","exit_code":1}}]},`+
			`{"type":"mcp_call","id":"m1","name":"ls","arguments":"{}","server_label":"files","output":"`+long+`"}]}`)
}

func TestAllocations(t *testing.T) {
	parsertest.Allocations(t, folder, newSource, func(line []byte) bool { // a piece of a streaming answer
		return bytes.Contains(line, []byte(`"delta"`)) || bytes.Contains(line, []byte(`"type":"response.`))
	})
}

func TestLongResult(t *testing.T) {
	parsertest.LongResult(t, newSource, func(call int, output string) string {
		return fmt.Sprintf(`{"model":"m","messages":[{"role":"tool","tool_call_id":"call_%d","content":"%s"}]}`, call, output)
	})
}

func TestKept(t *testing.T) {
	for _, file := range parsertest.Fixtures(t, folder) {
		parsertest.Kept(t, newSource(), parsertest.Lines(t, file))
	}
}
