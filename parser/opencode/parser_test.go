package opencode_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
)

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

// streamed returns a line of the stream; part is the content of its part in addition to the IDs.
func streamed(kind string, n int, part string) string {
	return fmt.Sprintf(`{"type":%q,"timestamp":%d,"sessionID":"ses_1","part":{"id":"prt_%d","messageID":"msg_1","sessionID":"ses_1",%s}}`, kind, 1772445600000+n, n, part)
}

// logged returns a row of the event log with a part.
func logged(part, message, rest string) string {
	data, _ := json.Marshal(fmt.Sprintf(`{"sessionID":"ses_1","part":{"id":%q,"sessionID":"ses_1","messageID":%q,%s},"time":1772445600000}`, part, message, rest))
	return fmt.Sprintf(`{"table":"event","id":"evt_1","aggregate_id":"ses_1","seq":1,"type":"message.part.updated.1","data":%s}`, data)
}

func kinds(all []events.DisplayEvent) []events.Kind {
	var list []events.Kind
	for _, e := range all {
		list = append(list, e.Kind)
	}
	return list
}

// TestCompactedAfterAnAnswer: `run` compacts a conversation that has grown too long, and continues (1.18.33, scenario compaction of
// `make live`). The answer, the summary and what follows are one session.
func TestCompactedAfterAnAnswer(t *testing.T) {
	var lines []string
	for n := range 3 {
		message := func(line string) string { return strings.ReplaceAll(line, "msg_1", fmt.Sprintf("msg_%d", n)) }
		lines = append(lines, message(streamed("step_start", 1, `"type":"step-start"`)), message(streamed("text", 2, `"type":"text","text":"Done."`)),
			message(streamed("step_finish", 3, `"type":"step-finish","reason":"stop"`)))
	}
	p := newSource()
	var all []events.Kind
	for _, line := range lines {
		all = append(all, kinds(p.ParseEvents([]byte(line)))...)
	}
	all = append(all, kinds(p.Flush())...)
	assert.Equal(t, 1, count(all, events.KindSessionStarted))
	assert.Equal(t, 1, count(all, events.KindSessionEnded))
	assert.Equal(t, events.KindSessionEnded, all[len(all)-1])
}

func count(all []events.Kind, kind events.Kind) (n int) {
	for _, one := range all {
		if one == kind {
			n++
		}
	}
	return n
}

func TestLineStatus(t *testing.T) {
	for _, tc := range []struct {
		name, line string
		status     events.LineStatus
		unknown    string
	}{
		{name: "blank", line: " \t\r", status: events.LineIgnored},
		{name: "words", line: "! permission requested", status: events.LineMalformed},
		{name: "torn", line: `{"type":"text","part":{"id":"prt_`, status: events.LineMalformed},
		{name: "number", line: "42", status: events.LineMalformed},
		{name: "array of nothing", line: "[]", status: events.LineMalformed},
		{name: "words behind an object", line: `{"type":"done"} and more`, status: events.LineMalformed},
		{name: "line without its part", line: `{"type":"text","sessionID":"ses_1"}`, status: events.LineIgnored},
		{name: "part of another type", line: `{"type":"text","sessionID":"ses_1","part":7}`, status: events.LineIgnored},
		{name: "no type", line: `{}`, status: events.LineUnknownType, unknown: "(none)"},
		{name: "unknown line", line: `{"type":"hologram"}`, status: events.LineUnknownType, unknown: "hologram"},
		{name: "unknown part", line: streamed("text", 1, `"type":"hologram"`), status: events.LineUnknownType, unknown: "part/hologram"},
		{name: "unknown table", line: `{"table":"shelf","id":"x"}`, status: events.LineUnknownType, unknown: "table/shelf"},
		{name: "quiet table", line: `{"table":"todo","session_id":"ses_1"}`, status: events.LineIgnored},
		{name: "unknown event", line: `{"table":"event","type":"a.b.1","data":"{}"}`, status: events.LineUnknownType, unknown: "event/a.b.1"},
		{name: "quiet event", line: `{"table":"event","type":"session.deleted.1","data":"{}"}`, status: events.LineIgnored},
		{name: "event of the server", line: `data: {"type":"server.connected","properties":{}}`, status: events.LineIgnored},
		{name: "column that is torn", line: `{"table":"part","id":"prt_1","data":"{\"type\":\"te"}`, status: events.LineMalformed},
		{name: "column that is no object", line: `{"table":"message","id":"msg_1","data":"[]"}`, status: events.LineMalformed},
		{name: "row without its column", line: `{"table":"part","id":"prt_1"}`, status: events.LineMalformed},
		{name: "message without an id", line: `{"table":"message","data":"{}"}`, status: events.LineIgnored},
		{name: "export of nothing", line: `{"info":{},"messages":[]}`, status: events.LineIgnored},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newSource()
			for _, e := range p.ParseEvents([]byte(tc.line)) {
				assert.Contains(t, []events.Kind{events.KindSessionStarted, events.KindSessionEnded}, e.Kind)
			}
			assert.Equal(t, tc.status, p.LineStatus())
			assert.Equal(t, tc.unknown, p.UnknownType())
		})
	}
}

