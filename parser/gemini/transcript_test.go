package gemini_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/gemini"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
)

// TestDocumentIsRewritten passes one parser the states of a document, as a reader sees them while it is rewritten.
func TestDocumentIsRewritten(t *testing.T) {
	const folder = "../../testdata/gemini/case-rewritten-"
	p := newSource()
	var got []string
	var total events.UsageTotal
	for _, state := range []string{"1", "2", "2", "3", "1", "3"} {
		document := parsertest.Lines(t, folder+state+".session.json")[0]
		assert.Empty(t, p.ParseEvents(document[:len(document)/2]), "half written")
		assert.Equal(t, events.LineMalformed, p.LineStatus())
		for _, e := range p.ParseEvents(document) {
			if e.Kind == events.KindUsage {
				total.Add(e.Model, e.Usage)
				continue
			}
			got = append(got, e.Kind.String()+" "+e.Text)
		}
		assert.Equal(t, events.LineOK, p.LineStatus())
	}
	assert.Equal(t, []string{"session_start ", "prompt go", "text Going.", "text Gone."}, got)
	sum := total.Sum().Provider
	assert.Equal(t, [2]int64{24, 5}, [2]int64{sum.Input, sum.Output})
}

// TestDocumentsAgain checks for every fixture that is a document that everything is emitted once.
func TestDocumentsAgain(t *testing.T) {
	for _, file := range parsertest.Fixtures(t, gemini.Name) {
		if lines := parsertest.Lines(t, file); strings.HasSuffix(file, ".session.json") {
			p := newSource()
			require.NotEmpty(t, p.ParseEvents(lines[0]), file)
			assert.Empty(t, p.ParseEvents(lines[0]), file)
		}
	}
}

// TestTwinsAgree checks that a document and the JSONL into which a later version converted it use the same names.
func TestTwinsAgree(t *testing.T) {
	ids := func(file string) (ids []string) {
		p := newSource()
		for _, line := range parsertest.Lines(t, "../../testdata/gemini/"+file) {
			for _, e := range p.ParseEvents(line) {
				ids = append(ids, e.Kind.String()+" "+e.SessionID+" "+e.MessageID+" "+e.ItemID+" "+e.Tool.ID)
			}
		}
		return ids
	}
	document := ids("parity-0.38.2.session.json")
	migrated := ids("resume-legacy.session.jsonl")
	require.Greater(t, len(migrated), len(document))
	assert.Equal(t, document, migrated[:len(document)])
}

func TestTextOfAMessage(t *testing.T) {
	content := func(c string) string {
		return `{"id":"g1","timestamp":"2026-01-01T00:00:02.000Z","type":"gemini","content":` + c + `,"model":"pro"}`
	}
	for _, tc := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{name: "written again", lines: []string{content(`"a"`), content(`"a"`)}, want: []string{"a"}},
		{name: "empty first", lines: []string{content(`""`), content(`" "`), content(`"a"`)}, want: []string{"a"}},
		{name: "grown", lines: []string{content(`"a"`), content(`"a b"`), content(`"a b"`)}, want: []string{"a", " b"}},
		{name: "cut", lines: []string{content(`"a b"`), content(`"a"`), content(`"a b"`)}, want: []string{"a b"}},
		{name: "changed", lines: []string{content(`"a"`), content(`"other"`)}, want: []string{"a"}},
		{name: "parts", lines: []string{content(`[{"text":"a "},{"text":"hm","thought":true},{"functionCall":{"name":"x"}},"b",{"text":"c"}]`)}, want: []string{"a bc"}},
		{name: "lone surrogate", lines: []string{content(`"a\ud83d"`)}, want: []string{"a\uFFFD"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := only(feed(t, newSource(), append([]string{headerLine}, tc.lines...)...), events.KindText)
			assert.Equal(t, tc.want, texts(got))
			seen := map[string]bool{}
			for _, e := range got {
				assert.Equal(t, "g1", e.MessageID)
				assert.False(t, e.Delta)
				assert.False(t, seen[e.ItemID], "two things under the id %q", e.ItemID)
				seen[e.ItemID] = true
			}
		})
	}
}

