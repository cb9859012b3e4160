package codex_test

import (
	"testing"

	"github.com/tailspan/tailspan/parser/codex"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
)

// FuzzParse checks, for any bytes split at newlines:
//   - no panic, whatever state earlier lines left behind
//   - one ToolUse for an open call, at most one ToolResult for a call
//   - previews of at most 40 runes, summaries of at most 120, no control characters in either
//   - all strings are valid UTF-8, and none holds an escape character that the input lacks
//   - a blank line is ignored, a line of other JSON is malformed, and no line that is one object counts as malformed
func FuzzParse(f *testing.F) {
	parsertest.AddFixtures(f, codex.Name)
	f.Fuzz(func(t *testing.T, data []byte) { parsertest.Parse(t, newSource(), data) })
}

// FuzzSplit checks that missing newlines lose nothing: objects on one line yield the same events as on separate
// lines.
func FuzzSplit(f *testing.F) {
	parsertest.AddFixtures(f, codex.Name)
	f.Fuzz(func(t *testing.T, data []byte) {
		parsertest.Split(t, newSource, data)
	})
}

// FuzzDroppedInput checks that a call has the same target if its arguments are dropped, whatever they are.
func FuzzDroppedInput(f *testing.F) {
	for _, args := range []string{
		`{"cmd": "ls \"a\\b\"", "workdir": "/"}`, `{"command":["bash","-lc","ls"],"plan":[{"step":"a","status":"in_progress"}]}`,
		"{\"input\":\"*** Begin Patch\n*** Add File: x\n\"}", `{"cmd":"l`, `"{\"cmd\":\"ls\"}"`, `{"message":"é","agent_type":"w"}`,
	} {
		for _, name := range []string{"exec_command", "apply_patch", "spawn_agent", "custom"} {
			f.Add(name, args)
		}
	}
	f.Fuzz(func(t *testing.T, name, args string) {
		line := []byte(functionCall("c", name, args))
		parsertest.DroppedInput(t, newSource(), newSource(), line)
	})
}