// TestEnds checks when a stream has ended, and how.
func TestEnds(t *testing.T) {
	start := streamed("step_start", 1, `"type":"step-start"`)
	stop := streamed("step_finish", 2, `"type":"step-finish","reason":"stop"`)
	calls := streamed("step_finish", 3, `"type":"step-finish","reason":"tool-calls"`)
	bad := streamed("step_finish", 4, `"type":"step-finish","reason":"error"`)
	failed := `{"type":"error","timestamp":1772445600009,"sessionID":"ses_1","error":{"name":"APIError","data":{"message":"No"}}}`
	aborted := strings.Replace(failed, "APIError", "MessageAbortedError", 1)
	for _, tc := range []struct {
		name       string
		lines      []string
		end        string // code, empty if it has none
		err        bool
		incomplete bool
	}{
		{name: "answered", lines: []string{start, stop}, end: "stop"},
		{name: "killed", lines: []string{start}, incomplete: true},
		{name: "stopped half way", lines: []string{start, calls}, incomplete: true},
		{name: "goes on", lines: []string{start, stop, start}, incomplete: true},
		{name: "failed at once", lines: []string{failed}, end: "APIError", err: true},
		{name: "overcome", lines: []string{start, failed, start, stop}, end: "stop"},
		{name: "finished in error", lines: []string{start, bad}, end: "error", err: true},
		{name: "error after the answer", lines: []string{start, stop, failed}, end: "APIError", err: true},
		{name: "aborted", lines: []string{start, aborted}, end: "MessageAbortedError", err: true},
		{name: "error that is a word", lines: []string{`{"type":"error","sessionID":"ses_1","error":"broken"}`}, end: "UnknownError", err: true},
		{name: "error without words", lines: []string{`{"type":"error","sessionID":"ses_1"}`}, end: "UnknownError", err: true},
		{name: "nothing"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newSource()
			for _, line := range tc.lines {
				assert.NotContains(t, kinds(p.ParseEvents([]byte(line))), events.KindSessionEnded, "an end is held")
			}
			out := p.Flush()
			assert.Equal(t, tc.incomplete, p.State().Incomplete)
			if tc.end == "" {
				assert.Empty(t, out)
				return
			}
			require.Len(t, out, 1)
			assert.Equal(t, events.KindSessionEnded, out[0].Kind)
			assert.Equal(t, tc.end, out[0].End.Code)
			assert.Equal(t, tc.err, out[0].End.Error)
			assert.Equal(t, tc.end == "MessageAbortedError", out[0].End.Interrupted)
			assert.Empty(t, p.Flush(), "once")
		})
	}
}

// TestQuiet checks that Quiet returns an end early, and that the events continue if the agent does.
func TestQuiet(t *testing.T) {
	p := newSource()
	p.ParseEvents([]byte(streamed("step_start", 1, `"type":"step-start"`)))
	assert.Empty(t, p.Quiet(), "the agent is at work")
	p.ParseEvents([]byte(streamed("step_finish", 2, `"type":"step-finish","reason":"stop"`)))
	assert.Equal(t, []events.Kind{events.KindSessionEnded}, kinds(p.Quiet()))
	assert.Empty(t, p.Quiet())
	assert.False(t, p.State().Incomplete)
	p.ParseEvents([]byte(streamed("step_start", 3, `"type":"step-start"`)))
	assert.True(t, p.State().Incomplete)
	p.ParseEvents([]byte(streamed("step_finish", 4, `"type":"step-finish","reason":"length"`)))
	out := p.Flush()
	require.Len(t, out, 1)
	assert.Equal(t, "length", out[0].End.Code)
}

