package gemini_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
)

// feed parses lines and returns all their events.
func feed(t *testing.T, p *parsertest.Source, lines ...string) []events.DisplayEvent {
	t.Helper()
	var all []events.DisplayEvent
	for _, line := range lines {
		require.True(t, json.Valid([]byte(line)), "the test's own line is malformed: %s", line)
		for _, e := range p.ParseEvents([]byte(line)) {
			e.Tool.Output = append([]byte(nil), e.Tool.Output...)
			all = append(all, e)
		}
	}
	return all
}

// only returns the events of a kind.
func only(all []events.DisplayEvent, kind events.Kind) (some []events.DisplayEvent) {
	for _, e := range all {
		if e.Kind == kind {
			some = append(some, e)
		}
	}
	return some
}

// texts returns the Text of events.
func texts(all []events.DisplayEvent) (s []string) {
	for _, e := range all {
		s = append(s, e.Text)
	}
	return s
}

const (
	initLine   = `{"type":"init","timestamp":"2026-01-01T00:00:00.000Z","session_id":"s1","model":"pro"}`
	headerLine = `{"sessionId":"s1","projectHash":"h","startTime":"2026-01-01T00:00:00.000Z","lastUpdated":"2026-01-01T00:00:00.000Z","kind":"main"}`
)

func say(text string) string {
	return fmt.Sprintf(`{"type":"message","timestamp":"2026-01-01T00:00:01.000Z","role":"assistant","content":%q,"delta":true}`, text)
}

// recorded returns a gemini message of a transcript.
func recorded(id, content, calls string) string {
	return fmt.Sprintf(`{"id":%q,"timestamp":"2026-01-01T00:00:02.000Z","type":"gemini","content":%q,"model":"pro","tokens":{"input":1,"output":1,"total":2},"toolCalls":[%s]}`, id, content, calls)
}

// shellCall returns a call of the shell whose model received output.
func shellCall(id, status, output string) string {
	return fmt.Sprintf(`{"id":%q,"name":"run_shell_command","args":{"command":"x"},"status":%q,"result":[{"functionResponse":{"id":%q,"response":{"output":%q}}}]}`, id, status, id, output)
}

func TestLineStatus(t *testing.T) {
	for _, tc := range []struct {
		name, line string
		status     events.LineStatus
		unknown    string
	}{
		{name: "blank", line: " \t\r", status: events.LineIgnored},
		{name: "only NULs", line: "\x00\x00", status: events.LineIgnored},
		{name: "words", line: "Using saved sign-in.", status: events.LineMalformed},
		{name: "torn", line: `{"type":"message","role":"assi`, status: events.LineMalformed},
		{name: "number", line: "42", status: events.LineMalformed},
		{name: "null", line: "null", status: events.LineMalformed},
		{name: "array of nothing", line: "[]", status: events.LineMalformed},
		{name: "words behind an object", line: `{"$set":{}} and more`, status: events.LineMalformed},
		{name: "patch", line: `{"$set":{"lastUpdated":"x"}}`, status: events.LineIgnored},
		{name: "patch of another type", line: `{"$set":null}`, status: events.LineIgnored},
		{name: "masked copy", line: `{"id":"x","type":"gemini","content":[{"text":"again"}],"tokens":null}`, status: events.LineIgnored},
		{name: "nothing", line: `{}`, status: events.LineUnknownType, unknown: "(none)"},
		{name: "unknown type", line: `{"type":"hologram\u001b[31m"}`, status: events.LineUnknownType, unknown: "hologram"},
		{name: "unknown message", line: `{"id":"x","type":"aside","content":""}`, status: events.LineUnknownType, unknown: "message/aside"},
		{name: "message without a type", line: `{"id":"x"}`, status: events.LineUnknownType, unknown: "message/(none)"},
		{name: "unknown role", line: `{"type":"message","role":"tool","content":"x"}`, status: events.LineUnknownType, unknown: "message/tool"},
		{name: "nulls", line: `{"id":"x","timestamp":null,"type":"gemini","content":null,"thoughts":null,"tokens":null,"model":null,"toolCalls":null}`, status: events.LineOK},
		{name: "values of other types", line: `{"id":"x","type":"gemini","content":5,"thoughts":["x"],"tokens":[],"model":{},"toolCalls":[5,{"id":7,"status":3,"result":true}]}`, status: events.LineOK},
		{name: "results of calls", line: `{"id":"x","type":"user","content":[{"functionResponse":{"id":"c"}}]}`, status: events.LineOK},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newSource()
			all := p.ParseEvents([]byte(tc.line))
			if tc.name != "values of other types" { // whose call is still one
				assert.Empty(t, all)
			}
			assert.Equal(t, tc.status, p.LineStatus())
			assert.Equal(t, tc.unknown, p.UnknownType())
		})
	}
}

