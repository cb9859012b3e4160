package claude_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// one parses lines and returns the events of the last one.
func one(t *testing.T, lines ...string) []events.DisplayEvent {
	t.Helper()
	p := newSource()
	var out []events.DisplayEvent
	for _, line := range lines {
		require.True(t, json.Valid([]byte(line)), "the test's own line is malformed: %s", line)
		out = p.ParseEvents([]byte(line))
	}
	return out
}

func assistant(uuid, message, block string) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"role":"assistant","model":"m","content":[%s]},"session_id":"s","uuid":%q}`, message, block, uuid)
}

func user(uuid, blocks, rest string) string {
	return fmt.Sprintf(`{"type":"user","message":{"role":"user","content":[%s]},"session_id":"s","uuid":%q%s}`, blocks, uuid, rest)
}

func TestLineStatus(t *testing.T) {
	for _, tc := range []struct {
		name, line string
		status     events.LineStatus
		unknown    string
	}{
		{name: "blank", line: " \t\r", status: events.LineIgnored},
		{name: "only NULs", line: "\x00\x00", status: events.LineIgnored},
		{name: "words", line: "npm warn deprecated", status: events.LineMalformed},
		{name: "torn", line: `{"type":"assistant","message":{"id":"m`, status: events.LineMalformed},
		{name: "number", line: "42", status: events.LineMalformed},
		{name: "null", line: "null", status: events.LineMalformed},
		{name: "array of nothing", line: "[]", status: events.LineMalformed},
		{name: "array of numbers", line: "[1,2]", status: events.LineMalformed},
		{name: "words behind an object", line: `{"type":"mode"} and more`, status: events.LineMalformed},
		{name: "bookkeeping", line: `{"type":"last-prompt"}`, status: events.LineIgnored},
		{name: "quiet subtype", line: `{"type":"system","subtype":"thinking_tokens"}`, status: events.LineIgnored},
		{name: "no type", line: `{}`, status: events.LineUnknownType, unknown: "(none)"},
		{name: "type of another type", line: `{"type":5}`, status: events.LineUnknownType, unknown: "(none)"},
		{name: "unknown type", line: `{"type":"hologram\u001b[31m"}`, status: events.LineUnknownType, unknown: `hologram\u001b[31m`},
		{name: "unknown subtype", line: `{"type":"system","subtype":"new"}`, status: events.LineUnknownType, unknown: "system/new"},
		{name: "nulls", line: `{"type":"assistant","message":null,"uuid":null,"session_id":null}`, status: events.LineOK},
		{name: "null content", line: `{"type":"user","message":{"role":"user","content":null}}`, status: events.LineOK},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newSource()
			assert.Empty(t, p.ParseEvents([]byte(tc.line)))
			assert.Equal(t, tc.status, p.LineStatus())
			if tc.unknown != "" {
				var want string
				require.NoError(t, json.Unmarshal([]byte(`"`+tc.unknown+`"`), &want))
				assert.Equal(t, events.CleanLine(want, 0), p.UnknownType())
			}
		})
	}
}

func TestDecoratedLines(t *testing.T) {
	line := assistant("u", "msg_1", `{"type":"text","text":"hi"}`)
	for name, decorated := range map[string]string{
		"byte order mark": "\xef\xbb\xbf" + line, "carriage return": line + "\r", "NULs before": "\x00\x00\x00" + line,
		"NULs behind": line + "\x00", "blanks": "  " + line + "  ", "in an array": "[" + line + "]",
		"escape sequences before": "\x1b]0;title\x07\x1b[?25h" + line, "record separator": "\x1e" + line, "escape sequence behind": line + "\x1b[0m",
	} {
		p := newSource()
		out := p.ParseEvents([]byte(decorated))
		if assert.Len(t, out, 1, name) {
			assert.Equal(t, "hi", out[0].Text, name)
		}
		assert.Equal(t, events.LineOK, p.LineStatus(), name)
	}
}

func TestGluedLinesKeepWhatIsWhole(t *testing.T) {
	p := newSource()
	whole := assistant("u", "msg_1", `{"type":"text","text":"whole"}`)
	out := p.ParseEvents([]byte(whole + whole[:40]))
	require.Len(t, out, 1)
	assert.Equal(t, "whole", out[0].Text)
	assert.Equal(t, events.LineMalformed, p.LineStatus())
}