// TestCallInLog follows a call through its states.
func TestCallInLog(t *testing.T) {
	p := newSource()
	state := func(s string) []events.DisplayEvent {
		return p.ParseEvents([]byte(logged("prt_1", "msg_1", `"type":"tool","tool":"bash","callID":"call_1","state":`+s)))
	}
	assert.Empty(t, state(`{"status":"pending","input":{},"raw":""}`))
	use := state(`{"status":"running","input":{"command":"make"},"time":{"start":1772445601000}}`)
	require.Equal(t, []events.Kind{events.KindToolUse}, kinds(use))
	assert.Equal(t, `{"command":"make"}`, string(use[0].Tool.Input))
	assert.Equal(t, time.UnixMilli(1772445601000).UTC(), use[0].Time)
	assert.Empty(t, state(`{"status":"running","input":{"command":"make"},"metadata":{"output":"..."},"time":{"start":1772445601000}}`))
	done := `{"status":"completed","input":{"command":"make"},"output":"\n  broken\n","metadata":{"exit":2,"truncated":true},"time":{"start":1772445601000,"end":1772445603500}}`
	result := state(done)
	require.Equal(t, []events.Kind{events.KindToolResult}, kinds(result))
	tool := result[0].Tool
	assert.True(t, tool.Error && tool.HasExitCode && tool.Truncated && !tool.Denied)
	assert.Equal(t, 2, tool.ExitCode)
	assert.Equal(t, "broken", tool.Summary)
	assert.Equal(t, "\n  broken\n", string(tool.Output))
	assert.Equal(t, 2500*time.Millisecond, tool.Duration)
	assert.Empty(t, state(done), "a repeat")
}

// TestFailedCalls checks which calls failed, and how.
func TestFailedCalls(t *testing.T) {
	for _, tc := range []struct {
		name, tool, state string
		failed, denied    bool
		of                events.ToolState
		err               string
	}{
		{name: "well", tool: "bash", state: `{"status":"completed","output":"ok","metadata":{"exit":0}}`},
		{name: "exit code", tool: "bash", state: `{"status":"completed","output":"bad","metadata":{"exit":3}}`, failed: true, err: "bad"},
		{name: "out of time", tool: "bash", state: `{"status":"completed","output":"note","metadata":{"exit":null}}`, failed: true, err: "note"},
		{name: "no exit code", tool: "bash", state: `{"status":"completed","output":"x","metadata":{}}`},
		{name: "exit code of another tool", tool: "shop_price", state: `{"status":"completed","output":"x","metadata":{"exit":3}}`},
		{name: "unknown tool", tool: "invalid", state: `{"status":"completed","input":{"tool":"teleport"},"output":"no such tool"}`, failed: true, err: "no such tool"},
		{name: "error", tool: "read", state: `{"status":"error","error":"File not found"}`, failed: true, err: "File not found"},
		{name: "rule", tool: "bash", state: `{"status":"error","error":"The user has specified a rule which prevents you from it"}`, failed: true, denied: true, err: "The user has specified a rule which prevents you from it"},
		{name: "rejected", tool: "bash", state: `{"status":"error","error":"The user rejected permission to use this specific tool call."}`, failed: true, denied: true, err: "The user rejected permission to use this specific tool call."},
		{name: "aborted", tool: "bash", state: `{"status":"error","error":"Tool execution aborted","time":{"start":5,"end":4}}`, failed: true, of: events.ToolStateStopped, err: "Tool execution aborted"},
		{name: "error without words", tool: "read", state: `{"status":"error","error":{"a":1}}`, failed: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out := one(t, streamed("step_start", 0, `"type":"step-start"`), streamed("tool_use", 1, `"type":"tool","tool":"`+tc.tool+`","callID":"c","state":`+tc.state))
			require.Equal(t, []events.Kind{events.KindToolUse, events.KindToolResult}, kinds(out))
			tool := out[1].Tool
			assert.Equal(t, tc.failed, tool.Error)
			assert.Equal(t, tc.denied, tool.Denied)
			assert.Equal(t, tc.of, tool.State)
			assert.Equal(t, tc.err, tool.Err)
			assert.GreaterOrEqual(t, tool.Duration, time.Duration(0))
		})
	}
}