func TestThoughts(t *testing.T) {
	line := func(thoughts string) string {
		return `{"id":"g1","timestamp":"2026-01-01T00:00:02.000Z","type":"gemini","content":"","model":"pro","thoughts":[` + thoughts + `]}`
	}
	one := `{"subject":"Look","description":"I will look.","timestamp":"2026-01-01T00:00:01.000Z"}`
	two := `{"subject":"","description":"plain"},{"subject":"Alone","description":""},{"subject":"","description":" "}`
	all := feed(t, newSource(), line(one), line(one), line(one+","+two), line(one+","+two))
	assert.Equal(t, []string{"Look\nI will look.", "plain", "Alone"}, texts(all))
	assert.Equal(t, time.Date(2026, 1, 1, 0, 0, 1, 0, time.UTC), all[0].Time)
	assert.Equal(t, time.Date(2026, 1, 1, 0, 0, 2, 0, time.UTC), all[1].Time)
}

func TestRecordedCalls(t *testing.T) {
	open, done := shellCall("c", "executing", ""), shellCall("c", "success", "x")
	other := strings.Replace(done, `"command":"x"`, `"command":"y"`, 1)
	for _, tc := range []struct {
		name          string
		lines         []string
		uses, results int
	}{
		{name: "written again", lines: []string{recorded("g1", "", done), recorded("g1", "", done)}, uses: 1, results: 1},
		{name: "result later", lines: []string{recorded("g1", "", open), recorded("g1", "", done), recorded("g1", "", open)}, uses: 1, results: 1},
		{name: "arguments changed by a hook", lines: []string{recorded("g1", "", open), recorded("g1", "", other)}, uses: 1, results: 1},
		{name: "one id in two messages", lines: []string{recorded("g1", "", done), recorded("g2", "", done), recorded("g1", "", done), recorded("g2", "", done)}, uses: 2, results: 2},
		{name: "calls without ids", lines: []string{recorded("g1", "", shellCall("", "success", "x")+","+shellCall("", "success", "x")), recorded("g1", "", shellCall("", "success", "x"))}, uses: 2, results: 2},
		{name: "waiting for leave", lines: []string{recorded("g1", "", shellCall("c", "awaiting_approval", ""))}, uses: 1},
		{name: "unknown status with a result", lines: []string{recorded("g1", "", shellCall("c", "melted", "x"))}, uses: 1, results: 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			all := feed(t, newSource(), append([]string{headerLine}, tc.lines...)...)
			assert.Len(t, only(all, events.KindToolUse), tc.uses)
			assert.Len(t, only(all, events.KindToolResult), tc.results)
		})
	}
}

