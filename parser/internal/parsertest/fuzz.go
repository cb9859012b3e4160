package parsertest

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
)

// jsonBlanks are the blanks of JSON, which do not include form feed and vertical tab.
const jsonBlanks = " \t\r\n"

// maxSeed is the maximum size of a seed, in bytes: a target must reach a thousand executions per second.
const maxSeed = 4 << 10

// AddFixtures adds as seeds the first lines of each fixture, and a part from the middle of longer ones.
func AddFixtures(f *testing.F, provider string) {
	f.Helper()
	const head = 12
	for _, file := range Fixtures(f, provider) {
		lines := Lines(f, file)
		f.Add(SeedOf(lines[:min(len(lines), head)]))
		if len(lines) > 2*head {
			f.Add(SeedOf(append([][]byte{lines[0]}, lines[head:2*head]...)))
		}
	}
}

// SeedOf joins as many lines as fit in a seed, and at least one.
func SeedOf(lines [][]byte) []byte {
	n, size := 0, 0
	for ; n < len(lines) && (n == 0 || size+len(lines[n]) < maxSeed); n++ {
		size += len(lines[n]) + 1
	}
	return bytes.Join(lines[:n], []byte("\n"))
}

// Object returns a line without the blanks around it, and whether it is one JSON object.
func Object(line []byte) (trimmed []byte, ok bool) {
	trimmed = bytes.Trim(line, jsonBlanks)
	return trimmed, len(trimmed) > 0 && trimmed[0] == '{' && json.Valid(trimmed)
}

// Objects returns the lines of data that are one JSON object each.
func Objects(data []byte) (lines [][]byte) {
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		if trimmed, ok := Object(line); ok {
			lines = append(lines, trimmed)
		}
	}
	return lines
}

// Parse feeds any bytes to a parser, split at newlines, and checks what FuzzParse promises of every provider:
//   - no panic, whatever state earlier lines left behind
//   - one ToolUse for an open call, at most one ToolResult for a call
//   - previews of at most 40 runes, summaries of at most 120, no control characters in either
//   - all strings are valid UTF-8, and none holds an escape character that the input lacks
//   - a blank line is ignored, and no line that is one object counts as malformed
func Parse(t *testing.T, src *Source, data []byte) {
	t.Helper()
	var c Checker
	hasESC := HasESC(data) // a text may be emitted after its line
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		c.Check(t, src.ParseEvents(line), hasESC)
		if trimmed, ok := Object(line); ok {
			require.NotEqual(t, events.LineMalformed, src.LineStatus(), "%s", line)
		} else if len(trimmed) == 0 {
			require.Equal(t, events.LineIgnored, src.LineStatus())
		} else if json.Valid(trimmed) && trimmed[0] != '[' { // an array can contain all messages of a run
			require.Equal(t, events.LineMalformed, src.LineStatus(), "%s", line)
		}
	}
	c.Check(t, src.Flush(), hasESC)
	require.Empty(t, src.Flush(), "pending events are returned once")
}

// Split checks what FuzzSplit promises: missing newlines lose nothing; objects on one line yield the same
// events as on separate lines.
func Split(t *testing.T, src func() *Source, data []byte) {
	t.Helper()
	lines := Objects(data)
	perLine, flushed := Feed(t, src(), lines)
	want := []string{}
	for _, line := range perLine {
		want = append(want, line...)
	}
	glued, gluedFlush := Feed(t, src(), [][]byte{bytes.Join(lines, nil)})
	require.Equal(t, want, append([]string{}, glued[0]...))
	require.Equal(t, flushed, gluedFlush)
}
