package openai_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
)

// brief returns the compared kinds of events in short form: what was said, called and answered, and how it ended.
func brief(all []events.DisplayEvent) []string {
	var out []string
	for i := range all {
		e := &all[i]
		switch e.Kind {
		case events.KindText, events.KindReasoning, events.KindPrompt:
			out = append(out, e.Kind.String()+" "+e.Text)
		case events.KindToolUse:
			out = append(out, strings.TrimRight(fmt.Sprintf("call %s %s %s", e.Tool.ID, e.Tool.Name, e.Tool.Target), " "))
		case events.KindToolResult:
			out = append(out, fmt.Sprintf("result %s %q error=%v", e.Tool.ID, e.Tool.Output, e.Tool.Error))
		case events.KindNotice:
			out = append(out, "notice "+e.Notice.Code)
		case events.KindApprovalRequest:
			out = append(out, fmt.Sprintf("approval %s %s %s", e.Approval.ID, e.Approval.Tool, e.Approval.Subject))
		case events.KindUsage:
			out = append(out, fmt.Sprintf("usage %d/%d", e.Usage.Provider.Input, e.Usage.Provider.Output))
		case events.KindSessionEnded:
			out = append(out, strings.TrimRight(fmt.Sprintf("end %s %s", e.End.Code, e.End.Err), " "))
		}
	}
	return out
}

// parse parses lines and returns the brief of all events, with those of Flush after a bar.
func parse(t *testing.T, lines ...string) []string {
	t.Helper()
	p := newSource()
	var out []string
	for _, line := range lines {
		out = append(out, brief(p.ParseEvents([]byte(line)))...)
	}
	if flushed := brief(p.Flush()); len(flushed) > 0 {
		out = append(append(out, "|"), flushed...)
	}
	return out
}

func chunk(id, choices string) string {
	return fmt.Sprintf(`data: {"id":%q,"object":"chat.completion.chunk","choices":[%s]}`, id, choices)
}

func delta(d string) string { return fmt.Sprintf(`{"index":0,"delta":{%s},"finish_reason":null}`, d) }

const (
	role = `"role":"assistant","content":""`
	stop = `{"index":0,"delta":{},"finish_reason":"stop"}`
	done = "data: [DONE]"
)

