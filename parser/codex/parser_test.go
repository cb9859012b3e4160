package codex_test

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

// all parses lines with one parser and returns the events of all of them.
func all(t *testing.T, lines ...string) []events.DisplayEvent {
	t.Helper()
	p := newSource()
	var out []events.DisplayEvent
	for _, line := range lines {
		require.True(t, json.Valid([]byte(line)), "the test's own line is malformed: %s", line)
		for _, e := range p.ParseEvents([]byte(line)) {
			e.Tool.Input = append([]byte(nil), e.Tool.Input...)
			e.Tool.Output = append([]byte(nil), e.Tool.Output...)
			out = append(out, e)
		}
	}
	return out
}

func TestLineStatus(t *testing.T) {
	for _, tc := range []struct {
		name, line string
		status     events.LineStatus
		unknown    string
	}{
		{name: "blank", line: " \t\r", status: events.LineIgnored},
		{name: "only NULs", line: "\x00\x00", status: events.LineIgnored},
		{name: "words", line: "Reading additional input from stdin...", status: events.LineMalformed},
		{name: "torn", line: `{"type":"item.completed","item":{"id":"item_1`, status: events.LineMalformed},
		{name: "number", line: "42", status: events.LineMalformed},
		{name: "array", line: `[{"type":"turn.started"}]`, status: events.LineMalformed},
		{name: "words behind an object", line: `{"record_type":"state"} and more`, status: events.LineMalformed},
		{name: "no type", line: `{}`, status: events.LineUnknownType, unknown: "(none)"},
		{name: "type of another type", line: `{"type":5}`, status: events.LineUnknownType, unknown: "(none)"},
		{name: "unknown line", line: `{"type":"hologram.shown\u001b[31m"}`, status: events.LineUnknownType, unknown: "hologram.shown"},
		{name: "unknown item", line: `{"type":"item.started","item":{"id":"i","type":"hologram"}}`, status: events.LineUnknownType, unknown: "item/hologram"},
		{name: "no item", line: `{"type":"item.started","item":null}`, status: events.LineOK},
		{name: "unknown message", line: `{"id":"0","msg":{"type":"hologram"}}`, status: events.LineUnknownType, unknown: "event_msg/hologram"},
		{name: "unknown response item", line: `{"type":"response_item","payload":{"type":"hologram"}}`, status: events.LineUnknownType, unknown: "response_item/hologram"},
		{name: "unknown bare item", line: `{"type":"hologram"}`, status: events.LineUnknownType, unknown: "hologram"},
		{name: "unknown completed item", line: `{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"Hologram"}}}`, status: events.LineUnknownType, unknown: "item_completed/Hologram"},
		{name: "payload is no object", line: `{"type":"session_meta","payload":[]}`, status: events.LineUnknownType, unknown: "session_meta"},
		{name: "nulls", line: `{"type":"response_item","payload":{"type":"message","role":"assistant","content":null}}`, status: events.LineOK},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newSource()
			assert.Empty(t, p.ParseEvents([]byte(tc.line)))
			assert.Equal(t, tc.status, p.LineStatus())
			assert.Equal(t, tc.unknown, p.UnknownType())
		})
	}
}

func TestDecoratedLines(t *testing.T) {
	line := `{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"hi"}}`
	for name, decorated := range map[string]string{
		"byte order mark": "\xef\xbb\xbf" + line, "carriage return": line + "\r", "NULs before": "\x00\x00\x00" + line,
		"NULs behind": line + "\x00", "blanks": "  " + line + "  ",
	} {
		p := newSource()
		out := p.ParseEvents([]byte(decorated))
		if assert.Len(t, out, 1, name) {
			assert.Equal(t, "hi", out[0].Text, name)
		}
		assert.Equal(t, events.LineOK, p.LineStatus(), name)
	}
	p := newSource()
	require.Len(t, p.ParseEvents([]byte(line+line[:40])), 1, "what is whole on a glued line")
	assert.Equal(t, events.LineMalformed, p.LineStatus())
}

func TestTexts(t *testing.T) {
	meta := `{"timestamp":"2026-03-02T12:00:00Z","type":"session_meta","payload":{"id":"t","history_mode":"paginated"}}`
	message := func(id, text string) string {
		return response(`{"type":"message","id":"` + id + `","role":"assistant","content":[{"type":"output_text","text":"` + text + `"},{"type":"output_text","text":"!"},{"type":"refusal","refusal":"no"}]}`)
	}
	shown := completed(`{"type":"AgentMessage","id":"m1","content":[{"type":"Text","text":"hi!"}]}`, "")
	texts := func(lines ...string) (said []string) {
		for _, e := range all(t, lines...) {
			if e.Kind == events.KindText {
				said = append(said, e.Text)
			}
		}
		return said
	}
	assert.Equal(t, []string{"hi!"}, texts(message("m1", "hi")), "the parts of a message are one text")
	assert.Equal(t, []string{"hi!"}, texts(meta, shown, message("m1", "hi")))
	assert.Empty(t, texts(meta, shown, message("m2", "a summary")), "a message that was not shown")
	assert.Equal(t, []string{"hi!"}, texts(strings.Replace(message("m1", "hi"), `"id":"m1",`, "", 1)))
	assert.Empty(t, texts(response(`{"type":"message","role":"developer","content":[{"type":"input_text","text":"rules"}]}`)))
	assert.Equal(t, []string{"\x1b[1m\u0000\r\n!"}, texts(message("m1", `\u001b[1m\u0000\r\n`)), "byte for byte")
}

