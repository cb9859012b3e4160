package codex_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
)

// response returns a line of a rollout with a response item.
func response(item string) string {
	return `{"timestamp":"2026-03-02T12:00:00Z","type":"response_item","payload":` + item + `}`
}

func functionCall(id, name, arguments string) string {
	return response(fmt.Sprintf(`{"type":"function_call","call_id":%q,"name":%q,"arguments":%s}`, id, name, quote(arguments)))
}

func output(id, text string) string {
	return response(fmt.Sprintf(`{"type":"function_call_output","call_id":%q,"output":%s}`, id, quote(text)))
}

func completed(item, rest string) string {
	return `{"timestamp":"2026-03-02T12:00:09Z","type":"event_msg","payload":{"type":"item_completed","item":` + item + rest + `}}`
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// kinds lists the kinds of events.
func kinds(all []events.DisplayEvent) (names []string) {
	for i := range all {
		names = append(names, all[i].Kind.String())
	}
	return names
}

func TestCalls(t *testing.T) {
	use, other := functionCall("c1", "exec_command", `{"cmd":"ls"}`), functionCall("c1", "exec_command", `{"cmd":"pwd"}`)
	out := output("c1", "x")
	end := completed(`{"type":"CommandExecution","id":"c1","command":["ls"],"status":"completed","aggregated_output":"x","exit_code":0}`, "")
	running := output("c1", "Chunk ID: 1\nWall time: 0.5 seconds\nProcess running with session ID 7\nOutput:\n")
	for _, tc := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"call and output", []string{use, out}, []string{"tool_use", "tool_result"}},
		{"repeat while open", []string{use, use, out}, []string{"tool_use", "tool_result"}},
		{"other body while open", []string{use, other, out}, []string{"tool_use", "tool_use", "tool_result"}},
		{"the id again after its answer", []string{use, out, use, out}, []string{"tool_use", "tool_result", "tool_use", "tool_result"}},
		{"the item comes first", []string{use, end, out}, []string{"tool_use", "tool_result"}},
		{"the output comes first", []string{use, out, end}, []string{"tool_use", "tool_result"}},
		{"the work goes on", []string{use, running, end, end}, []string{"tool_use", "tool_result", "tool_progress"}},
		{"output without a call", []string{out}, nil},
		{"output without an id", []string{response(`{"type":"function_call_output","name":"goal_objective","output":"x"}`)}, nil},
		{"a script's call", []string{end, end}, []string{"tool_use", "tool_result"}},
		{"typed by the user", []string{completed(`{"type":"CommandExecution","id":"u1","source":"user_shell","command":["ls"],"status":"completed"}`, "")}, nil},
		{"shown is no result", []string{functionCall("c1", "view_image", `{"path":"a"}`), completed(`{"type":"ImageView","id":"c1","path":"a"}`, ""), out}, []string{"tool_use", "tool_result"}},
		{"a search under two types", []string{completed(`{"type":"WebSearch","id":"ws","query":"q"}`, ""), response(`{"type":"web_search_call","id":"ws","action":{"query":"q"}}`)}, []string{"tool_use", "tool_result"}},
		{"searches without an id", []string{response(`{"type":"web_search_call","action":{"query":"q"}}`), response(`{"type":"web_search_call","action":{"query":"q"}}`)}, []string{"tool_use", "tool_result", "tool_use", "tool_result"}},
		{"the id escaped in another way", []string{use, strings.Replace(out, "c1", `\u0063\u0031`, 1)}, []string{"tool_use", "tool_result"}},
		{"bare items", []string{`{"type":"function_call","call_id":"c1","name":"shell","arguments":"{}"}`, `{"type":"function_call_output","call_id":"c1","output":"x"}`}, []string{"tool_use", "tool_result"}},
	} {
		t.Run(tc.name, func(t *testing.T) { assert.Equal(t, tc.want, kinds(all(t, tc.lines...))) })
	}
}