func TestShellResults(t *testing.T) {
	const open, closed = "<untrusted_context>\n", "\n</untrusted_context>"
	for _, tc := range []struct {
		name, status, output string
		want                 events.Tool
	}{
		{name: "success", output: open + "Output: fine\nProcess Group PGID: 9" + closed, want: events.Tool{Summary: "fine"}},
		{name: "exit code", output: open + "Output: a\nb\nExit Code: 7\nProcess Group PGID: 9" + closed, want: events.Tool{Summary: "a", Error: true, Err: "a\nb", ExitCode: 7, HasExitCode: true}},
		{name: "without the envelope, as in 0.38", output: "Output: a\nExit Code: 7\nBackground PIDs: 1, 2\nProcess Group PGID: 9", want: events.Tool{Summary: "a", Error: true, Err: "a", ExitCode: 7, HasExitCode: true}},
		{name: "all lines, as in 0.24", output: "Command: x\nDirectory: (root)\nOutput: a\nError: (none)\nExit Code: 0\nSignal: 0\nBackground PIDs: (none)\nProcess Group PGID: 9",
			want: events.Tool{Summary: "a", HasExitCode: true}},
		{name: "failed in 0.24", output: "Command: for i in 1\ndo x\ndone\nDirectory: (root)\nOutput: \nError: (none)\nExit Code: 2\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 9",
			want: events.Tool{Error: true, Err: "Exit Code: 2", ExitCode: 2, HasExitCode: true}},
		{name: "output that imitates the end", output: open + "Output: Exit Code: 7\nmore" + closed, want: events.Tool{Summary: "Exit Code: 7"}},
		{name: "output that imitates the end before the end", output: open + "Output: Exit Code: 7\nmore\nProcess Group PGID: 9" + closed, want: events.Tool{Summary: "Exit Code: 7"}},
		{name: "no output", output: open + "Output: (empty)\nExit Code: 1" + closed, want: events.Tool{Summary: "(empty)", Error: true, Err: "Exit Code: 1", ExitCode: 1, HasExitCode: true}},
		{name: "killed", output: open + "Output: (empty)\nSignal: 9\nProcess Group PGID: 9" + closed, want: events.Tool{Summary: "(empty)", Error: true, Err: "Signal: 9"}},
		{name: "cut", output: open + "Output too large. Showing first 8,000 and last 32,000 characters. For full output see: /x\nab" + closed,
			want: events.Tool{Summary: "Output too large. Showing first 8,000 and last 32,000 characters. For full output see: /x", Truncated: true}},
		{name: "background", output: open + "Command moved to background (PID: 1). Output hidden." + closed, want: events.Tool{Summary: "Command moved to background (PID: 1). Output hidden.", State: events.ToolStateBackground}},
		{name: "cancelled by the user before it ran", status: "cancelled", output: "[Operation Cancelled] Reason: User denied execution.",
			want: events.Tool{Summary: "[Operation Cancelled] Reason: User denied execution.", Error: true, Err: "[Operation Cancelled] Reason: User denied execution.", Denied: true, State: events.ToolStateStopped}},
		{name: "cancelled at work", status: "cancelled", output: "[Operation Cancelled] User cancelled tool execution.",
			want: events.Tool{Summary: "[Operation Cancelled] User cancelled tool execution.", Error: true, Err: "[Operation Cancelled] User cancelled tool execution.", State: events.ToolStateStopped}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status := tc.status
			if status == "" {
				status = "success"
			}
			results := only(feed(t, newSource(), recorded("g1", "", shellCall("c", status, tc.output))), events.KindToolResult)
			require.Len(t, results, 1)
			got := results[0].Tool
			assert.Equal(t, tc.output, string(got.Output), "the output is what the model saw")
			assert.Equal(t, len(tc.output), got.Size)
			got.Output, got.Size = nil, 0
			tc.want.ID, tc.want.Name = "c", "run_shell_command"
			assert.Equal(t, tc.want, got)
		})
	}
}

func TestResultShapes(t *testing.T) {
	for _, tc := range []struct {
		name, rest, want string
		failed           bool
	}{
		{name: "parts", rest: `"status":"success","result":[{"functionResponse":{"response":{"output":"a"}}},{"inlineData":{"data":"xx"}},{"text":"b"},"c"]`, want: "a\nb\nc"},
		{name: "one part", rest: `"status":"success","result":{"functionResponse":{"response":{"output":"a"}}}`, want: "a"},
		{name: "a string", rest: `"status":"success","result":"a"`, want: "a"},
		{name: "an object of another shape", rest: `"status":"success","result":[{"functionResponse":{"response":{"content":[1]}}}]`, want: `{"content":[1]}`},
		{name: "an output that is no string", rest: `"status":"success","result":[{"functionResponse":{"response":{"output":{"n":1}}}}]`, want: `{"n":1}`},
		{name: "none, but a display", rest: `"status":"error","result":null,"resultDisplay":"shown"`, want: "shown", failed: true},
		{name: "none, and a display of another shape", rest: `"status":"success","resultDisplay":{"fileDiff":"x"}`},
		{name: "error without a status", rest: `"result":[{"functionResponse":{"response":{"error":"bad"}}}]`, want: "bad", failed: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			results := only(feed(t, newSource(), recorded("g1", "", `{"id":"c","name":"mcp_a_b","args":{},`+tc.rest+`}`)), events.KindToolResult)
			require.Len(t, results, 1)
			assert.Equal(t, tc.want, string(results[0].Tool.Output))
			assert.Equal(t, tc.failed, results[0].Tool.Error)
		})
	}
}