func TestStreams(t *testing.T) {
	for _, tc := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"nothing before the end", []string{chunk("a", delta(`"content":"x"`)), ""}, []string{"|", "text x"}},
		{"ends at DONE", []string{chunk("a", delta(`"content":"x"`)), chunk("a", stop), done}, []string{"text x", "end stop"}},
		{"DONE without a reason", []string{chunk("a", delta(`"content":"x"`)), done}, []string{"text x", "end"}},
		{"ends with usage, before DONE", []string{
			chunk("a", delta(`"content":"x"`)), chunk("a", stop),
			`data: {"id":"a","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}`, "data: none of this",
		}, []string{"text x", "usage 1/2", "end stop"}},
		{"no DONE", []string{chunk("a", delta(`"content":"x"`)), chunk("a", stop)}, []string{"|", "text x", "end stop"}},
		{"DONE twice, finish twice", []string{chunk("a", delta(`"content":"x"`)), chunk("a", stop), done, chunk("a", stop), done}, []string{"text x", "end stop"}},
		{"usage behind the end", []string{
			chunk("a", delta(`"content":"x"`)), chunk("a", stop), done,
			`data: {"id":"a","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}`,
			`data: {"id":"a","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":3}}`,
		}, []string{"text x", "end stop", "usage 1/2", "usage 0/1"}},
		{"another answer, no DONE between", []string{
			chunk("a", delta(role)), chunk("a", delta(`"content":"x"`)), chunk("a", stop), chunk("b", delta(role)), chunk("b", delta(`"content":"y"`)), chunk("b", stop), done,
		}, []string{"text x", "end stop", "text y", "end stop"}},
		{"another id within an answer", []string{chunk("a", delta(`"content":"x"`)), chunk("b", delta(`"content":"y"`)), chunk("a", stop), done}, []string{"text xy", "end stop"}},
		{"an answer without ids behind DONE", []string{chunk("", delta(`"content":"x"`)), done, chunk("", delta(`"content":"y"`)), done}, []string{"text x", "end", "text y", "end"}},
		{"the same id again behind DONE", []string{chunk("a", delta(`"content":"x"`)), done, chunk("a", delta(`"content":"y"`)), done}, []string{"text x", "end", "text y", "end"}},
		{"a whole body behind a cut stream", []string{chunk("a", delta(`"content":"x"`)), `{"choices":[{"message":{"content":"y"},"finish_reason":"stop"}]}`}, []string{"text x", "text y", "end stop"}},
		{"an error ends it", []string{chunk("a", delta(`"content":"x"`)), `data: {"error":{"message":"down","code":503}}`, done}, []string{"text x", "end 503 down"}},
		{"an error of a choice", []string{chunk("a", `{"index":0,"delta":{"content":"x"},"error":{"message":"bad"}}`)}, []string{"|", "text x", "end error bad"}},
		{"a failing reason", []string{chunk("a", `{"index":0,"delta":{"content":"x"},"finish_reason":"insufficient_system_resource"}`), done}, []string{"text x", "end insufficient_system_resource insufficient_system_resource"}},
		{"text behind a call is another text", []string{
			chunk("a", delta(`"content":"x"`)), chunk("a", delta(`"tool_calls":[{"index":0,"id":"c","function":{"name":"ls","arguments":"{}"}}]`)), chunk("a", delta(`"content":"y"`)), done,
		}, []string{"text x", "call c ls", "text y", "end"}},
		{"choices in order of their index", []string{
			chunk("a", `{"index":1,"delta":{"content":"two"}}`), chunk("a", `{"index":0,"delta":{"content":"one"}}`), done,
		}, []string{"text one", "text two", "end"}},
		{"halves of a surrogate pair", []string{chunk("a", delta(`"content":"\ud83d"`)), chunk("a", delta(`"content":"\ude00"`)), done}, []string{"text 😀", "end"}},
		{"halves of a think tag", []string{chunk("a", delta(`"content":"<th"`)), chunk("a", delta(`"content":"ink>a</think>\n\nb"`)), done}, []string{"reasoning a", "text b", "end"}},
		{"reasoning under two names", []string{chunk("a", delta(`"reasoning":"r","reasoning_details":[{"type":"reasoning.text","text":"r"}]`)), done}, []string{"reasoning r", "end"}},
		{"cut by a limit", []string{chunk("a", `{"index":0,"delta":{"content":"x"},"finish_reason":"length"}`), done}, []string{"text x", "notice length", "end length"}},
		{"Ollama's own stream", []string{
			`{"model":"m","message":{"role":"assistant","content":"x"},"done":false}`, `{"model":"m","message":{"role":"assistant","content":"y"},"done":false}`,
			`{"model":"m","message":{"role":"assistant","content":""},"done":true,"prompt_eval_count":3,"eval_count":4}`,
			`{"model":"m","message":{"role":"assistant","content":"z"},"done":true}`,
		}, []string{"text xy", "usage 3/4", "end stop", "text z", "end stop"}},
	} {
		t.Run(tc.name, func(t *testing.T) { assert.Equal(t, tc.want, parse(t, tc.lines...)) })
	}
}

