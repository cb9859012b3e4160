package gemini_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/parser/gemini"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
)

// FuzzParse checks, for any bytes, split at newlines and as one document:
//   - no panic, whatever state earlier lines left behind
//   - one ToolUse for an open call, at most one ToolResult for a call
//   - previews of at most 40 runes, summaries of at most 120, no control characters in either
//   - all strings are valid UTF-8, and none holds an escape character that the input lacks
//   - a line that encoding/json rejects counts as malformed, and no other line that is one object does
func FuzzParse(f *testing.F) {
	parsertest.AddFixtures(f, gemini.Name)
	f.Fuzz(func(t *testing.T, data []byte) {
		parsertest.Parse(t, newSource(), data)
		var c parsertest.Checker
		c.Check(t, newSource().ParseEvents(data), parsertest.HasESC(data))
	})
}

// FuzzSplit checks that missing newlines lose nothing: objects on one line yield the same events as on separate
// lines.
func FuzzSplit(f *testing.F) {
	parsertest.AddFixtures(f, gemini.Name)
	f.Fuzz(func(t *testing.T, data []byte) {
		parsertest.Split(t, newSource, data)
	})
}

// FuzzRewritten checks that a document that is parsed again yields nothing new, and that a truncated one, which a
// reader may see while it is rewritten, yields nothing and does no harm.
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
		trimmed := bytes.Trim(document, " \t\r\n")
		whole, _ := parsertest.Feed(t, newSource(), [][]byte{trimmed})
		half := trimmed[:cut%uint(len(trimmed))]
		states, _ := parsertest.Feed(t, newSource(), [][]byte{half, trimmed, half, trimmed})
		require.Equal(t, [][]string{{}, whole[0], {}, {}}, states)
	})
}