func TestPrompts(t *testing.T) {
	item := func(text, kinds string) string {
		return response(`{"type":"message","role":"user","content":[{"type":"input_text","text":"<image name=[Image #1]>"},{"type":"input_image","image_url":"data:"},{"type":"input_text","text":"` +
			text + `"}],"internal_chat_message_metadata_passthrough":{"content_item_kinds":` + kinds + `}}`)
	}
	event := func(text string) string {
		return `{"timestamp":"2026-03-02T12:00:00Z","type":"event_msg","payload":{"type":"user_message","message":"` + text + `"}}`
	}
	for _, tc := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"item", []string{item("a", "null")}, []string{"a"}},
		{"item, then event", []string{item("a", "null"), event("a")}, []string{"a"}},
		{"event, then item", []string{event("a"), item("a", "null")}, []string{"a"}},
		{"event alone", []string{event("a"), event("a")}, []string{"a", "a"}},
		{"twice for real", []string{item("a", "null"), event("a"), event("a"), item("a", "null")}, []string{"a", "a"}},
		{"an envelope", []string{item("<environment_context>x", "null")}, []string{"(program) <environment_context>x"}},
		{"distinguished by kind", []string{item("a", `["user.text","user.image","hooks.context"]`)}, []string{"(program) a"}},
		{"marked as the user's", []string{item("a", `["user.text","user.image","user.text"]`)}, []string{"a"}},
		{"between agents", []string{response(`{"type":"agent_message","author":"/a","recipient":"/b","content":[{"type":"input_text","text":"go"},{"type":"encrypted_content","encrypted_content":"x"}]}`)}, []string{"(program) go"}},
		{"second line of a stream", []string{`{"prompt":"a"}`}, []string{"a"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			for _, e := range all(t, tc.lines...) {
				require.Equal(t, events.KindPrompt, e.Kind)
				if e.Synthetic {
					e.Text = "(program) " + e.Text
				}
				got = append(got, e.Text)
			}
			assert.Equal(t, tc.want, got)
		})
	}
}

func TestMessageIDs(t *testing.T) {
	item := func(kind, id, rest string) string {
		return `{"timestamp":"2026-03-02T12:00:00Z","ordinal":1,"type":"response_item","payload":{"type":"` + kind + `","id":"` + id + `"` + rest + `}}`
	}
	usage := `{"timestamp":"2026-03-02T12:00:00Z","ordinal":1,"type":"token_usage_record","payload":{"response_id":"%s","usage":{"input_tokens":1}}}`
	out := all(t, item("reasoning", "rs_1", ""), item("function_call", "fc_1", `,"call_id":"c1","name":"exec","arguments":"{}"`),
		completed(`{"type":"CommandExecution","id":"exec-1","command":["ls"],"status":"completed"}`, ""),
		fmt.Sprintf(usage, "resp_1"), item("function_call_output", "fco_1", `,"call_id":"c1","output":""`),
		item("function_call", "fc_2", `,"call_id":"c2","name":"exec","arguments":"{}"`), fmt.Sprintf(usage, "resp_2"))
	var ids []string
	for _, e := range out {
		ids = append(ids, e.Kind.String()+" "+e.MessageID)
	}
	assert.Equal(t, []string{"tool_use rs_1", "tool_use ", "tool_result ", "usage rs_1", "tool_result ", "tool_use fc_2", "usage fc_2"}, ids)
}

func TestEnds(t *testing.T) {
	event := func(payload string) string {
		return `{"timestamp":"2026-03-02T12:00:00Z","type":"event_msg","payload":` + payload + `}`
	}
	said := `{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"done"}}`
	for _, tc := range []struct {
		name  string
		lines []string
		kind  events.Kind
		want  events.End
	}{
		{"stream", []string{said, `{"type":"turn.completed"}`}, events.KindSessionEnded, events.End{Result: "done"}},
		{"failed stream", []string{said, `{"type":"turn.failed","error":{"message":"quota"}}`}, events.KindSessionEnded, events.End{Error: true, Cause: events.CauseOther, Err: "quota"}},
		{"failed old stream", []string{`{"id":"0","msg":{"type":"error","message":"quota"}}`}, events.KindSessionEnded, events.End{Error: true, Cause: events.CauseOther, Err: "quota"}},
		{"turn", []string{event(`{"type":"task_complete","last_agent_message":"done","duration_ms":1500}`)}, events.KindTurnDone, events.End{Result: "done", Duration: 1500 * time.Millisecond}},
		{"failed turn", []string{event(`{"type":"task_complete","error":{"message":"full","codex_error_info":"context_window_exceeded"}}`)}, events.KindTurnDone,
			events.End{Error: true, Cause: events.CauseContextLength, Err: "full", Code: "context_window_exceeded"}},
		{"failed connection", []string{event(`{"type":"task_complete","error":{"message":"no","codex_error_info":{"http_connection_failed":{"http_status_code":401}}}}`)}, events.KindTurnDone,
			events.End{Error: true, Cause: events.CauseAuthentication, Err: "no", Code: "http_connection_failed"}},
		{"interrupted", []string{event(`{"type":"turn_aborted","reason":"interrupted"}`)}, events.KindTurnDone, events.End{Interrupted: true, Code: "interrupted"}},
		{"out of budget", []string{event(`{"type":"turn_aborted","reason":"budget_limited"}`)}, events.KindTurnDone, events.End{Error: true, Cause: events.CauseBudget, Code: "budget_limited", Err: "budget_limited"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out := all(t, tc.lines...)
			require.NotEmpty(t, out)
			last := out[len(out)-1]
			assert.Equal(t, tc.kind, last.Kind)
			assert.Equal(t, &tc.want, last.End)
		})
	}
}