func TestCalls(t *testing.T) {
	use := `{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"a"}}`
	other := `{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"b"}}`
	escaped := `{"type":"tool_use","id":"\u0074\u0031","name":"\u0052ead","input":{"file_path":"a"}}`
	result := `{"type":"tool_result","tool_use_id":"t1","content":"x"}`
	said := `{"type":"text","text":"Go."}`
	for _, tc := range []struct {
		name  string
		lines []string
		last  int // events of the last line
	}{
		{"first", []string{assistant("1", "m1", use)}, 1},
		{"repeat while open", []string{assistant("1", "m1", use), assistant("2", "m2", use)}, 0},
		{"other body while open", []string{assistant("1", "m1", use), assistant("2", "m1", other)}, 1},
		{"repeat of an answered call in its message", []string{assistant("1", "m1", use), user("2", result, ""), assistant("3", "m1", use)}, 0},
		{"the id again after its answer", []string{assistant("1", "m1", use), user("2", result, ""), assistant("3", "m2", use)}, 1},
		{"second answer", []string{assistant("1", "m1", use), user("2", result, ""), user("3", result, "")}, 0},
		{"answer to the second call", []string{assistant("1", "m1", use), user("2", result, ""), assistant("3", "m2", use), user("4", result, "")}, 1},
		{"answer before its call", []string{user("1", result, "")}, 1},
		{"call after its answer", []string{user("1", result, ""), assistant("2", "m1", use)}, 1},
		{"answer again after an early one", []string{user("1", result, ""), assistant("2", "m1", use), user("3", result, "")}, 0},
		{"the same line again", []string{user("1", said, ""), user("1", said, "")}, 0},
		{"another line under its uuid", []string{assistant("1", "m1", use), assistant("1", "m2", other)}, 1},
		{"two in one line", []string{assistant("1", "m1", use+","+use)}, 1},
		{"its id spelled with an escape", []string{assistant("1", "m1", use), assistant("2", "m1", escaped)}, 0},
		{"its uuid encoded with an escape", []string{user("1", said, ""), strings.Replace(user("1", said, ""), `"uuid":"1"`, `"uuid":"\u0031"`, 1)}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) { assert.Len(t, one(t, tc.lines...), tc.last) })
	}
}

func TestTexts(t *testing.T) {
	hi := `{"type":"text","text":"hi"}`
	assert.Empty(t, one(t, assistant("1", "m1", hi), assistant("2", "m1", hi)), "the same text of the same message")
	assert.Len(t, one(t, assistant("1", "m1", hi), assistant("2", "m2", hi)), 1, "another message says the same")
	assert.Len(t, one(t, assistant("1", "m1", hi+","+hi)), 2, "two equal blocks")
	assert.Empty(t, one(t, assistant("1", "m1", `{"type":"text","text":" \n\t\u00a0"}`)), "white space")
	assert.Empty(t, one(t, assistant("1", "m1", `{"type":"text","text":null},{"type":"text"},{"type":"hologram"},7`)))
	assert.Equal(t, "\x1b[1m\u0000\r\n", one(t, assistant("1", "m1", `{"type":"text","text":"\u001b[1m\u0000\r\n"}`))[0].Text, "byte for byte")
}

func TestSyntheticModel(t *testing.T) {
	e := one(t, strings.Replace(assistant("1", "m1", `{"type":"text","text":"API Error"}`), `"model":"m"`, `"model":"<synthetic>"`, 1))[0]
	assert.True(t, e.Synthetic)
	assert.Empty(t, e.Model)
}

