package opencode_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
	"github.com/tailspan/tailspan/parser/opencode"
)

// seeds adds the beginnings of all fixtures: whole ones are too long for the fuzzer.
func seeds(f *testing.F) {
	f.Helper()
	for _, file := range parsertest.Fixtures(f, opencode.Name) {
		lines := parsertest.Lines(f, file)
		if len(lines) == 1 { // a document on one line
			lines[0] = bytes.ReplaceAll(lines[0], []byte("\n"), nil)
		}
		f.Add(parsertest.SeedOf(lines[:min(len(lines), 12)]))
	}
}

// FuzzParse checks, for any bytes split at newlines:
//   - no panic, whatever state earlier lines left behind
//   - one ToolUse for an open call, at most one ToolResult for a call
//   - previews of at most 40 runes, summaries of at most 120, no control characters in either
//   - all strings are valid UTF-8, and none holds an escape character that the input lacks
//   - a line that is one object for encoding/json counts as malformed only if a column is not one
//   - Flush returns pending events once
func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		p := newSource()
		var c parsertest.Checker
		hasESC := hasESC(data)
		for _, line := range bytes.Split(data, []byte("\n")) {
			c.Check(t, p.ParseEvents(line), hasESC)
			trimmed := bytes.Trim(line, " \t\r")
			switch {
			case len(trimmed) == 0:
				require.Equal(t, events.LineIgnored, p.LineStatus())
			case json.Valid(trimmed) && trimmed[0] == '{' && !bytes.Contains(trimmed, []byte("table")):
				require.NotEqual(t, events.LineMalformed, p.LineStatus(), "%s", line)
			}
		}
		c.Check(t, p.Flush(), hasESC)
		require.Empty(t, p.Flush())
	})
}

// hasESC reports whether data may contain an escape character: raw, or escaped any number of times, as in columns.
func hasESC(data []byte) bool {
	return parsertest.HasESC(data) || bytes.Contains(bytes.ToLower(data), []byte("u001b"))
}

// FuzzSplit checks that missing newlines lose nothing: objects on one line yield the same events as on separate
// lines.
func FuzzSplit(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		lines := parsertest.Objects(data)
		whole, glued := newSource(), newSource()
		var want []string
		for _, line := range lines {
			want = append(want, parsertest.DumpAll(whole.ParseEvents(line))...)
		}
		got := parsertest.DumpAll(glued.ParseEvents(bytes.Join(lines, nil)))
		require.Equal(t, want, append([]string(nil), got...))
		require.Equal(t, parsertest.DumpAll(whole.Flush()), parsertest.DumpAll(glued.Flush()))
	})
}

// FuzzColumns checks that a row yields the same whether its column data is text, as in the database, or the object itself.
func FuzzColumns(f *testing.F) {
	for _, file := range []string{"parity.session.jsonl", "parity.log.jsonl", "subagent.session.jsonl", "case-message-without-steps.session.jsonl"} {
		for _, line := range fixture(f, file, false) {
			var row struct{ Table, Data string }
			require.NoError(f, json.Unmarshal(line, &row))
			f.Add(row.Table, []byte(row.Data))
		}
	}
	f.Fuzz(func(t *testing.T, table string, data []byte) {
		if !json.Valid(data) || !utf8.Valid(data) { // encoding/json treats invalid UTF-8 differently
			return
		}
		head, err := json.Marshal(map[string]string{"table": table, "id": "x_1", "session_id": "ses_1", "message_id": "msg_1", "type": "message.part.updated.1"})
		require.NoError(t, err)
		text, err := json.Marshal(string(data))
		require.NoError(t, err)
		head = append(head[:len(head)-1], `,"data":`...)
		object := bytes.Join([][]byte{head, data, []byte("}")}, nil)
		asText := bytes.Join([][]byte{head, text, []byte("}")}, nil)
		require.Equal(t, parsertest.DumpAll(newSource().ParseEvents(object)), parsertest.DumpAll(newSource().ParseEvents(asText)))
	})
}