// TestCallIDs pairs calls whose IDs the model's server used twice, or not at all.
func TestCallIDs(t *testing.T) {
	p := newSource()
	use := func(part, call, status string) []events.DisplayEvent {
		return p.ParseEvents([]byte(logged(part, "msg_1", `"type":"tool","tool":"read","callID":"`+call+`","state":{"status":"`+status+`","input":{"filePath":"a"},"output":"x"}`)))
	}
	assert.Equal(t, "c", use("prt_1", "c", "running")[0].Tool.ID)
	assert.Equal(t, "prt_2", use("prt_2", "c", "running")[0].Tool.ID, "the id is in use")
	assert.Equal(t, "prt_2", use("prt_2", "c", "completed")[0].Tool.ID)
	assert.Equal(t, "c", use("prt_1", "c", "completed")[0].Tool.ID)
	assert.Equal(t, "c", use("prt_3", "c", "running")[0].Tool.ID, "the id is free again")
	assert.Equal(t, "prt_4", use("prt_4", "", "running")[0].Tool.ID)
}

// TestTextInLog checks that a text is emitted when it has ended, a prompt immediately, and each once.
func TestTextInLog(t *testing.T) {
	p := newSource()
	for _, step := range []struct {
		name, line string
		want       []events.Kind
	}{
		{"user", `{"table":"event","type":"message.updated.1","data":"{\"info\":{\"id\":\"msg_0\",\"sessionID\":\"ses_1\",\"role\":\"user\"}}"}`, nil},
		{"prompt", logged("prt_0", "msg_0", `"type":"text","text":"Go"`), []events.Kind{events.KindPrompt}},
		{"prompt again", logged("prt_0", "msg_0", `"type":"text","text":"Go"`), nil},
		{"file", logged("prt_f", "msg_0", `"type":"text","text":"Called the Read tool","synthetic":true`), []events.Kind{events.KindPrompt}},
		{"note", logged("prt_i", "msg_0", `"type":"text","text":"not for the model","ignored":true`), []events.Kind{events.KindNotice}},
		{"assistant", `{"table":"event","type":"message.updated.1","data":"{\"info\":{\"id\":\"msg_1\",\"sessionID\":\"ses_1\",\"role\":\"assistant\",\"modelID\":\"m\",\"parentID\":\"msg_0\"}}"}`, nil},
		{"begun", logged("prt_1", "msg_1", `"type":"text","text":"","time":{"start":1}`), nil},
		{"on the way", logged("prt_1", "msg_1", `"type":"text","text":"Do","time":{"start":1}`), nil},
		{"ended", logged("prt_1", "msg_1", `"type":"text","text":"Done.","time":{"start":1,"end":1772445600000}`), []events.Kind{events.KindText}},
		{"again", logged("prt_1", "msg_1", `"type":"text","text":"Done.","time":{"start":1,"end":1772445600000}`), nil},
		{"blank", logged("prt_2", "msg_1", `"type":"text","text":" \n","time":{"start":1,"end":2}`), nil},
		{"thought on the way", logged("prt_3", "msg_1", `"type":"reasoning","text":"Hm","time":{"start":1}`), nil},
		{"thought", logged("prt_3", "msg_1", `"type":"reasoning","text":"Hm.","time":{"start":1,"end":2}`), []events.Kind{events.KindReasoning}},
	} {
		out := p.ParseEvents([]byte(step.line))
		assert.Equal(t, step.want, kinds(out), step.name)
		for _, e := range out {
			assert.Equal(t, "msg_0", e.TurnID, step.name)
			isModel := e.Kind == events.KindText || e.Kind == events.KindReasoning
			assert.Equal(t, isModel, e.MessageID == "msg_1", "%s: only what a model call gave has the id of one", step.name)
			assert.Equal(t, isModel, e.Model == "m", step.name)
		}
	}
}