func TestToolResult(t *testing.T) {
	block := func(content, more string) string {
		return `{"type":"tool_result","tool_use_id":"t1","content":` + content + more + `}`
	}
	for _, tc := range []struct {
		name, blocks, rest string
		want               events.Tool
	}{
		{"exit code", block(`"Exit code 3\npartial"`, `,"is_error":true`), "",
			events.Tool{Error: true, Err: "Exit code 3\npartial", ExitCode: 3, HasExitCode: true, Summary: "Exit code 3", Output: []byte("Exit code 3\npartial")}},
		{"exit code of a success is no code", block(`"Exit code 3"`, ""), "", events.Tool{Summary: "Exit code 3", Output: []byte("Exit code 3")}},
		{"wrapper", block(`"<tool_use_error>no such tool</tool_use_error>"`, `,"is_error":true`), "",
			events.Tool{Error: true, Err: "no such tool", Summary: "no such tool", Output: []byte("<tool_use_error>no such tool</tool_use_error>")}},
		{"array with an image", block(`[{"type":"text","text":"a"},{"type":"image","source":{"data":"AAAA"}},{"text":"b","type":"text"}]`, ""), "",
			events.Tool{Summary: "a", Output: []byte("a\nb")}},
		{"null", block(`null`, ""), "", events.Tool{}},
		{"blank lines first", block(`"\n \r\n\u001b[0m\n  said  \nmore"`, ""), "", events.Tool{Summary: "said", Output: []byte("\n \r\n\x1b[0m\n  said  \nmore")}},
		{"lines of a file", block(`""`, ""), `,"tool_use_result":{"file":{"numLines":16,"truncatedByTokenCap":true}}`, events.Tool{Lines: 16, HasLines: true, Truncated: true}},
		{"denied", block(`"no"`, `,"is_error":true`), `,"tool_result_meta":[{"id":"t0"},{"id":"t1","non_execution_kind":"user-rejected"}]`,
			events.Tool{Error: true, Err: "no", Denied: true, Summary: "no", Output: []byte("no")}},
		{"another call was denied", block(`"ok"`, ""), `,"tool_result_meta":[{"id":"t0","non_execution_kind":"user-rejected"}]`, events.Tool{Summary: "ok", Output: []byte("ok")}},
		{"in the background", block(`"ok"`, ""), `,"tool_use_result":{"backgroundTaskId":"b1"}`, events.Tool{State: events.ToolStateBackground, Summary: "ok", Output: []byte("ok")}},
		{"duration", block(`"ok"`, ""), `,"tool_use_result":{"totalDurationMs":1500,"persistedOutputPath":"/x"}`,
			events.Tool{Duration: 1500 * time.Millisecond, Truncated: true, Summary: "ok", Output: []byte("ok")}},
		{"words beside", block(`"ok"`, ""), `,"tool_use_result":"Error: no"`, events.Tool{Summary: "ok", Output: []byte("ok")}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out := one(t, user("1", tc.blocks, tc.rest))
			require.Len(t, out, 1)
			tc.want.ID, tc.want.Size = "t1", len(tc.want.Output)
			if tc.want.Output == nil {
				tc.want.Output = []byte{}
			}
			if out[0].Tool.Output == nil {
				out[0].Tool.Output = []byte{}
			}
			assert.Equal(t, tc.want, out[0].Tool)
		})
	}
}

func TestServer(t *testing.T) {
	for name, want := range map[string]string{"mcp__warehouse__lookup": "warehouse", "mcp__my_ware__look__up": "my_ware", "mcp__odd": "", "Read": ""} {
		e := one(t, assistant("1", "m1", `{"type":"tool_use","id":"t","name":"`+name+`","input":{}}`))[0]
		assert.Equal(t, want, e.Tool.Server, name)
		assert.Equal(t, name, e.Tool.Name)
	}
	reported := strings.TrimSuffix(assistant("1", "m1", `{"type":"tool_use","id":"t","name":"mcp__a__b","input":{}}`), "}") +
		`,"tool_use_meta":[{"id":"t","server_display_name":"The A"}]}`
	assert.Equal(t, "The A", one(t, reported)[0].Tool.Server)
}

func TestTarget(t *testing.T) {
	for _, tc := range []struct{ name, input, want string }{
		{"Read", `{"path":"a","file_path":"b"}`, "b"},
		{"Read", `{"path":"a"}`, ""},
		{"Bash", `{"command":["ls"]}`, ""},
		{"TodoWrite", `{"todos":[{"content":"x","status":"pending"},{"status":"in_progress","content":"y"}]}`, "y"},
		{"TodoWrite", `{"todos":"none"}`, ""},
		{"TaskUpdate", `{"taskId":"1","description":"d"}`, ""},
		{"Workflow", `{"script":"s"}`, "s"},
		{"Custom", `{"path":null,"command":"","prompt":"p"}`, "p"},
		{"Custom", `{"other":"o"}`, ""},
		{"Custom", `null`, ""},
		{"Custom", `{"pa\u0074h":"escaped keys are not ours","name":"n"}`, "n"},
	} {
		e := one(t, assistant("1", "m1", fmt.Sprintf(`{"type":"tool_use","id":"t","name":%q,"input":%s}`, tc.name, tc.input)))[0]
		assert.Equal(t, tc.want, e.Tool.Target, "%s %s", tc.name, tc.input)
	}
}

func TestHeartbeatNestsNothing(t *testing.T) {
	e := one(t, `{"type":"tool_progress","tool_use_id":"t1-heartbeat-0","tool_name":"Bash","parent_tool_use_id":"t1","elapsed_time_seconds":30,"heartbeat":true}`)[0]
	assert.Equal(t, "t1", e.Tool.ID)
	assert.Empty(t, e.ParentID)
	assert.Equal(t, 30*time.Second, e.Tool.Duration)
	e = one(t, `{"type":"tool_progress","tool_use_id":"t2","tool_name":"Bash","parent_tool_use_id":"t1","elapsed_time_seconds":3}`)[0]
	assert.Equal(t, "t2", e.Tool.ID, "progress that is no heartbeat names its call")
}

