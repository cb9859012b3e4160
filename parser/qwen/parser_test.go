package qwen_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
	"github.com/tailspan/tailspan/parser/qwen"
)

// parse parses lines and returns the events of the last one.
func parse(lines ...string) (*parsertest.Source, []events.DisplayEvent) {
	p := newSource()
	var out []events.DisplayEvent
	for _, line := range lines {
		out = p.ParseEvents([]byte(line))
	}
	return p, out
}

func assistant(uuid, blocks string) string {
	return fmt.Sprintf(`{"type":"assistant","uuid":%q,"session_id":"s","parent_tool_use_id":null,"message":{"id":%q,"role":"assistant","model":"m","content":[%s],"usage":{"input_tokens":0,"output_tokens":0}}}`, uuid, uuid, blocks)
}

func result(uuid, id, content string, isError bool) string {
	return fmt.Sprintf(`{"type":"user","uuid":%q,"session_id":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"is_error":%v,"content":%s}]}}`, uuid, id, isError, content)
}

func row(uuid, kind, rest string) string {
	return fmt.Sprintf(`{"uuid":%q,"sessionId":"s","timestamp":"2026-11-27T21:00:00.000Z","type":%q,"version":"0.15.10","cwd":"/w","gitBranch":"main",%s}`, uuid, kind, rest)
}

func telemetry(uuid, name, rest string) string {
	return row(uuid, "system", fmt.Sprintf(`"subtype":"ui_telemetry","systemPayload":{"uiEvent":{"event.name":"qwen-code.%s",%s}}`, name, rest))
}

func kinds(all []events.DisplayEvent) string {
	var names []string
	for _, e := range all {
		names = append(names, e.Kind.String())
	}
	return strings.Join(names, " ")
}

const (
	call   = `{"type":"tool_use","id":"c","name":"read_file","input":{"file_path":"a"}}`
	other  = `{"type":"tool_use","id":"c","name":"read_file","input":{"file_path":"b"}}`
	finish = `{"type":"result","subtype":"success","uuid":"r","session_id":"s","is_error":false,"num_turns":2,"duration_ms":1500,"result":"x","usage":{"input_tokens":5,"output_tokens":6,"cache_read_input_tokens":4}}`
)

func TestCalls(t *testing.T) {
	ok := result("r1", "c", `"x"`, false)
	for _, tc := range []struct {
		name  string
		lines []string
		want  string // of the last line
	}{
		{"a call", []string{assistant("a", call)}, "tool_use"},
		{"an open call again", []string{assistant("a", call), assistant("b", call)}, ""},
		{"another call under an open id", []string{assistant("a", call), assistant("b", other)}, "tool_use"},
		{"an answered id again", []string{assistant("a", call), ok, assistant("b", call)}, "tool_use"},
		{"its result too", []string{assistant("a", call), ok, assistant("b", call), result("r2", "c", `"y"`, false)}, "tool_result"},
		{"a second result", []string{assistant("a", call), ok, result("r2", "c", `"y"`, true)}, ""},
		{"a result without a call", []string{ok}, "tool_result"},
		{"a call behind its result", []string{ok, assistant("a", call)}, "tool_use"},
		{"a line again", []string{assistant("a", call), assistant("a", other)}, ""},
		{"all calls of a line", []string{assistant("a", call+`,`+other+`,{"type":"text","text":"t"}`)}, "tool_use tool_use text"},
		{"a child's line", []string{strings.Replace(assistant("a", call), `"parent_tool_use_id":null`, `"parent_tool_use_id":"p"`, 1)}, "tool_use"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, out := parse(tc.lines...)
			assert.Equal(t, tc.want, kinds(out))
			if strings.Contains(tc.name, "child") {
				assert.Equal(t, "p", out[0].ParentID)
			}
		})
	}
}

func TestResultEnds(t *testing.T) {
	p, out := parse(assistant("a", `{"type":"text","text":"done"}`), finish)
	require.Equal(t, "usage session_end", kinds(out))
	assert.Equal(t, events.UsageScopeSession, out[0].Usage.Scope)
	assert.Equal(t, events.Tokens{Input: 5, Output: 6, CacheRead: 4}, out[0].Usage.Tokens)
	assert.Equal(t, &events.End{Code: "success", Result: "x", Turns: 2, Duration: 1500 * time.Millisecond}, out[1].End)
	assert.False(t, p.State().Incomplete)

	for _, tc := range []struct{ name, text, line, code, err string }{
		{"a refused key", "[API Error: 401 no]", finish, "api_error", "x"},
		{"is_error", "t", strings.Replace(finish, `"is_error":false`, `"is_error":true,"error":{"message":"boom"}`, 1), "success", "boom"},
		{"subtype", "t", strings.Replace(strings.Replace(finish, `"success"`, `"error_max_turns"`, 1), `"result":"x"`, `"error":{"message":"boom"}`, 1), "error_max_turns", "boom"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, out := parse(assistant("a", fmt.Sprintf(`{"type":"text","text":%q}`, tc.text)), tc.line)
			end := out[len(out)-1].End
			assert.True(t, end.Error)
			assert.Equal(t, tc.code, end.Code)
			assert.Equal(t, tc.err, end.Err)
		})
	}

	_, out = parse(strings.Replace(finish, `"result":"x"`, `"result":"{}","structured_result":{"a":1}`, 1))
	assert.Equal(t, `{"a":1}`, out[len(out)-1].End.Result)
}