// TestFormsAgree checks that stream, dump, log, export and tree of one session yield the same texts and calls.
func TestFormsAgree(t *testing.T) {
	reported := func(file string, document bool) (texts, calls []string) {
		p := newSource()
		for _, line := range fixture(t, file, document) {
			for _, e := range p.ParseEvents(line) {
				switch e.Kind {
				case events.KindText:
					texts = append(texts, e.MessageID+" "+e.ItemID+" "+e.Text)
				case events.KindToolUse:
					calls = append(calls, e.MessageID+" "+e.ItemID+" "+e.Tool.ID+" "+e.Tool.Name+" "+e.Tool.Target)
				}
			}
		}
		return texts, calls
	}
	texts, calls := reported("parity.jsonl", false)
	require.NotEmpty(t, texts)
	require.NotEmpty(t, calls)
	for _, file := range []string{"parity.session.jsonl", "parity.log.jsonl", "parity.export.json"} {
		gotTexts, gotCalls := reported(file, strings.HasSuffix(file, ".json"))
		assert.ElementsMatch(t, texts, gotTexts, file)
		assert.ElementsMatch(t, calls, gotCalls, file)
	}
}

// TestIDTime checks the times from IDs, used if there is no other time.
func TestIDTime(t *testing.T) {
	out := one(t,
		`{"table":"message","id":"msg_1","session_id":"ses_1","data":{"role":"assistant","time":{"created":1795813561556}}}`,
		`{"table":"part","id":"prt_21ed45a1a001MN0Ow57Iuke7AJ","message_id":"msg_1","session_id":"ses_1","data":{"type":"step-finish","tokens":{"input":1}}}`)
	require.Len(t, out, 1)
	assert.Equal(t, time.UnixMilli(1795813562906).UTC(), out[0].Time)
	for _, id := range []string{"prt_", "prt_zzzzzzzzzzzz", "prt_-00000000001", "x"} {
		out := one(t,
			`{"table":"message","id":"msg_1","session_id":"ses_1","data":{"role":"assistant","time":{"created":1795813561556}}}`,
			`{"table":"part","id":"`+id+`","message_id":"msg_1","session_id":"ses_1","data":{"type":"step-finish","tokens":{"input":1}}}`)
		require.Len(t, out, 1)
		assert.Equal(t, time.UnixMilli(1795813561556).UTC(), out[0].Time, id)
	}
}

// TestRequests checks events that only the server has.
func TestRequests(t *testing.T) {
	out := one(t, `{"type":"permission.asked","properties":{"id":"per_1","sessionID":"ses_1","permission":"bash","patterns":["git push","git push *"]}}`)
	require.Equal(t, []events.Kind{events.KindApprovalRequest}, kinds(out))
	assert.Equal(t, &events.Approval{ID: "per_1", Tool: "bash", Subject: "git push git push *"}, out[0].Approval)
	out = one(t, `{"type":"question.asked","properties":{"id":"q","sessionID":"ses_1","questions":[{"question":"Which?","header":"Pick","multiple":true,"options":[{"label":"A","description":"first"},3]},null]}}`)
	require.Equal(t, []events.Kind{events.KindAskRequest}, kinds(out))
	assert.Equal(t, &events.Ask{ID: "q", Questions: []events.AskQuestion{
		{Header: "Pick", Prompt: "Which?", Multi: true, Options: []events.AskOption{{Label: "A", Description: "first"}}},
	}}, out[0].Ask)
}

// TestMemoryIsBounded passes more messages with pending events than are remembered.
func TestMemoryIsBounded(t *testing.T) {
	p := newSource()
	const n = 40_000
	for i := range n {
		p.ParseEvents(fmt.Appendf(nil, `{"table":"message","id":"msg_%06d","session_id":"ses_1","data":{"role":"assistant","tokens":{"input":1}}}`, i))
	}
	pending := len(p.Flush())
	assert.Less(t, pending, 1<<14+1)
	assert.Greater(t, pending, 1<<12)
}