func TestResult(t *testing.T) {
	for _, tc := range []struct {
		name, line string
		want       events.End
	}{
		{"success", `{"type":"result","subtype":"success","is_error":false,"result":"ok","num_turns":2,"duration_ms":1500}`,
			events.End{Code: "success", Result: "ok", Turns: 2, Duration: 1500 * time.Millisecond}},
		{"success that failed", `{"type":"result","subtype":"success","is_error":true,"result":"API Error: 400"}`,
			events.End{Error: true, Cause: events.CauseInvalidRequest, Code: "success", Result: "API Error: 400", Err: "API Error: 400"}},
		{"errors", `{"type":"result","subtype":"error_max_turns","errors":["one","two"]}`, events.End{Error: true, Cause: events.CauseMaxTurns, Code: "error_max_turns", Err: "one\ntwo"}},
		{"no words", `{"type":"result","subtype":"error_max_turns"}`, events.End{Error: true, Cause: events.CauseMaxTurns, Code: "error_max_turns", Err: "error_max_turns"}},
		{"aborted", `{"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_tools"}`,
			events.End{Error: true, Interrupted: true, Code: "error_during_execution", Err: "error_during_execution"}},
		{"structured", `{"type":"result","subtype":"success","result":"","structured_output":{"n":1}}`, events.End{Code: "success", Result: `{"n":1}`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out := one(t, tc.line)
			require.Len(t, out, 1)
			assert.Equal(t, &tc.want, out[0].End)
		})
	}
}

func TestInterruptedWithoutAReason(t *testing.T) {
	out := one(t, user("1", `{"type":"text","text":"[Request interrupted by user]"}`, ""), `{"type":"result","subtype":"error_during_execution","is_error":true}`)
	require.Len(t, out, 1)
	assert.True(t, out[0].End.Interrupted, "versions before 2.1 report no terminal_reason")
}

func TestDeltas(t *testing.T) {
	start := `{"type":"stream_event","event":{"type":"message_start","message":{"id":"m1","model":"m"}},"session_id":"s"}`
	piece := func(index int, text string) string {
		return fmt.Sprintf(`{"type":"stream_event","event":{"type":"content_block_delta","index":%d,"delta":{"type":"text_delta","text":%q}},"session_id":"s"}`, index, text)
	}
	p := newSource()
	feed := func(lines ...string) (out []string) {
		for _, line := range lines {
			for _, e := range p.ParseEvents([]byte(line)) {
				out = append(out, e.Text)
			}
		}
		return out
	}
	assert.Empty(t, feed(start, piece(0, "a"), piece(0, "b"), piece(1, "c"), piece(1, "d")))
	assert.Equal(t, []string{"ab"}, feed(assistant("1", "m1", `{"type":"text","text":"ab"}`)), "the whole text decides")
	flushed := p.Flush()
	require.Len(t, flushed, 1)
	assert.Equal(t, "cd", flushed[0].Text, "what never came whole comes joined")
	assert.Equal(t, "m1", flushed[0].MessageID)
	assert.Equal(t, "m", flushed[0].Model)
	assert.Equal(t, "s", flushed[0].SessionID)
	assert.Empty(t, p.Flush(), "once")
}

func TestDeltasAreBounded(t *testing.T) {
	p := newSource()
	for i := range 300 {
		p.ParseEvents(fmt.Appendf(nil, `{"type":"stream_event","event":{"type":"content_block_delta","index":%d,"delta":{"type":"text_delta","text":"x"}}}`, i))
	}
	assert.Len(t, p.Flush(), 256)
	assert.Equal(t, 44, p.State().Dropped)
}

func TestIncomplete(t *testing.T) {
	p := newSource()
	assert.False(t, p.State().Incomplete)
	p.ParseEvents([]byte(assistant("1", "m1", `{"type":"text","text":"a"}`)))
	assert.True(t, p.State().Incomplete)
	p.ParseEvents([]byte(`{"type":"result","subtype":"success"}`))
	assert.False(t, p.State().Incomplete)
	p.ParseEvents([]byte(`{"type":"assistant","sessionId":"s","message":{"content":[]}}`))
	assert.False(t, p.State().Incomplete, "a transcript promises no end")
}