func TestFragments(t *testing.T) {
	for _, tc := range []struct {
		name  string
		calls []string // tool_calls of one chunk each
		want  []string
	}{
		{"pieces under an index", []string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"path\":"}}`, `{"index":0,"function":{"arguments":"\"x\"}"}}`}, []string{"call a f x"}},
		{"the id again in each piece", []string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"path\":"}}`, `{"index":0,"id":"a","function":{"name":"f","arguments":"\"x\"}"}}`}, []string{"call a f x"}},
		{"an index used twice", []string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`, `{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}}`}, []string{"call a f", "call b g"}},
		{"an index used twice, no ids", []string{`{"index":0,"function":{"name":"f","arguments":"{}"}}`, `{"index":0,"function":{"name":"g","arguments":"{}"}}`}, []string{"call m#call-1 f", "call m#call-2 g"}},
		{"no index", []string{`{"id":"a","function":{"name":"f","arguments":"{\"path\":"}}`, `{"function":{"arguments":"\"x\"}"}}`, `{"id":"b","function":{"name":"g","arguments":"{}"}}`}, []string{"call a f x", "call b g"}},
		{"no index, empty ids", []string{`{"id":"","function":{"name":"f","arguments":"{}"}}`, `{"id":"","function":{"name":"f","arguments":"{}"}}`}, []string{"call m#call-1 f", "call m#call-2 f"}},
		{"tail under an unknown index", []string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"path\":"}}`, `{"index":1,"function":{"arguments":"\"x\"}"}}`}, []string{"call a f x"}},
		{"name in pieces", []string{`{"index":3,"id":"a","function":{"name":null,"arguments":null}}`, `{"index":3,"function":{"name":"list_","arguments":"{"}}`, `{"index":3,"function":{"name":"dir","arguments":"}"}}`}, []string{"call a list_dir"}},
		{"one id for two calls", []string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"path\":\"x\"}"}}`, `{"index":1,"id":"a","function":{"name":"f","arguments":"{\"path\":\"y\"}"}}`}, []string{"call a f x", "call a f y"}},
		{"a whole call again", []string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"path\":\"x\"}"}}`, `{"index":0,"id":"a","function":{"name":"f","arguments":"{\"path\":\"x\"}"}}`}, []string{"call a f x"}},
		{"an empty piece behind a whole call", []string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`, `{"index":0,"id":"a","function":{"name":"f","arguments":""}}`}, []string{"call a f"}},
		{"two calls in one chunk", []string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"g","arguments":"{}"}}`}, []string{"call a f", "call b g"}},
		{"a number as id", []string{`{"index":0,"id":7,"function":{"name":"f","arguments":"{}"}}`}, []string{"call 7 f"}},
		{"an object as arguments", []string{`{"function":{"name":"f","arguments":{"path":"x"}}}`, `{"function":{"name":"g","arguments":{"path":"y"}}}`}, []string{"call m#call-1 f x", "call m#call-2 g y"}},
		{"cut arguments", []string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"path\":\"x"}}`}, []string{"call a f"}},
		{"a custom tool", []string{`{"index":0,"id":"a","type":"custom","custom":{"name":"apply_patch","input":"*** Begin Patch\n"}}`, `{"index":0,"custom":{"input":"*** Add File: n.go\n+x"}}`}, []string{"call a apply_patch n.go"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var lines []string
			for _, c := range tc.calls {
				lines = append(lines, chunk("m", delta(`"tool_calls":[`+c+`]`)))
			}
			got := parse(t, append(lines, done)...)
			assert.Equal(t, append(tc.want, "end"), got)
		})
	}
}

func TestLegacyFunctionCall(t *testing.T) {
	got := parse(t,
		chunk("m", delta(`"function_call":{"name":"f","arguments":""}`)), chunk("m", delta(`"function_call":{"arguments":"{\"path\":"}`)),
		chunk("m", delta(`"function_call":{"arguments":"\"x\"}"}`)), done)
	assert.Equal(t, []string{"call m#call-1 f x", "end"}, got)
}

func TestWholeAnswers(t *testing.T) {
	for _, tc := range []struct {
		name, message, want string
	}{
		{"thinking as a part", `"content":[{"type":"thinking","thinking":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},{"type":"text","text":"c"}]`, "reasoning ab;text c"},
		{"thinking blocks", `"content":"c","thinking_blocks":[{"type":"thinking","thinking":"a"}]`, "reasoning a;text c"},
		{"content blocks are a copy", `"content":"c","content_blocks":[{"type":"thinking","thinking":"a"},{"type":"text","text":"c"}]`, "reasoning a;text c"},
		{"reasoning summary", `"content":"c","reasoning_details":[{"type":"reasoning.summary","summary":"a"}]`, "reasoning a;text c"},
		{"a block that is never closed", `"content":"<think>a"`, "reasoning a"},
		{"a tag that is no block", `"content":"a <think> b"`, "text a <think> b"},
		{"edges are kept", `"content":"\n\n a \n"`, "text \n\n a \n"},
		{"blank is nothing", `"content":" \n","refusal":""`, ""},
		{"refusal and transcript", `"content":"a","refusal":"b","audio":{"transcript":"c"}`, "text a;text b;text c"},
		{"unknown part", `"content":[{"type":"hologram","text":"a"},"b"]`, "text b"},
		{"two calls of one id", `"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"a","function":{"name":"f","arguments":"{}"}}]`, "call a f;call a f"},
		{"control sequences in a name", `"tool_calls":[{"id":"a","function":{"name":"f\u001b[31m","arguments":"{}"}}]`, "call a f"},
		{"executed tools are no calls", `"content":"a","executed_tools":[{"type":"search","arguments":"{}"}]`, "text a"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := parse(t, `{"id":"m","object":"chat.completion","choices":[{"message":{`+tc.message+`},"finish_reason":"stop"}]}`)
			require.NotEmpty(t, got)
			assert.Equal(t, "end stop", got[len(got)-1])
			assert.Equal(t, tc.want, strings.Join(got[:len(got)-1], ";"))
		})
	}
}