func TestIncomplete(t *testing.T) {
	for _, tc := range []struct {
		name  string
		lines []string
		want  bool
	}{
		{"begun", []string{`{"type":"thread.started","thread_id":"t"}`}, true},
		{"ended", []string{`{"type":"thread.started","thread_id":"t"}`, `{"type":"turn.started"}`, `{"type":"turn.completed"}`}, false},
		{"failed", []string{`{"type":"turn.started"}`, `{"type":"turn.failed"}`}, false},
		{"promises no end", []string{`{"type":"session.created","session_id":"t"}`, `{"type":"item.started","item":{"id":"i","item_type":"todo_list"}}`}, false},
		{"old stream", []string{`{"id":"0","msg":{"type":"task_started"}}`}, false},
		{"rollout", []string{`{"type":"event_msg","payload":{"type":"task_started"}}`}, false},
	} {
		p := newSource()
		for _, line := range tc.lines {
			p.ParseEvents([]byte(line))
		}
		assert.Equal(t, tc.want, p.State().Incomplete, tc.name)
	}
}

func TestNotices(t *testing.T) {
	for line, want := range map[string]string{
		`{"type":"error","message":"Reconnecting... 1/3"}`:                                                                      "warn api_retry Reconnecting... 1/3",
		`{"type":"error","message":"quota"}`:                                                                                    "error error quota",
		`{"type":"item.completed","item":{"id":"i","type":"error","message":"no metadata"}}`:                                    "warn warning no metadata",
		`{"id":"0","msg":{"type":"stream_error","message":"lost"}}`:                                                             "warn api_retry lost",
		`{"type":"compacted","payload":{"message":"s"}}`:                                                                        "info compaction conversation compacted",
		`{"type":"event_msg","payload":{"type":"token_count","info":null,"rate_limits":{"rate_limit_reached_type":"primary"}}}`: "warn rate_limit rate limit reached: primary",
		`{"type":"event_msg","payload":{"type":"model_reroute","from_model":"a","to_model":"b"}}`:                               "warn warning model rerouted from a to b",
	} {
		out := all(t, line)
		require.Len(t, out, 1, line)
		assert.Equal(t, want, out[0].Notice.Level.String()+" "+out[0].Notice.Code+" "+out[0].Text)
	}
}

func TestOldStreamCalls(t *testing.T) {
	msg := func(m string) string { return `{"id":"0","msg":` + m + `}` }
	out := all(t, msg(`{"type":"mcp_tool_call_begin","call_id":"c1","invocation":{"server":"tally","tool":"boom","arguments":{"path":"x"}}}`),
		msg(`{"type":"mcp_tool_call_end","call_id":"c1","result":{"Ok":{"content":[{"type":"text","text":"broke"}],"isError":true}}}`),
		msg(`{"type":"patch_apply_begin","call_id":"c2","changes":{"/a":{"add":{"content":""}}}}`), msg(`{"type":"patch_apply_end","call_id":"c2","stdout":"","stderr":"no","success":false}`),
		msg(`{"type":"exec_command_end","call_id":"c3","stdout":"a","stderr":"b","exit_code":0}`),
		msg(`{"type":"exec_approval_request","call_id":"c4","command":["bash","-lc","rm x"]}`))
	require.Equal(t, []string{"tool_use", "tool_result", "tool_use", "tool_result", "tool_result", "approval_request"}, kinds(out))
	assert.Equal(t, "tally boom x", out[0].Tool.Server+" "+out[0].Tool.Name+" "+out[0].Tool.Target)
	assert.True(t, out[1].Tool.Error)
	assert.Equal(t, "broke", out[1].Tool.Err)
	assert.Equal(t, "patch_apply /a", out[2].Tool.Name+" "+out[2].Tool.Target)
	assert.Equal(t, "no", out[3].Tool.Err)
	assert.Equal(t, "exec_command ab", out[4].Tool.Name+" "+string(out[4].Tool.Output), "the end of a call whose begin was cut off")
	assert.Equal(t, &events.Approval{ID: "c4", Tool: "exec_command", Subject: "rm x"}, out[5].Approval)
}