func TestPiecesOfText(t *testing.T) {
	use := `{"type":"tool_use","timestamp":"2026-01-01T00:00:01.000Z","tool_name":"glob","tool_id":"c1","parameters":{"pattern":"*"}}`
	result := `{"type":"tool_result","timestamp":"2026-01-01T00:00:02.000Z","tool_id":"c1","status":"success"}`
	for _, tc := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{name: "white space within is kept", lines: []string{say("a "), say("\n"), say(" b\n")}, want: []string{"a ", "\n", " b\n"}},
		{name: "white space before comes with what follows", lines: []string{say("\n"), say(" "), say("a")}, want: []string{"\n a"}},
		{name: "white space alone is no text", lines: []string{say("\n"), use, result, say(" "), say("b")}, want: []string{" b"}},
		{name: "another line begins a new text", lines: []string{say("a"), use, say(" "), use, say("b")}, want: []string{"a", "b"}},
		{name: "empty pieces", lines: []string{say(""), say("a"), say("")}, want: []string{"a"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := only(feed(t, newSource(), append([]string{initLine}, tc.lines...)...), events.KindText)
			assert.Equal(t, tc.want, texts(got))
			for _, e := range got {
				assert.True(t, e.Delta)
				assert.NotEmpty(t, e.MessageID)
			}
		})
	}
	t.Run("much white space does not wait for ever", func(t *testing.T) {
		p := newSource()
		n := 0
		for range 100 {
			for _, e := range feed(t, p, say(strings.Repeat(" ", 100))) {
				n += len(e.Text)
			}
		}
		assert.Equal(t, 100*100, n)
	})
}

func TestMessagesOfAStream(t *testing.T) {
	line := func(kind, rest string) string {
		return `{"type":"` + kind + `","timestamp":"2026-01-01T00:00:01.000Z",` + rest + `}`
	}
	all := feed(t, newSource(), initLine,
		say("a"), line("tool_use", `"tool_name":"glob","tool_id":"c1"`), say("b"), line("tool_use", `"tool_name":"glob","tool_id":"c2"`),
		line("tool_result", `"tool_id":"c1","status":"success"`), line("tool_result", `"tool_id":"c2","status":"success"`),
		say("c"), line("result", `"status":"success"`))
	var ids []string
	for _, e := range all {
		switch e.Kind {
		case events.KindText, events.KindToolUse:
			ids = append(ids, e.MessageID)
			assert.Equal(t, "pro", e.Model)
		default:
			assert.Empty(t, e.MessageID, e.Kind)
		}
		assert.Equal(t, "s1", e.SessionID)
	}
	first, second := "s1@2026-01-01T00:00:01.000Z#1", "s1@2026-01-01T00:00:01.000Z#2"
	assert.Equal(t, []string{first, first, first, first, second}, ids)

	// Another session that began at the same time has different IDs.
	other := feed(t, newSource(), strings.Replace(initLine, `"s1"`, `"s2"`, 1), line("tool_use", `"tool_name":"glob","tool_id":"c1"`))
	assert.Equal(t, "s2@2026-01-01T00:00:01.000Z#1", other[len(other)-1].MessageID)
}

func TestModelOfARouterIsNoModel(t *testing.T) {
	all := feed(t, newSource(), `{"type":"init","timestamp":"2026-01-01T00:00:00.000Z","session_id":"s","model":"auto-gemini-3"}`, say("a"))
	require.Len(t, all, 2)
	assert.Equal(t, "auto-gemini-3", all[0].Model, "as configured")
	assert.Empty(t, all[1].Model)
}