func TestItemCalls(t *testing.T) {
	line := func(phase, rest string) string {
		return `{"type":"item.` + phase + `","item":{"id":"item_1","type":"command_execution","command":"ls",` + rest + `}}`
	}
	start, end := line("started", `"status":"in_progress","exit_code":null`), line("completed", `"status":"completed","exit_code":0`)
	thread := `{"type":"thread.started","thread_id":"t"}`
	for _, tc := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"both", []string{start, end}, []string{"tool_use", "tool_result"}},
		{"only completed", []string{end}, []string{"tool_use", "tool_result"}},
		{"updated in between", []string{start, line("updated", `"status":"in_progress"`), end}, []string{"tool_use", "tool_result"}},
		{"completed twice", []string{start, end, end}, []string{"tool_use", "tool_result"}},
		{"started anew", []string{start, end, start}, []string{"tool_use", "tool_result", "tool_use"}},
		{"the next run counts from the same id", []string{thread, start, thread, start}, []string{"session_start", "tool_use", "session_start", "tool_use"}},
		{"no id", []string{`{"type":"item.started","item":{"type":"todo_list","items":[]}}`, `{"type":"item.completed","item":{"type":"todo_list","items":[]}}`}, []string{"tool_use", "tool_result"}},
	} {
		t.Run(tc.name, func(t *testing.T) { assert.Equal(t, tc.want, kinds(all(t, tc.lines...))) })
	}
}

func TestOutcomes(t *testing.T) {
	for _, tc := range []struct {
		name, tool, output string
		want               events.Tool
	}{
		{"exit code", "exec_command", "Chunk ID: 1\nWall time: 1.5000 seconds\nProcess exited with code 2\nOriginal token count: 1\nOutput:\nno\n",
			events.Tool{Error: true, Err: "no\n", ExitCode: 2, HasExitCode: true, Summary: "no", Duration: 1500 * time.Millisecond}},
		{"exit code of a patch", "apply_patch", "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.\n", events.Tool{HasExitCode: true, Summary: "Success."}},
		{"running", "exec_command", "Wall time: 0.5 seconds\nProcess running with session ID 7\nOutput:\nup", events.Tool{State: events.ToolStateBackground, Summary: "up", Duration: 500 * time.Millisecond}},
		{"a line into what runs", "write_stdin", "Wall time: 0.5 seconds\nProcess running with session ID 7\nOutput:\nup", events.Tool{Summary: "up", Duration: 500 * time.Millisecond}},
		{"JSON of a shell", "shell", `{"output":"no\n","metadata":{"exit_code":3,"duration_seconds":0.5}}`,
			events.Tool{Error: true, Err: "no\n", ExitCode: 3, HasExitCode: true, Summary: "no", Duration: 500 * time.Millisecond}},
		{"JSON that a command prints", "shell", `{"output":"no","exit_code":3}`, events.Tool{Summary: `{"output":"no","exit_code":3}`}},
		{"JSON of another tool", "count", `{"output":"no","metadata":{"exit_code":3}}`, events.Tool{Summary: `{"output":"no","metadata":{"exit_code":3}}`}},
		{"torn JSON", "shell", `{"output":"no","metadata":{"exit_code":3}`, events.Tool{Summary: `{"output":"no","metadata":{"exit_code":3}`}},
		{"refused by a rule", "exec_command", `exec_command failed: CreateProcess { message: "Rejected(no)" }`,
			events.Tool{Error: true, Denied: true, Err: `exec_command failed: CreateProcess { message: "Rejected(no)" }`, Summary: `exec_command failed: CreateProcess { message: "Rejected(no)" }`}},
		{"refused by a setting", "apply_patch", "patch rejected: read-only", events.Tool{Error: true, Denied: true, Err: "patch rejected: read-only", Summary: "patch rejected: read-only"}},
		{"no such tool", "Grep", "unsupported call: Grep", events.Tool{Error: true, Err: "unsupported call: Grep", Summary: "unsupported call: Grep"}},
		{"a sentence that a command prints", "exec_command", "Process exited with code 0\nOutput:\npatch rejected: x", events.Tool{HasExitCode: true, Summary: "patch rejected: x"}},
		{"a head that a command prints", "exec_command", "Process exited with code 0\nOutput:\nProcess exited with code 9\nOutput:\n", events.Tool{HasExitCode: true, Summary: "Process exited with code 9"}},
		{"aborted", "exec_command", "Wall time: 1.5 seconds\naborted by user", events.Tool{Error: true, State: events.ToolStateStopped, Err: "aborted by user", Summary: "aborted by user", Duration: 1500 * time.Millisecond}},
		{"aborted at once", "exec_command", "aborted by user", events.Tool{Error: true, State: events.ToolStateStopped, Err: "aborted by user", Summary: "aborted by user"}},
		{"script", "exec", "Script failed\nWall time 0.5 seconds\nOutput:\nScript error:\nno", events.Tool{Error: true, Err: "Script error:\nno", Summary: "Script error:", Duration: 500 * time.Millisecond}},
		{"script at work", "exec", "Script running with cell ID 2\nWall time 0.5 seconds\nOutput:\n", events.Tool{State: events.ToolStateBackground, Duration: 500 * time.Millisecond}},
		{"words like a head", "count", "Script kiddies\nOutput:\nx", events.Tool{Summary: "Script kiddies"}},
		{"cut", "exec_command", "Process exited with code 0\nOutput:\nWarning: truncated output (original token count: 9)\nx", events.Tool{HasExitCode: true, Truncated: true, Summary: "Warning: truncated output (original token count: 9)"}},
		{"nothing", "exec_command", "", events.Tool{}},
		{"a time that package parser ignores", "exec_command", "Wall time: 1e300 seconds\nOutput:\nx", events.Tool{Summary: "x", Duration: math.MaxInt64}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out := all(t, functionCall("c1", tc.tool, "{}"), output("c1", tc.output))
			require.Len(t, out, 2)
			got := out[1].Tool
			got.Output, got.Size = nil, 0
			tc.want.ID, tc.want.Name = "c1", tc.tool
			assert.Equal(t, tc.want, got)
		})
	}
}