func TestPrompts(t *testing.T) {
	user := func(id, content, rest string) string {
		return fmt.Sprintf(`{"id":%q,"timestamp":"2026-01-01T00:00:00.000Z","type":"user","content":%s%s}`, id, content, rest)
	}
	for _, tc := range []struct {
		name, line, want string
		synthetic        bool
	}{
		{name: "a string", line: user("u", `"do it"`, ""), want: "do it"},
		{name: "parts", line: user("u", `[{"text":"do "},{"text":"it"}]`, ""), want: "do it"},
		{name: "as typed", line: user("u", `[{"text":"see @x"},{"text":"content of x"}]`, `,"displayContent":[{"text":"see @x"}]`), want: "see @x"},
		{name: "as typed, a string", line: user("u", `[{"text":"expanded"}]`, `,"displayContent":"/cmd"`), want: "/cmd"},
		{name: "the CLI's context", line: user("u", `[{"text":"<session_context>\nx"}]`, ""), want: "<session_context>\nx", synthetic: true},
		{name: "a summary", line: user("u", `"<state_snapshot>x"`, ""), want: "<state_snapshot>x", synthetic: true},
		{name: "a hook beside results", line: user("u", `[{"functionResponse":{}},{"text":"mind this"}]`, ""), want: "mind this", synthetic: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			all := feed(t, newSource(), headerLine, tc.line, tc.line)
			require.Len(t, all, 2, "the start, and the prompt once")
			assert.Equal(t, events.KindPrompt, all[1].Kind)
			assert.Equal(t, tc.want, all[1].Text)
			assert.Equal(t, tc.synthetic, all[1].Synthetic)
			assert.Empty(t, all[1].MessageID)
		})
	}
}

// TestCopiedHistory checks that repeated records yield nothing, and that the lines after them do.
func TestCopiedHistory(t *testing.T) {
	user := func(id, text string) string {
		return fmt.Sprintf(`{"id":%q,"type":"user","content":[{"text":%q}]}`, id, text)
	}
	again := func(id string) string {
		return fmt.Sprintf(`{"id":%q,"type":"gemini","content":[{"text":"a"},{"functionCall":{"id":"c","name":"glob","args":{}}}],"thoughts":[],"tokens":null}`, id)
	}
	snapshot := `{"$set":{"messages":[{"id":"x1","type":"user","content":[{"text":"<session_context>"}]},{"id":"x2","type":"gemini","content":[{"text":"never seen"}]}]}}`
	for _, tc := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{name: "masking", lines: []string{user("x1", "<session_context>"), user("x2", "one"), again("x3"), user("x4", "two"), again("x5"), snapshot, user("u3", "three"), recorded("g3", "c", "")}, want: []string{"three", "c"}},
		{name: "masking without a snapshot", lines: []string{again("x3"), user("x4", "two"), recorded("g3", "c", ""), user("u3", "three")}, want: []string{"c", "three"}},
		{name: "resume", lines: []string{headerLine, snapshot, `{"$set":{"sessionId":"s1"}}`, snapshot, user("u3", "three")}, want: []string{"three"}},
		{name: "context of a resumed session as a line", lines: []string{headerLine, user("x1", "<session_context>"), user("u3", "three")}, want: []string{"<session_context>", "three"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newSource()
			feed(t, p, headerLine, user("u1", "one"), recorded("g1", "a", ""), user("u2", "two"), recorded("g2", "b", ""))
			var got []string
			for _, e := range feed(t, p, tc.lines...) {
				if e.Kind != events.KindUsage {
					got = append(got, e.Text)
				}
			}
			assert.Equal(t, tc.want, got)
		})
	}
}