func TestCallsOfAStream(t *testing.T) {
	use := func(id, args string) string {
		return fmt.Sprintf(`{"type":"tool_use","tool_name":"glob","tool_id":%q,"parameters":%s}`, id, args)
	}
	result := func(id string) string {
		return fmt.Sprintf(`{"type":"tool_result","tool_id":%q,"status":"success","output":"x"}`, id)
	}
	for _, tc := range []struct {
		name          string
		lines         []string
		uses, results int
	}{
		{name: "repeat of an open call", lines: []string{use("c", `{}`), use("c", `{}`)}, uses: 1},
		{name: "open call with another body", lines: []string{use("c", `{}`), use("c", `{"pattern":"*"}`)}, uses: 2},
		{name: "id spelled with an escape", lines: []string{use("c", `{}`), strings.Replace(use("c", `{}`), `"c"`, `"\u0063"`, 1)}, uses: 1},
		{name: "id of an answered call", lines: []string{use("c", `{}`), result("c"), use("c", `{}`), result("c")}, uses: 2, results: 2},
		{name: "second result", lines: []string{use("c", `{}`), result("c"), result("c")}, uses: 1, results: 1},
		{name: "result without call", lines: []string{result("c"), result("c")}, results: 1},
		{name: "result before its call", lines: []string{result("c"), use("c", `{}`), result("c")}, uses: 1, results: 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			all := feed(t, newSource(), tc.lines...)
			assert.Len(t, only(all, events.KindToolUse), tc.uses)
			assert.Len(t, only(all, events.KindToolResult), tc.results)
		})
	}
}

func TestResultsOfAStream(t *testing.T) {
	for _, tc := range []struct {
		name, tool, rest string
		want             events.Tool
	}{
		{name: "text", tool: "run_shell_command", rest: `"status":"success","output":"\n one\ntwo"`, want: events.Tool{Summary: "one", Size: 9}},
		{name: "no output", tool: "replace", rest: `"status":"success"`},
		{name: "what the model saw beats the terminal's word", tool: "read_file", rest: `"status":"error","output":"File not found.","error":{"type":"file_not_found","message":"File not found: /x"}`,
			want: events.Tool{Error: true, Err: "File not found: /x", Summary: "File not found: /x", Size: 18}},
		{name: "refused", tool: "read_file", rest: `"status":"error","error":{"type":"policy_violation","message":"no"}`, want: events.Tool{Error: true, Err: "no", Summary: "no", Size: 2, Denied: true}},
		{name: "needs a user who is not there", tool: "glob", rest: `"status":"error","error":{"type":"unhandled_exception","message":"Tool execution for \"FindFiles\" requires user confirmation, which is not supported in non-interactive mode."}`,
			want: events.Tool{Error: true, Denied: true, Err: `Tool execution for "FindFiles" requires user confirmation, which is not supported in non-interactive mode.`,
				Summary: `Tool execution for "FindFiles" requires user confirmation, which is not supported in non-interactive mode.`, Size: 106}},
		{name: "part of a file", tool: "read_file", rest: `"status":"success","output":"Read lines 1-2 of 9 from x"`, want: events.Tool{Summary: "Read lines 1-2 of 9 from x", Size: 26, Truncated: true}},
		{name: "background", tool: "run_shell_command", rest: `"status":"success","output":"Command moved to background (PID: 1). Output hidden."`,
			want: events.Tool{Summary: "Command moved to background (PID: 1). Output hidden.", Size: 52, State: events.ToolStateBackground}},
		{name: "exit codes are not reported", tool: "run_shell_command", rest: `"status":"success","output":"Exit Code: 7"`, want: events.Tool{Summary: "Exit Code: 7", Size: 12}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			all := feed(t, newSource(), `{"type":"tool_use","tool_name":"`+tc.tool+`","tool_id":"c","parameters":{}}`, `{"type":"tool_result","tool_id":"c",`+tc.rest+`}`)
			require.Len(t, all, 2)
			got := all[1].Tool
			got.Output = nil
			tc.want.ID, tc.want.Name = "c", tc.tool
			assert.Equal(t, tc.want, got)
		})
	}
}