// TestQuietWhileTheModelAnswers: a step starts with the first words of the model, so a stream is quiet before it. The agent does
// not stop at what comes before: a compaction, or the error of a conversation that it compacts then.
func TestQuietWhileTheModelAnswers(t *testing.T) {
	for _, name := range []string{"compaction", "overflow", "case-error-overcome"} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "opencode", name+".jsonl"))
			require.NoError(t, err)
			p, whole, quiets := newSource(), newSource(), 0
			for line := range bytes.Lines(data) {
				if bytes.HasPrefix(line, []byte(`{"type":"step_start"`)) {
					assert.Empty(t, p.Quiet())
					quiets++
				}
				require.Equal(t, kinds(whole.ParseEvents(line)), kinds(p.ParseEvents(line)))
			}
			assert.Greater(t, quiets, 1)
			assert.Equal(t, []events.Kind{events.KindSessionEnded}, kinds(p.Flush()))
		})
	}
}

// TestQuietAfterAFailedCompaction: a conversation that is still too long after its compaction ends with that error.
func TestQuietAfterAFailedCompaction(t *testing.T) {
	const overflow = `{"type":"error","timestamp":1772445600002,"sessionID":"ses_1","error":{"name":"ContextOverflowError","data":{"message":"Too long"}}}`
	p := newSource()
	p.ParseEvents([]byte(streamed("step_start", 1, `"type":"step-start"`)))
	p.ParseEvents([]byte(overflow))
	assert.Empty(t, p.Quiet())
	assert.Equal(t, []events.Kind{events.KindNotice}, kinds(p.ParseEvents([]byte(overflow))))
	assert.Equal(t, []events.Kind{events.KindSessionEnded}, kinds(p.Quiet()))
}

// TestSessionWithoutAPrompt: a session starts when its model is set, at the first prompt; otherwise at its first other content.
func TestSessionWithoutAPrompt(t *testing.T) {
	const created = `{"table":"session","id":"ses_1","agent":null,"model":null,"time_created":1}`
	for _, c := range []struct {
		name, then string
		want       []events.Kind
	}{
		{"asked", `{"table":"session","id":"ses_1","agent":"build","model":"{\"id\":\"m\",\"providerID\":\"p\"}","time_created":1}`, []events.Kind{events.KindSessionStarted}},
		{"a prompt", `{"table":"message","id":"msg_1","session_id":"ses_1","data":"{\"role\":\"user\"}"}`, []events.Kind{events.KindSessionStarted}},
		{"refused", `{"type":"session.error","properties":{"sessionID":"ses_1","error":{"name":"UnknownError","data":{"message":"no such agent"}}}}`, []events.Kind{events.KindSessionStarted, events.KindNotice}},
		{"retitled", created, nil},
		{"at work", `{"type":"session.status","properties":{"sessionID":"ses_1","status":{"type":"busy"}}}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newSource()
			assert.Empty(t, p.ParseEvents([]byte(created)))
			assert.Empty(t, p.Quiet())
			evs := p.ParseEvents([]byte(c.then))
			assert.Equal(t, c.want, kinds(evs))
			if c.name == "asked" {
				assert.Equal(t, []string{"m", "p", "build"}, []string{evs[0].Model, evs[0].ModelProvider, evs[0].Session.AgentName})
			}
			left := []events.Kind{events.KindSessionStarted}
			if len(c.want) > 0 {
				left = nil
			}
			assert.Equal(t, left, kinds(p.Flush()), "all that is known comes at the end")
		})
	}
}

// TestQuietReportsFailure: in a followed database the error of the last message does not wait for the next message.
func TestQuietReportsFailure(t *testing.T) {
	p := newSource()
	row := func(line string) []events.Kind { return kinds(p.ParseEvents([]byte(line))) }
	row(`{"table":"session","id":"ses_1","model":"{\"id\":\"m\"}","time_created":1}`)
	assert.Empty(t, row(`{"table":"message","id":"msg_1","session_id":"ses_1","data":"{\"role\":\"assistant\",\"error\":{\"name\":\"APIError\",\"data\":{\"message\":\"no\"}}}"}`))
	row(`{"table":"part","id":"prt_1","message_id":"msg_1","session_id":"ses_1","data":"{\"type\":\"text\",\"text\":\"So far\",\"time\":{\"start\":1,\"end\":2}}"}`)
	assert.Equal(t, []events.Kind{events.KindTurnDone}, kinds(p.Quiet()))
	assert.Empty(t, p.Quiet())
	assert.Empty(t, p.Flush())
}