func TestCompaction(t *testing.T) {
	set := func(id, summary string) string {
		return `{"$set":{"messages":[{"id":"ctx","type":"user","content":[{"text":"<session_context>"}]},{"type":"user","content":[{"text":"` + summary + `"}],"id":"` + id + `"}],"lastUpdated":"2026-01-01T00:00:05.000Z"}}`
	}
	all := feed(t, newSource(), headerLine, set("a", "plain"), set("b", "<state_snapshot>one"), set("c", "<state_snapshot>one"), set("d", "<state_snapshot>two"))
	require.Len(t, all, 3)
	for i, id := range []string{"b", "d"} {
		e := all[i+1]
		assert.Equal(t, events.Notice{Code: events.NoticeCompaction}, e.Notice)
		assert.Equal(t, id, e.ItemID)
		assert.Equal(t, time.Date(2026, 1, 1, 0, 0, 5, 0, time.UTC), e.Time)
	}
}

func TestSubagentTranscript(t *testing.T) {
	child := strings.Replace(strings.Replace(headerLine, `"main"`, `"subagent"`, 1), `"s1"`, `"a1"`, 1)
	all := feed(t, newSource(), child, recorded("g1", "a", ""))
	require.Len(t, all, 2, "no session starts")
	assert.Equal(t, "a1", all[0].AgentID)
	for status, want := range map[string]events.Outcome{"success": events.OutcomeOK, "error": events.OutcomeUnknown} {
		all = feed(t, newSource(), child, recorded("g1", "", `{"id":"c","name":"complete_task","args":{"result":"r"},"status":"`+status+`"}`))
		require.Equal(t, events.KindToolResult, all[1].Kind)
		assert.Equal(t, want, all[1].Sign.Outcome, "handing in its result ends its work")
	}

	call := `{"id":"c","name":"invoke_agent","args":{"agent_name":"finder","prompt":"find it"},"agentId":"a1","status":"success","result":[{"functionResponse":{"response":{"output":"done"}}}]}`
	all = feed(t, newSource(), headerLine, recorded("g1", "", call))
	require.Len(t, all, 4)
	assert.Equal(t, "finder", all[1].Tool.AgentType)
	assert.Equal(t, "find it", all[1].Tool.Target)
	assert.Empty(t, all[1].AgentID)
	assert.Equal(t, "a1", all[2].Tool.AgentID, "the result names the sub-agent")
}

func TestDocumentOfTheOtherOutput(t *testing.T) {
	tokens := `"tokens":{"input":60,"prompt":100,"candidates":7,"total":113,"cached":40,"thoughts":5,"tool":1}`
	all := feed(t, newSource(), `{"session_id":"s1","response":"Done.","warnings":["Loop detected"],"stats":{"tools":{"totalCalls":4},"models":{"pro":{"api":{},`+tokens+`}},"files":{}}}`)
	require.Len(t, all, 4)
	assert.Equal(t, "Done.", all[0].Text)
	assert.Equal(t, events.Notice{Level: events.LevelWarn, Code: "loop_detected"}, all[1].Notice)
	assert.Equal(t, "pro", all[2].Model)
	assert.Equal(t, events.Usage{
		Scope:    events.UsageScopeRun,
		Provider: events.Tokens{Input: 100, Output: 7, CacheRead: 40, Reasoning: 5},
		Tokens:   events.Tokens{Input: 101, Output: 12, CacheRead: 40, Reasoning: 5},
	}, *all[2].Usage)
	assert.Equal(t, events.End{Code: "success", Result: "Done."}, *all[3].End)
	assert.Equal(t, "s1", all[3].SessionID)

	all = feed(t, newSource(), `{"session_id":"s1","error":{"type":"Error","message":"[API Error: x]","code":401}}`)
	require.Len(t, all, 1)
	assert.Equal(t, events.End{Error: true, Cause: events.CauseOther, Code: "Error", Err: "[API Error: x]"}, *all[0].End)
}