func TestFailures(t *testing.T) {
	for _, tc := range []struct{ name, line, want string }{
		{"object", `{"error":{"message":"m","type":"t","param":null,"code":null}}`, "end t m"},
		{"number as code", `{"error":{"message":"m","code":503}}`, "end 503 m"},
		{"None as code", `{"error":{"message":"m","type":"None","code":"None"}}`, "end error m"},
		{"text", `{"error":"m"}`, "end error m"},
		{"text beside a sentence as code", `{"code":"Some words","error":"m"}`, "end error m"},
		{"vLLM", `{"object":"error","message":"m","type":"BadRequestError","code":400}`, "end 400 m"},
		{"message as an object", `{"object":"error","message":{"detail":[1]},"type":"t"}`, `end t {"detail":[1]}`},
		{"array", `[{"error":{"code":429,"message":"m"}}]`, "end 429 m"},
		{"detail", `{"detail":"m"}`, "end error m"},
		{"list of details", `{"detail":[{"msg":"m"}]}`, `end error [{"msg":"m"}]`},
		{"gateway manager", `{"statusCode":429,"message":"m"}`, "end 429 m"},
		{"request id", `{"message":"m","request_id":"r"}`, "end error m"},
		{"Anthropic's", `{"type":"error","error":{"type":"overloaded_error","message":"m"}}`, "end overloaded_error m"},
		{"event of a response", `{"type":"error","code":"E","message":"m","param":null,"sequence_number":1}`, "end E m"},
		{"Portkey", `{"status":"failure","message":"m"}`, "end failure m"},
		{"page", `{"html-message":"m"}`, "end error m"},
		{"null beside choices", `{"error":null,"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}`, "text x;end stop"},
		{"with usage", `{"error":{"message":"m"},"usage":{"prompt_tokens":5,"completion_tokens":0}}`, "usage 5/0;end error m"},
		{"beside choices", `{"error":{"message":"m"},"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}`, "text x;end stop m"},
	} {
		t.Run(tc.name, func(t *testing.T) { assert.Equal(t, tc.want, strings.Join(parse(t, tc.line), ";")) })
	}
}

