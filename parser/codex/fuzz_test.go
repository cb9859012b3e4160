package codex_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/codex"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
)

// addSeeds gives a fuzz target the heads of all fixtures and, of the longer ones, a part from the middle.
func addSeeds(f *testing.F) {
	for _, file := range parsertest.Fixtures(f, codex.Name) {
		lines := parsertest.Lines(f, file)
		f.Add(bytes.Join(lines[:min(len(lines), 14)], []byte("\n")))
		if len(lines) > 28 {
			f.Add(bytes.Join(append([][]byte{lines[0]}, lines[14:28]...), []byte("\n")))
		}
	}
}

// FuzzParse holds, for any bytes split at newlines:
//   - no panic, whatever state earlier lines left behind
//   - one ToolUse for an open call, at most one ToolResult for a call
//   - previews of at most 40 runes, summaries of at most 120, no control characters in either
//   - all strings are valid UTF-8, and none holds an escape character that its line lacks
//   - a line that encoding/json refuses counts as malformed, and no other line that is one object does
func FuzzParse(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		p := codex.New()
		var c parsertest.Checker
		hasESC := parsertest.HasESC(data) // the last text comes again with the end of its turn
		for _, line := range bytes.Split(data, []byte("\n")) {
			c.Check(t, p.ParseEvents(line), hasESC)
			trimmed := bytes.Trim(line, " \t\r") // the blanks of JSON: a vertical tab is none
			switch {
			case len(trimmed) == 0:
				require.Equal(t, events.LineIgnored, p.LineStatus())
			case json.Valid(trimmed) && trimmed[0] == '{':
				require.NotEqual(t, events.LineMalformed, p.LineStatus(), "%s", line)
			case json.Valid(trimmed):
				require.Equal(t, events.LineMalformed, p.LineStatus(), "%s", line)
			}
		}
	})
}

// FuzzSplit holds that lost newlines lose nothing: objects that stand on one line give the same events as on lines of
// their own.
func FuzzSplit(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var lines [][]byte
		for _, line := range bytes.Split(data, []byte("\n")) {
			if trimmed := bytes.Trim(line, " \t\r"); json.Valid(trimmed) && trimmed[0] == '{' {
				lines = append(lines, trimmed)
			}
		}
		perLine, _ := parsertest.Feed(t, codex.New(), lines)
		var want []string
		for _, line := range perLine {
			want = append(want, line...)
		}
		glued, _ := parsertest.Feed(t, codex.New(), [][]byte{bytes.Join(lines, nil)})
		require.Equal(t, want, append([]string(nil), glued[0]...))
	})
}