func TestIncomplete(t *testing.T) {
	p, _ := parse(assistant("a", `{"type":"text","text":"t"}`))
	assert.True(t, p.State().Incomplete, "a stream without its result")
	p, _ = parse(row("a", "assistant", `"message":{"role":"model","parts":[{"text":"t"}]}`))
	assert.False(t, p.State().Incomplete, "a transcript has none")
}

func TestPieces(t *testing.T) {
	event := func(uuid, e string) string {
		return fmt.Sprintf(`{"type":"stream_event","uuid":%q,"session_id":"s","parent_tool_use_id":null,"event":%s}`, uuid, e)
	}
	start := event("1", `{"type":"message_start","message":{"id":"msg","model":"m"}}`)
	piece := event("2", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a "}}`)
	more := event("3", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"b"}}`)
	stop := event("4", `{"type":"content_block_stop","index":0}`)
	thought := event("5", `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`)

	p, _ := parse(start, piece, more)
	out := p.Flush()
	require.Equal(t, "text", kinds(out))
	assert.Equal(t, "a b", out[0].Text)
	assert.Equal(t, "msg", out[0].MessageID)
	assert.Empty(t, p.Flush(), "pending once")

	p, out = parse(start, piece, more, stop, assistant("msg", `{"type":"text","text":"a b"}`))
	assert.Equal(t, "text", kinds(out))
	assert.Empty(t, p.Flush(), "the whole came")

	p, _ = parse(start, thought, stop, assistant("x", `{"type":"thinking","thinking":"hm"}`), piece, strings.Replace(stop, `"4"`, `"8"`, 1), event("6", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"c"}}`))
	texts := []string{}
	for _, e := range p.Flush() {
		texts = append(texts, e.Text)
	}
	assert.Equal(t, []string{"a ", "c"}, texts, "a block that ended is another text than the next one of its place")

	_, out = parse(assistant("a", call), event("7", `{"type":"tool_progress","tool_use_id":"c","content":{"type":"mcp_tool_progress","progress":1,"message":"half"}}`))
	require.Equal(t, "tool_progress", kinds(out))
	assert.Equal(t, "half", out[0].Text)
	assert.Equal(t, "read_file", out[0].Tool.Name)
}

func TestTranscriptResults(t *testing.T) {
	use := row("a", "assistant", `"model":"m","message":{"role":"model","parts":[{"functionCall":{"id":"c","name":"run_shell_command","args":{"command":"x"}}}]}`)
	took := telemetry("t", "tool_call", `"function_name":"run_shell_command","function_args":{"command":"x"},"duration_ms":250,"decision":"auto_accept"`)
	answer := func(response, details string) string {
		return row("r", "tool_result", `"message":{"role":"user","parts":[{"functionResponse":{"id":"c","name":"run_shell_command","response":`+response+`}}]},"toolCallResult":{"callId":"c",`+details+`}`)
	}
	frame := `{"output":"Command: x\nDirectory: (root)\nOutput: hi\nError: (none)\nExit Code: %d\nSignal: 0\nProcess Group PGID: 9"}`
	for _, tc := range []struct {
		name, line string
		want       events.Tool
	}{
		{"failed command", answer(fmt.Sprintf(frame, 7), `"status":"success","resultDisplay":"hi"`), events.Tool{Error: true, ExitCode: 7, HasExitCode: true, Summary: "hi"}},
		{"command", answer(fmt.Sprintf(frame, 0), `"status":"success","resultDisplay":""`), events.Tool{ExitCode: 0, HasExitCode: true, Summary: "Command: x"}},
		{"the words of a code in another text", answer(`{"output":"see:\nExit Code: 7\nSignal: 0"}`, `"status":"success"`), events.Tool{Summary: "see:"}},
		{"error", answer(`{"error":"no such file"}`, `"status":"error","errorType":"file_not_found"`), events.Tool{Error: true, Summary: "no such file"}},
		{"cancelled", answer(`{"output":"stopped"}`, `"status":"cancelled"`), events.Tool{Error: true, Summary: "stopped"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, out := parse(use, took, tc.line)
			require.Equal(t, "tool_result", kinds(out))
			got := out[0].Tool
			assert.Equal(t, "c", got.ID)
			assert.Equal(t, "run_shell_command", got.Name)
			assert.Equal(t, 250*time.Millisecond, got.Duration)
			assert.Equal(t, tc.want, events.Tool{Error: got.Error, ExitCode: got.ExitCode, HasExitCode: got.HasExitCode, Summary: got.Summary})
			assert.Equal(t, tc.want.Error, got.Err != "")
		})
	}
	_, out := parse(use, strings.Replace(took, "auto_accept", "reject", 1), answer(`{"error":"no"}`, `"status":"error"`))
	assert.True(t, out[0].Tool.Denied)
}