func TestLineStatus(t *testing.T) {
	for _, tc := range []struct {
		name, line string
		status     events.LineStatus
		unknown    string
	}{
		{name: "blank", line: " \r", status: events.LineIgnored},
		{name: "comment", line: ": keep-alive", status: events.LineIgnored},
		{name: "field", line: "event: ping", status: events.LineIgnored},
		{name: "done", line: "data: [DONE]", status: events.LineIgnored},
		{name: "ping", line: "data: {}", status: events.LineIgnored},
		{name: "data that is no JSON", line: "data: hello", status: events.LineMalformed},
		{name: "null as data", line: "data: null", status: events.LineMalformed},
		{name: "null", line: "null", status: events.LineMalformed},
		{name: "no objects", line: "[]", status: events.LineMalformed},
		{name: "numbers", line: "[1]", status: events.LineMalformed},
		{name: "torn", line: `{"choices":[`, status: events.LineMalformed},
		{name: "torn array", line: `[{"error":"a"},{"er`, status: events.LineMalformed},
		{name: "page", line: "<html>", status: events.LineMalformed},
		{name: "words with a colon", line: "404: not found", status: events.LineMalformed},
		{name: "unknown object", line: `{"object":"list","data":[]}`, status: events.LineUnknownType, unknown: "list"},
		{name: "unknown event", line: `{"type":"response.hologram","sequence_number":1}`, status: events.LineUnknownType, unknown: "response.hologram"},
		{name: "unknown item", line: `{"type":"response.output_item.done","output_index":0,"item":{"type":"hologram"}}`, status: events.LineUnknownType, unknown: "item/hologram"},
		{name: "quiet event", line: `{"type":"response.output_text.done","text":"x"}`, status: events.LineIgnored},
		{name: "body", line: `{"choices":[{"message":{"content":""}}]}`, status: events.LineOK},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newSource()
			p.ParseEvents([]byte(tc.line))
			assert.Equal(t, tc.status, p.LineStatus())
			if tc.unknown != "" {
				assert.Equal(t, tc.unknown, p.UnknownType())
			}
		})
	}
}

// TestEventsOfSeveralLines checks how lines of data become events: by the standard, and without blank lines.
func TestEventsOfSeveralLines(t *testing.T) {
	first, second := `data: {"choices":[{"index":0,`, `data: "delta":{"content":"x"}}]}`
	status := func(p *parsertest.Source, lines ...string) (all []events.LineStatus) {
		for _, line := range lines {
			p.ParseEvents([]byte(line))
			all = append(all, p.LineStatus())
		}
		return all
	}
	ignored, malformed, ok := events.LineIgnored, events.LineMalformed, events.LineOK

	p := newSource()
	assert.Equal(t, []events.LineStatus{ignored, ignored, ok}, status(p, first, second, ""), "whole at the blank line")
	assert.Equal(t, []string{"text x"}, brief(p.Flush()))
	assert.NotEqual(t, events.LineMalformed, p.LineStatus())

	p = newSource()
	status(p, first, second)
	assert.Equal(t, []string{"text x"}, brief(p.Flush()), "whole at the end, without a blank line")
	assert.NotEqual(t, events.LineMalformed, p.LineStatus())

	p = newSource()
	assert.Equal(t, []events.LineStatus{ignored, malformed}, status(p, first, ""))
	p = newSource()
	assert.Equal(t, []events.LineStatus{ignored, malformed, ok}, status(p, first, chunk("a", stop), chunk("a", stop)), "a whole chunk proves the line before it torn")
	p = newSource()
	assert.Equal(t, []events.LineStatus{ignored, malformed}, status(p, first, "event: x"))
	p = newSource()
	assert.Equal(t, []events.LineStatus{ignored, malformed}, status(p, first, done))

	p = newSource()
	status(p, first)
	assert.Empty(t, p.Flush())
	assert.Equal(t, events.LineMalformed, p.LineStatus(), "cut at the end")
}

func TestIncomplete(t *testing.T) {
	p := newSource()
	assert.False(t, p.State().Incomplete)
	p.ParseEvents([]byte(chunk("a", delta(`"content":"x"`))))
	assert.True(t, p.State().Incomplete)
	p.Flush()
	assert.True(t, p.State().Incomplete, "cut")
	p.ParseEvents([]byte(`{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}`))
	assert.False(t, p.State().Incomplete, "a whole answer behind it")
	p.ParseEvents([]byte(chunk("a", stop)))
	assert.False(t, p.State().Incomplete, "finished, though its end is pending")
}

