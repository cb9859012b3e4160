package qwen_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
	"github.com/tailspan/tailspan/parser/qwen"
)

// FuzzParse holds, for any bytes split at newlines:
//   - no panic, whatever state earlier lines left behind
//   - one ToolUse for an open call, at most one ToolResult for a call
//   - previews of at most 40 runes, summaries of at most 120, no control characters in either
//   - all strings are valid UTF-8, and none holds an escape character that the input lacks
//   - no line that is one object counts as malformed
func FuzzParse(f *testing.F) {
	for _, file := range parsertest.Fixtures(f, qwen.Name) {
		lines := parsertest.Lines(f, file)
		f.Add(bytes.Join(lines[:min(len(lines), 12)], []byte("\n")))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p := qwen.New()
		var c parsertest.Checker
		hasESC := parsertest.HasESC(data) // pieces of text come out later
		for _, line := range bytes.Split(data, []byte("\n")) {
			c.Check(t, p.ParseEvents(line), hasESC)
			trimmed := bytes.TrimSpace(line)
			switch {
			case len(trimmed) == 0:
				require.Equal(t, events.LineIgnored, p.LineStatus())
			case json.Valid(trimmed) && trimmed[0] == '{':
				require.NotEqual(t, events.LineMalformed, p.LineStatus(), "%s", line)
			}
		}
		c.Check(t, p.Flush(), hasESC)
	})
}

// FuzzSplit holds that lost newlines lose nothing: objects that stand on one line give the same events as on lines of
// their own.
func FuzzSplit(f *testing.F) {
	for _, file := range parsertest.Fixtures(f, qwen.Name) {
		lines := parsertest.Lines(f, file)
		f.Add(bytes.Join(lines[:min(len(lines), 12)], []byte("\n")))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var lines [][]byte
		for _, line := range bytes.Split(data, []byte("\n")) {
			if trimmed := bytes.TrimSpace(line); json.Valid(trimmed) && trimmed[0] == '{' {
				lines = append(lines, trimmed)
			}
		}
		perLine, flushed := parsertest.Feed(t, qwen.New(), lines)
		var want []string
		for _, line := range perLine {
			want = append(want, line...)
		}
		glued, gluedFlush := parsertest.Feed(t, qwen.New(), [][]byte{bytes.Join(lines, nil)})
		require.Equal(t, want, append([]string(nil), glued[0]...))
		require.Equal(t, flushed, gluedFlush)
	})
}