func TestOutputText(t *testing.T) {
	texts := `[{"type":"input_text","text":"Wall time: 0.5 seconds\nOutput:"},{"type":"input_text","text":"a"},{"type":"input_image","image_url":"data:"},{"type":"input_text","text":"b\n"},{"type":"input_text","text":"c"}]`
	out := all(t, functionCall("c1", "picture", "{}"), response(`{"type":"function_call_output","call_id":"c1","output":`+texts+`}`))
	require.Len(t, out, 2)
	assert.Equal(t, "a\nb\nc", string(out[1].Tool.Output))
	assert.Equal(t, len("a\nb\nc"), out[1].Tool.Size)
}

func TestMomentsOfItems(t *testing.T) {
	rest := `,"started_at_ms":1795812654000,"completed_at_ms":1795812655500`
	out := all(t, completed(`{"type":"CommandExecution","id":"exec-1","command":["ls"],"status":"completed","exit_code":0}`, rest))
	require.Len(t, out, 2)
	assert.Equal(t, time.UnixMilli(1795812654000).UTC(), out[0].Time)
	assert.Equal(t, time.UnixMilli(1795812655500).UTC(), out[1].Time)
	assert.Equal(t, 1500*time.Millisecond, out[1].Tool.Duration, "from the times if no duration is reported")
	reported := all(t, completed(`{"type":"CommandExecution","id":"exec-1","command":["ls"],"status":"failed","exit_code":1,"duration":{"secs":2,"nanos":5}}`, rest))
	assert.Equal(t, 2*time.Second+5, reported[1].Tool.Duration)
	assert.True(t, reported[1].Tool.Error)
}