func TestTimes(t *testing.T) {
	for _, tc := range []struct {
		created string
		want    time.Time
	}{
		{"1764000009", time.Unix(1764000009, 0)},
		{"1764000000.75", time.Unix(1764000000, 750_000_000)},
		{"1764000000123", time.UnixMilli(1764000000123)},
		{`"2025-07-01T10:00:00.5Z"`, time.Date(2025, 7, 1, 10, 0, 0, 500_000_000, time.UTC)},
		{"0", time.Time{}}, {"-5", time.Time{}}, {"1e300", time.Time{}}, {"null", time.Time{}}, {`"yesterday"`, time.Time{}},
	} {
		out := newSource().ParseEvents([]byte(`{"created":` + tc.created + `,"choices":[{"message":{"content":"x"}}]}`))
		require.NotEmpty(t, out)
		assert.True(t, tc.want.Equal(out[0].Time), "%s: want %s, got %s", tc.created, tc.want, out[0].Time)
	}
}

// TestLimits checks that an answer that never ends costs no more than its limit.
func TestLimits(t *testing.T) {
	p := newSource()
	piece := strings.Repeat("x", 1<<20)
	for range 20 {
		p.ParseEvents([]byte(chunk("a", delta(`"content":"`+piece+`"`))))
	}
	assert.Positive(t, p.State().Dropped)
	out := p.Flush()
	require.Len(t, out, 1)
	assert.LessOrEqual(t, len(out[0].Text), 18<<20)

	p = newSource()
	for i := range 5000 {
		p.ParseEvents([]byte(chunk("a", delta(fmt.Sprintf(`"tool_calls":[{"index":%d,"id":"c%d","function":{"name":"f"}}]`, i, i)))))
	}
	assert.Equal(t, 5000-4096, p.State().Dropped)
	assert.Len(t, p.Flush(), 4096)
}

// TestBackgroundResponse checks that a response that is fetched repeatedly until it has ended is emitted once.
func TestBackgroundResponse(t *testing.T) {
	body := func(status, search, message string) string {
		return fmt.Sprintf(`{"id":"resp","object":"response","status":%q,"output":[{"id":"ws","type":"web_search_call","status":%q,"action":{"query":"q"}}%s]}`, status, search, message)
	}
	text := `,{"id":"msg","type":"message","status":%q,"content":[{"type":"output_text","text":%q}]}`
	assert.Equal(t, []string{"call ws web_search q", `result ws "" error=false`, "text whole", "end completed"}, parse(t,
		`{"id":"resp","object":"response","status":"queued","output":[]}`,
		body("in_progress", "searching", ""),
		body("in_progress", "searching", ""),
		body("in_progress", "completed", fmt.Sprintf(text, "in_progress", "wh")),
		body("in_progress", "completed", fmt.Sprintf(text, "in_progress", "whol")),
		body("completed", "completed", fmt.Sprintf(text, "completed", "whole"))))
	assert.Equal(t, []string{"call ws web_search q", `result ws "" error=false`, "end completed", "call ws web_search q", `result ws "" error=false`, "end completed"},
		parse(t, body("completed", "completed", ""), body("completed", "completed", "")), "two whole bodies of one id are two answers")
}