// TestTranscriptUsage checks which line provides the usage of a call: telemetry, or the message if there is none.
func TestTranscriptUsage(t *testing.T) {
	message := func(uuid string, in int) string {
		return row(uuid, "assistant", fmt.Sprintf(`"model":"m","message":{"role":"model","parts":[{"text":"t"}]},"usageMetadata":{"promptTokenCount":%d,"candidatesTokenCount":2}`, in))
	}
	response := func(uuid, id string, in int) string {
		return telemetry(uuid, "api_response", fmt.Sprintf(`"response_id":%q,"model":"m","input_token_count":%d,"output_token_count":2,"prompt_id":"p"`, id, in))
	}
	for _, tc := range []struct {
		name  string
		lines []string
		want  int64
	}{
		{"messages alone", []string{message("a", 10), message("b", 20)}, 30},
		{"telemetry before its message", []string{response("1", "x", 10), message("a", 10), response("2", "y", 20), message("b", 20)}, 30},
		{"a response again", []string{response("1", "x", 10), response("2", "x", 10), message("a", 10)}, 10},
		{"telemetry behind its message", []string{message("a", 10), response("1", "x", 10), message("b", 20), response("2", "y", 20)}, 30},
		{"telemetry of a sub-agent alone", []string{response("1", "x", 10), message("a", 10), response("2", "y", 7)}, 17},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var total events.UsageTotal
			p := newSource()
			for _, line := range tc.lines {
				for _, e := range p.ParseEvents([]byte(line)) {
					if e.Kind == events.KindUsage {
						total.Add(e.Model, e.Usage)
					}
				}
			}
			assert.Equal(t, tc.want, total.Sum().Tokens.Input)
		})
	}
	_, out := parse(response("1", "x", 10), message("a", 10))
	require.Equal(t, "session_start text", kinds(out))
	assert.Equal(t, "x", out[1].MessageID, "a message has the id of the response before it")
	_, out = parse(message("a", 10))
	assert.Equal(t, "a", out[1].MessageID, "else that of its line")
}

func TestSystemLines(t *testing.T) {
	stream := func(subtype, data string) string {
		return fmt.Sprintf(`{"type":"system","subtype":%q,"uuid":"u","session_id":"s","data":%s}`, subtype, data)
	}
	for _, tc := range []struct{ name, line, want string }{
		{"retry", stream("retry", `{"reason":"retry","attempt":2,"maxRetries":5,"delayMs":1500}`), `notice api_retry API call failed; retry 2 of 5 in 1.5s`},
		{"fallback", stream("model_fallback", `{"fromModel":"a","toModel":"b"}`), `notice model_fallback model a failed, going on with b`},
		{"compression", row("u", "system", `"subtype":"chat_compression","systemPayload":{"info":{"originalTokenCount":100,"newTokenCount":20}}`), `notice compaction conversation compacted: 100 tokens before, 20 after`},
		{"API error", telemetry("u", "api_error", `"error_message":"401 no"`), `notice api_error API call failed: 401 no`},
		{"task", stream("task_started", `{"task_id":"k","tool_use_id":"c","description":"d","subagent_type":"Explore"}`), `progress c running d`},
		{"end of a task", stream("task_notification", `{"task_id":"k","tool_use_id":"c","status":"completed","usage":{"duration_ms":5}}`), `progress c completed `},
		{"failed task", stream("task_notification", `{"task_id":"k","tool_use_id":"c","status":"failed"}`), `progress c failed `},
		{"turn", row("u", "system", `"subtype":"turn_result","systemPayload":{"promptId":"p","state":"error","startedAt":1000,"endedAt":3000,"error":{"message":"boom"}}`), `turn p error boom 2s`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, out := parse(tc.line)
			require.Len(t, out, 1)
			assert.Equal(t, events.LineOK, p.LineStatus())
			got := ""
			switch e := out[0]; e.Kind {
			case events.KindNotice:
				got = fmt.Sprintf("notice %s %s", e.Notice.Code, e.Text)
			case events.KindToolProgress:
				got = fmt.Sprintf("progress %s %s %s", e.Tool.ID, e.Tool.State, e.Text)
			case events.KindTurnDone:
				got = fmt.Sprintf("turn %s %s %s %s", e.TurnID, e.End.Code, e.End.Err, e.End.Duration)
			}
			assert.Equal(t, tc.want, got)
		})
	}
}

