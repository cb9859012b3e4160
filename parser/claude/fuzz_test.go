package claude_test

import (
	"testing"

	"github.com/tailspan/tailspan/parser/claude"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
)

// FuzzParse checks, for any bytes split at newlines:
//   - no panic, whatever state earlier lines left behind
//   - one ToolUse for an open call, at most one ToolResult for a call
//   - previews of at most 40 runes, summaries of at most 120, no control characters in either
//   - all strings are valid UTF-8, and none holds an escape character that the input lacks
//   - a blank line is ignored, a line of other JSON is malformed, and no line that is one object counts as malformed
func FuzzParse(f *testing.F) {
	parsertest.AddFixtures(f, claude.Name)
	f.Fuzz(func(t *testing.T, data []byte) { parsertest.Parse(t, newSource(), data) })
}

// FuzzSplit checks that missing newlines lose nothing: objects on one line yield the same events as on separate
// lines.
func FuzzSplit(f *testing.F) {
	parsertest.AddFixtures(f, claude.Name)
	f.Fuzz(func(t *testing.T, data []byte) {
		parsertest.Split(t, newSource, data)
	})
}
