package gemini_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/gemini"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
)

// addFixtures makes seeds of the first lines of each fixture, and of its documents.
func addFixtures(f *testing.F) {
	for _, file := range parsertest.Fixtures(f, gemini.Name) {
		lines := parsertest.Lines(f, file)
		f.Add(bytes.Join(lines[:min(len(lines), 12)], []byte("\n")))
	}
}

// FuzzParse holds, for any bytes, split at newlines and as one document:
//   - no panic, whatever state earlier lines left behind
//   - one ToolUse for an open call, at most one ToolResult for a call
//   - previews of at most 40 runes, summaries of at most 120, no control characters in either
//   - all strings are valid UTF-8, and none holds an escape character that the input lacks
//   - a line that encoding/json refuses counts as malformed, and no other line that is one object does
func FuzzParse(f *testing.F) {
	addFixtures(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		hasESC := parsertest.HasESC(data) // white space that begins a text comes out later
		for _, lines := range [][][]byte{bytes.Split(data, []byte("\n")), {data}} {
			p := gemini.New()
			var c parsertest.Checker
			for _, line := range lines {
				c.Check(t, p.ParseEvents(line), hasESC)
				trimmed := bytes.Trim(line, " \t\r\n\x00")
				switch {
				case len(trimmed) == 0:
					require.Equal(t, events.LineIgnored, p.LineStatus())
				case json.Valid(trimmed) && trimmed[0] == '{':
					require.NotEqual(t, events.LineMalformed, p.LineStatus(), "%s", line)
				}
			}
		}
	})
}

// FuzzSplit holds that lost newlines lose nothing: objects that stand on one line give the same events as on lines of
// their own.
func FuzzSplit(f *testing.F) {
	addFixtures(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var lines [][]byte
		for _, line := range bytes.Split(data, []byte("\n")) {
			if trimmed := bytes.TrimSpace(line); json.Valid(trimmed) && trimmed[0] == '{' {
				lines = append(lines, trimmed)
			}
		}
		perLine, _ := parsertest.Feed(t, gemini.New(), lines)
		var want []string
		for _, line := range perLine {
			want = append(want, line...)
		}
		glued, _ := parsertest.Feed(t, gemini.New(), [][]byte{bytes.Join(lines, nil)})
		require.Equal(t, want, append([]string(nil), glued[0]...))
	})
}

// FuzzRewritten holds that a document which is given again tells nothing again, and that a cut one, which a reader may
// meet while it is rewritten, tells nothing and harms nothing.
func FuzzRewritten(f *testing.F) {
	for _, file := range parsertest.Fixtures(f, gemini.Name) {
		if lines := parsertest.Lines(f, file); len(lines) == 1 {
			f.Add(lines[0], uint(len(lines[0])/2))
		}
	}
	f.Fuzz(func(t *testing.T, document []byte, cut uint) {
		var head struct {
			SessionID   *string           `json:"sessionId"`
			ProjectHash *string           `json:"projectHash"`
			ID          json.RawMessage   `json:"id"`
			Set         json.RawMessage   `json:"$set"`
			Rewind      json.RawMessage   `json:"$rewindTo"`
			Messages    []json.RawMessage `json:"messages"`
		}
		if json.Unmarshal(document, &head) != nil || head.SessionID == nil || head.ProjectHash == nil ||
			head.ID != nil || head.Set != nil || head.Rewind != nil {
			t.Skip("no document")
		}
		trimmed := bytes.TrimSpace(document)
		whole, _ := parsertest.Feed(t, gemini.New(), [][]byte{trimmed})
		half := trimmed[:cut%uint(len(trimmed))]
		states, _ := parsertest.Feed(t, gemini.New(), [][]byte{half, trimmed, half, trimmed})
		require.Equal(t, [][]string{{}, whole[0], {}, {}}, states)
	})
}