func TestPrompts(t *testing.T) {
	_, out := parse(row("a", "user", `"message":{"role":"user","parts":[{"text":"fix it"}]}`))
	require.Equal(t, "session_start prompt", kinds(out))
	assert.False(t, out[1].Synthetic)
	_, out = parse(row("a", "user", `"subtype":"notification","provenance":"system","message":{"role":"user","parts":[{"text":"task ended"}]}`))
	assert.True(t, out[1].Synthetic, "the program speaks in the user's name")
	_, out = parse(row("a", "user", `"subtype":"mid_turn_user_message","message":{"role":"user","parts":[{"text":"and test it"}]}`))
	assert.True(t, out[1].Synthetic, "it begins no turn")
	_, out = parse(`{"type":"system","subtype":"continue_turn_failed","session_id":"s","data":{"error":"no turn"}}`)
	require.Equal(t, "notice", kinds(out))
	assert.Equal(t, "no turn", out[0].Text)
}

func TestTargets(t *testing.T) {
	for _, tc := range []struct{ name, tool, input, want string }{
		{"known", "read_file", `{"path":"x","file_path":"a"}`, "a"},
		{"known, without its field", "read_file", `{"path":"x"}`, ""},
		{"known, field of another type", "read_file", `{"file_path":12}`, ""},
		{"unknown", "mcp__db__query", `{"query":"select"}`, "select"},
		{"todo", "todo_write", `{"todos":[{"content":"a","status":"pending"},{"content":"b","status":"in_progress"}]}`, "b"},
		{"todo, none in progress", "todo_write", `{"todos":[{"content":"a","status":"pending"}]}`, ""},
		{"no object", "glob", `"x"`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, out := parse(assistant("a", fmt.Sprintf(`{"type":"tool_use","id":"c","name":%q,"input":%s}`, tc.tool, tc.input)))
			require.Len(t, out, 1)
			assert.Equal(t, tc.want, out[0].Tool.Target)
			if tc.tool == "mcp__db__query" {
				assert.Equal(t, "db", out[0].Tool.Server)
			}
		})
	}
}

func TestLineStatus(t *testing.T) {
	for _, tc := range []struct {
		name, line string
		status     events.LineStatus
		unknown    string
	}{
		{name: "blank", line: "\x00 \r", status: events.LineIgnored},
		{name: "words", line: "npm warn", status: events.LineMalformed},
		{name: "torn", line: `{"type":"assistant"`, status: events.LineMalformed},
		{name: "empty array", line: "[]", status: events.LineMalformed},
		{name: "control", line: `{"type":"control_request","request_id":"r","request":{"subtype":"initialize"}}`, status: events.LineIgnored},
		{name: "bookkeeping", line: row("u", "system", `"subtype":"attribution_snapshot","systemPayload":{}`), status: events.LineIgnored},
		{name: "of a sub-agent's transcript", line: row("u", "system", `"subtype":"agent_bootstrap","systemPayload":{"kind":"fork"}`), status: events.LineIgnored},
		{name: "unknown", line: `{"type":"hologram"}`, status: events.LineUnknownType, unknown: "hologram"},
		{name: "unknown subtype", line: `{"type":"system","subtype":"new","session_id":"s"}`, status: events.LineUnknownType, unknown: "system/new"},
		{name: "array", line: `[` + finish + `]`, status: events.LineOK},
		{name: "two on a line", line: finish + assistant("b", ""), status: events.LineOK},
		{name: "nulls", line: `{"type":"assistant","uuid":null,"session_id":null,"message":null}`, status: events.LineOK},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, _ := parse(tc.line)
			assert.Equal(t, tc.status, p.LineStatus())
			assert.Equal(t, tc.unknown, p.UnknownType())
		})
	}
}

func TestDetection(t *testing.T) {
	parsertest.Detection(t, qwen.Name, qwen.Detect)
}
