package openai_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
)

// numbered gives every call its own ID, and a result the ID of the last unanswered call with its ID: in this format the
// same ID twice means two calls, and so does the same call in two bodies.
type numbered struct {
	calls   int
	waiting map[string]string
}

func (n *numbered) rename(all []events.DisplayEvent) []events.DisplayEvent {
	if n.waiting == nil {
		n.waiting = map[string]string{}
	}
	for i := range all {
		t := &all[i].Tool
		switch all[i].Kind {
		case events.KindToolUse:
			n.calls++
			unique := t.ID + "~" + strconv.Itoa(n.calls)
			n.waiting[t.ID], t.ID = unique, unique
		case events.KindToolResult:
			if unique, ok := n.waiting[t.ID]; ok {
				delete(n.waiting, t.ID)
				t.ID = unique
			}
		}
	}
	return all
}

// FuzzParse checks, for any bytes split at newlines:
//   - no panic, whatever state earlier lines left behind
//   - at most one ToolResult for a call
//   - previews of at most 40 runes, summaries of at most 120, no control characters in either
//   - all strings are valid UTF-8, and none holds an escape character that the input lacks
//   - a line that is one whole object does not count as malformed, unless it shows that held data was torn
//   - IDs of calls are never empty
func FuzzParse(f *testing.F) {
	parsertest.AddFixtures(f, folder)
	f.Fuzz(func(t *testing.T, data []byte) {
		p := newSource()
		var c parsertest.Checker
		var n numbered
		hasESC := parsertest.HasESC(data) // pieces are emitted later
		held := false
		check := func(out []events.DisplayEvent) {
			for i := range out {
				require.True(t, out[i].Kind != events.KindToolUse || out[i].Tool.ID != "")
			}
			c.Check(t, n.rename(out), hasESC)
		}
		for _, line := range bytes.Split(data, []byte("\n")) {
			check(p.ParseEvents(line))
			trimmed := bytes.Trim(line, " \t\r")
			if json.Valid(trimmed) && trimmed[0] == '{' && !held {
				require.NotEqual(t, events.LineMalformed, p.LineStatus(), "%s", line)
			}
			held = bytes.Contains(line, []byte("data")) || held && len(trimmed) > 0
		}
		check(p.Flush())
	})
}

// FuzzSplit checks that missing newlines lose nothing: bodies on one line yield the same events as on separate
// lines.
func FuzzSplit(f *testing.F) {
	parsertest.AddFixtures(f, folder)
	f.Fuzz(func(t *testing.T, data []byte) {
		lines := parsertest.Objects(data)
		want := dump(lines...)
		require.Equal(t, want, dump(bytes.Join(lines, nil)))
	})
}

// FuzzFrames checks that it does not matter how an event is split into lines of data: one line, or one for each line of
// the same JSON with indentation.
func FuzzFrames(f *testing.F) {
	for _, file := range parsertest.Fixtures(f, folder) {
		for _, line := range parsertest.Lines(f, file) {
			f.Add(bytes.TrimPrefix(bytes.Trim(line, " \t\r"), []byte("data: ")))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var one, many [][]byte
		for _, object := range parsertest.Objects(data) {
			var compact, indented bytes.Buffer
			require.NoError(t, json.Compact(&compact, object))
			require.NoError(t, json.Indent(&indented, object, "", " "))
			one = append(one, append([]byte("data: "), compact.Bytes()...), nil)
			for _, line := range bytes.Split(indented.Bytes(), []byte("\n")) {
				many = append(many, append([]byte("data: "), line...))
			}
			many = append(many, nil)
		}
		require.Equal(t, dump(one...), dump(many...))
	})
}

// dump returns the events of lines without their JSON, whose blanks may differ.
func dump(lines ...[]byte) []string {
	p := newSource()
	all := []string{}
	add := func(out []events.DisplayEvent) {
		for i := range out {
			out[i].Tool.Input = nil
			if end := out[i].End; end != nil && json.Valid([]byte(end.Err)) {
				end.Err = ""
			}
			all = append(all, parsertest.Dump(&out[i]))
		}
	}
	for _, line := range lines {
		add(p.ParseEvents(line))
	}
	add(p.Flush())
	return all
}

// FuzzDroppedInput checks that a call has the same target if its arguments are dropped, whatever they are.
func FuzzDroppedInput(f *testing.F) {
	for _, args := range []string{
		`{"path": "a\\\"b", "content": "x\n"}`, "{\"x\":\"\n*** Add File: y\n\"}", `*** Begin Patch`, `"{\"command\":\"ls\"}"`, `{"cmd":["sh","-c","é"]}`,
	} {
		for _, name := range []string{"apply_patch", "bash", "custom"} {
			f.Add(name, args)
		}
	}
	f.Fuzz(func(t *testing.T, name, args string) {
		quotedName, err := json.Marshal(name)
		require.NoError(t, err)
		quotedArgs, err := json.Marshal(args)
		require.NoError(t, err)
		line := fmt.Appendf(nil, `{"id":"a","object":"chat.completion","choices":[{"message":{"tool_calls":[{"id":"c","function":{"name":%s,"arguments":%s}}]},"finish_reason":"stop"}]}`, quotedName, quotedArgs)
		parsertest.DroppedInput(t, newSource(), newSource(), line)
	})
}