func TestEndOfAStream(t *testing.T) {
	for _, tc := range []struct {
		name, line string
		want       events.End
	}{
		{name: "success", line: `{"type":"result","status":"success","stats":{"duration_ms":1500}}`, want: events.End{Code: "success", Duration: 1500 * time.Millisecond}},
		{name: "error", line: `{"type":"result","status":"error","error":{"type":"FatalTurnLimitedError","message":"too many"},"stats":{"duration_ms":0}}`,
			want: events.End{Error: true, Cause: events.CauseMaxTurns, Code: "FatalTurnLimitedError", Err: "too many"}},
		{name: "cancelled", line: `{"type":"result","status":"error","error":{"type":"FatalCancellationError","message":"Operation cancelled."}}`,
			want: events.End{Error: true, Interrupted: true, Code: "FatalCancellationError", Err: "Operation cancelled."}},
		{name: "error without words", line: `{"type":"result","status":"error"}`, want: events.End{Error: true, Cause: events.CauseOther, Code: "error", Err: "no answer"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newSource()
			feed(t, p, initLine, `{"type":"error","severity":"error","message":"no answer"}`)
			assert.True(t, p.State().Incomplete)
			ends := only(feed(t, p, tc.line), events.KindSessionEnded)
			require.Len(t, ends, 1)
			assert.Equal(t, tc.want, *ends[0].End)
			assert.False(t, p.State().Incomplete)
		})
	}
}

func TestNotices(t *testing.T) {
	for _, tc := range []struct {
		line string
		want events.Notice
	}{
		{`{"type":"error","severity":"warning","message":"Loop detected, stopping execution"}`, events.Notice{Level: events.LevelWarn, Code: "loop_detected"}},
		{`{"type":"error","severity":"error","message":"Maximum session turns exceeded"}`, events.Notice{Level: events.LevelError, Code: "max_turns"}},
		{`{"type":"error","severity":"warning","message":"Agent execution blocked: no"}`, events.Notice{Level: events.LevelWarn, Code: events.NoticeHook}},
		{`{"type":"error","severity":"error","message":"else"}`, events.Notice{Level: events.LevelError, Code: events.NoticeInformational}},
		{`{"id":"i","type":"info","content":"Update available"}`, events.Notice{Code: events.NoticeInformational}},
		{`{"id":"i","type":"warning","content":"Careful"}`, events.Notice{Level: events.LevelWarn, Code: events.NoticeInformational}},
		{`{"id":"i","type":"error","content":[{"text":"[API Error: x]"}]}`, events.Notice{Level: events.LevelError, Code: events.NoticeInformational}},
		{`{"$rewindTo":"i"}`, events.Notice{Code: "rewind"}},
	} {
		all := feed(t, newSource(), tc.line)
		require.Len(t, all, 1, tc.line)
		assert.Equal(t, events.KindNotice, all[0].Kind)
		assert.Equal(t, tc.want, all[0].Notice, tc.line)
		assert.NotEmpty(t, all[0].Text)
	}
	p := newSource()
	assert.Len(t, feed(t, p, `{"id":"i","type":"info","content":"once"}`, `{"id":"i","type":"info","content":"once"}`), 1)
}

// TestBatchedResults: the stream's results of several calls are written when the slowest has ended, that of a single
// call when it has ended. Equal times on lines prove nothing: two captures have two times in one batch.
func TestBatchedResults(t *testing.T) {
	call := func(id string) string {
		return fmt.Sprintf(`{"type":"tool_use","timestamp":"2026-01-01T00:00:02.000Z","tool_name":"glob","tool_id":%q,"parameters":{}}`, id)
	}
	answer := func(id string) string {
		return fmt.Sprintf(`{"type":"tool_result","timestamp":"2026-01-01T00:00:03.%s00Z","tool_id":%q,"status":"success"}`, id, id)
	}
	all := feed(t, newSource(), initLine,
		call("1"), call("2"), answer("1"), answer("2"), call("3"), answer("3"), say("Hm."), call("4"), call("5"), call("6"), answer("6"), answer("4"), answer("5"))
	batched := map[string]bool{}
	for _, e := range only(all, events.KindToolResult) {
		batched[e.Tool.ID] = e.Tool.Batched
	}
	assert.Equal(t, map[string]bool{"1": true, "2": true, "3": false, "4": true, "5": true, "6": true}, batched)
}