func TestResponseStreams(t *testing.T) {
	event := func(kind, rest string) string {
		return fmt.Sprintf(`data: {"type":"response.%s","sequence_number":1%s}`, kind, rest)
	}
	created := event("created", `,"response":{"id":"r","model":"m","status":"in_progress","output":[]}`)
	added := event("output_item.added", `,"output_index":0,"item":{"id":"fc","type":"function_call","call_id":"c","name":"f","arguments":""}`)
	piece := event("function_call_arguments.delta", `,"output_index":0,"delta":"{\"path\":\"x\"}"`)
	item := `{"id":"fc","type":"function_call","call_id":"c","name":"f","arguments":"{\"path\":\"x\"}"}`
	whole := event("output_item.done", `,"output_index":0,"item":`+item)
	completed := event("completed", `,"response":{"id":"r","model":"m","status":"completed","output":[`+item+`],"usage":{"input_tokens":1,"output_tokens":2}}`)
	text := event("output_text.delta", `,"output_index":1,"delta":"hi"`)
	for _, tc := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"all of it", []string{created, added, piece, whole, completed}, []string{"call c f x", "usage 1/2", "end completed"}},
		{"the end alone", []string{completed}, []string{"call c f x", "usage 1/2", "end completed"}},
		{"the end again", []string{created, whole, completed, completed, done}, []string{"call c f x", "usage 1/2", "end completed"}},
		{"no whole items", []string{created, added, piece, completed}, []string{"call c f x", "usage 1/2", "end completed"}},
		{"no output at the end", []string{created, added, piece, text, event("completed", `,"response":{"id":"r","status":"completed","output":[]}`)}, []string{"call c f x", "text hi", "end completed"}},
		{"no response at the end", []string{created, whole, event("completed", "")}, []string{"call c f x", "end completed"}},
		{"cut", []string{created, added, piece, text}, []string{"|", "call c f x", "text hi"}},
		{"cut behind a whole item", []string{created, added, piece, whole, text}, []string{"|", "call c f x", "text hi"}},
		{"failed", []string{created, text, event("failed", `,"response":{"id":"r","status":"failed","error":{"code":"server_error","message":"m"},"output":[]}`)}, []string{"text hi", "end server_error m"}},
		{"an error", []string{created, text, `data: {"type":"error","code":"E","message":"m","sequence_number":3}`}, []string{"text hi", "end E m"}},
		{"incomplete", []string{created, event("incomplete", `,"response":{"id":"r","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[]}`)}, []string{"notice length", "end incomplete"}},
		{"another response", []string{created, text, event("created", `,"response":{"id":"r2","status":"in_progress","output":[]}`), completed}, []string{"text hi", "call c f x", "usage 1/2", "end completed"}},
	} {
		t.Run(tc.name, func(t *testing.T) { assert.Equal(t, tc.want, parse(t, tc.lines...)) })
	}
}

func TestItems(t *testing.T) {
	for _, tc := range []struct{ name, item, want string }{
		{"shell command", `{"type":"local_shell_call","call_id":"c","action":{"command":["bash","-lc","ls -la"]}}`, "call c local_shell ls -la"},
		{"shell commands", `{"type":"shell_call","call_id":"c","action":{"commands":["cd x","ls"]}}`, "call c shell cd x\nls"},
		{"shell output", `{"type":"shell_call_output","call_id":"c","output":[{"stdout":"a\n","stderr":"b","outcome":{"type":"exit","exit_code":3}}]}`, `result c "a\nb" error=true`},
		{"shell timeout", `{"type":"shell_call_output","call_id":"c","output":[{"stdout":"a","stderr":"","outcome":{"type":"timeout"}}]}`, `result c "a" error=true`},
		{"patch", `{"type":"apply_patch_call","call_id":"c","operation":{"type":"update_file","path":"a.go","diff":"@@"}}`, "call c apply_patch a.go"},
		{"custom patch", `{"type":"custom_tool_call","call_id":"c","name":"apply_patch","input":"*** Begin Patch\n*** Delete File: b.go\n"}`, "call c apply_patch b.go"},
		{"opened page", `{"type":"web_search_call","id":"w","status":"failed","action":{"type":"open_page","url":"http://x"}}`, `call w web_search http://x;result w "" error=true`},
		{"file search", `{"type":"file_search_call","id":"f","status":"completed","queries":["a","b"]}`, `call f file_search a;result f "" error=false`},
		{"code", `{"type":"code_interpreter_call","id":"i","status":"completed","code":"print(1)","outputs":[{"type":"logs","logs":"1"}]}`, `call i code_interpreter;result i "1" error=false`},
		{"MCP", `{"type":"mcp_call","id":"m","name":"get","arguments":"{\"query\":\"q\"}","output":"o","error":null}`, `call m get q;result m "o" error=false`},
		{"failed MCP", `{"type":"mcp_call","id":"m","name":"get","arguments":"{}","output":null,"error":{"type":"http_error","message":"boom"}}`, `call m get;result m "" error=true`},
		{"approval", `{"type":"mcp_approval_request","id":"a","name":"get","arguments":"{\"path\":\"x\"}"}`, "approval a get x"},
		{"output parts", `{"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"a"},{"type":"input_image"},{"type":"input_text","text":"b"}]}`, `result c "a\nb" error=false`},
		{"a message of the user", `{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}`, ""},
		{"reasoning itself", `{"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"a"},{"type":"reasoning_text","text":"b"}]}`, "reasoning a\n\nb"},
		{"no id at all", `{"type":"function_call","name":"f","arguments":"{}"}`, "call r#call-1 f"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := parse(t, `{"id":"r","object":"response","status":"completed","output":[`+tc.item+`]}`)
			require.Equal(t, "end completed", got[len(got)-1])
			assert.Equal(t, tc.want, strings.Join(got[:len(got)-1], ";"))
		})
	}
}

// TestRequests checks that each result is emitted once, although every request repeats the conversation.
func TestRequests(t *testing.T) {
	request := func(messages string) string { return `{"model":"m","messages":[` + messages + `]}` }
	user, call := `{"role":"user","content":"do it"}`, `,{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}`
	result := func(text string) string { return fmt.Sprintf(`,{"role":"tool","tool_call_id":"c","content":%q}`, text) }
	assert.Equal(t, []string{"prompt do it", `result c "a" error=false`, `result c "b" error=false`, "prompt and now"}, parse(t,
		request(user), request(user+call+result("a")), request(user+call+result("a")),
		request(user+call+result("a")+call+result("b")),
		request(user+call+result("a")+call+result("b")+`,{"role":"assistant","content":"done"},{"role":"user","content":[{"type":"text","text":"and now"}]}`)))
	assert.Equal(t, []string{"prompt x", `result k "o" error=false`}, parse(t,
		`{"model":"m","input":[{"role":"user","content":"x"}]}`,
		`{"model":"m","input":[{"role":"user","content":"x"},{"type":"function_call","call_id":"k","name":"f"},{"type":"function_call_output","call_id":"k","output":"o"}]}`))
	assert.Equal(t, []string{"prompt x"}, parse(t, `{"messages":[{"role":"user","content":"x"}],"max_tokens":5}`), "Azure's have no model")
	assert.Empty(t, parse(t, request(`{"role":"tool","content":"no id"},{"role":"function","name":"f","content":"legacy"},7`)))
}

func TestTargets(t *testing.T) {
	for _, tc := range []struct{ name, tool, args, want string }{
		{"general list", "read_file", `{"path":"a"}`, "a"},
		{"pattern before path", "grep", `{"path":"src","pattern":"x"}`, "x"},
		{"command before path", "run_shell", `{"path":"src","command":"ls"}`, "ls"},
		{"cmd", "exec_command", `{"path":"src","cmd":"ls"}`, "ls"},
		{"a known tool without its field", "grep", `{"query":"x"}`, "x"},
		{"words of a command", "shell", `{"command":["ls","-la"]}`, "ls -la"},
		{"shell around a command", "shell", `{"command":["/bin/bash","-lc","go test ./..."]}`, "go test ./..."},
		{"shell around a line", "bash", `{"command":"bash -lc 'echo '\\''hi'\\'''"}`, "echo 'hi'"},
		{"double quotes", "bash", `{"command":"sh -c \"echo \\\"hi\\\"\""}`, `echo "hi"`},
		{"two commands", "bash", `{"command":"bash -lc 'a' && b"}`, "bash -lc 'a' && b"},
		{"no quotes", "bash", `{"command":"bash -lc ls"}`, "ls"},
		{"no script", "bash", `{"command":"bash run.sh"}`, "bash run.sh"},
		{"a quote that never ends", "bash", `{"command":"bash -lc 'a"}`, "bash -lc 'a"},
		{"patch", "apply_patch", `{"input":"*** Begin Patch\n*** Update File: a.go\n*** Update File: b.go\n"}`, "a.go"},
		{"patch in a shell", "shell", `{"command":["apply_patch","*** Begin Patch\n*** Add File: a.go\n"]}`, "a.go"},
		{"patch of no file", "apply_patch", `{"input":"nothing"}`, ""},
		{"nothing", "f", `{"n":1}`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			args := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(tc.args)
			got := parse(t, `{"choices":[{"message":{"tool_calls":[{"id":"c","function":{"name":"`+tc.tool+`","arguments":"`+args+`"}}]},"finish_reason":"stop"}]}`)
			assert.Equal(t, strings.TrimRight("call c "+tc.tool+" "+tc.want, " "), got[0])
		})
	}
}
