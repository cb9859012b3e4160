package claude_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/claude"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
)

// TestTables checks that the parser's switches and the tables of docs/formats/claude.md list the same types, and that
// what the tables call ignored is ignored.
func TestTables(t *testing.T) {
	for _, tc := range []struct {
		heading   string
		functions []string
		line      string // containing the type
	}{
		{"Records", []string{"dispatch", "bookkeeping"}, `{"type":%q,"session_id":"s","uuid":"u"}`},
		{"Subtypes of system", []string{"system", "quietSubtype"}, `{"type":"system","subtype":%q,"session_id":"s","uuid":"u"}`},
		{"Pieces of a stream", []string{"streamEvent"}, ""},
		{"Blocks of a message", []string{"assistantBlock"}, ""},
	} {
		t.Run(tc.heading, func(t *testing.T) {
			table := parsertest.Table(t, claude.Name, tc.heading, parsertest.Becomes...)
			documented := slices.Sorted(maps.Keys(table))
			if tc.heading == "Blocks of a message" { // of a user's message
				documented = slices.DeleteFunc(documented, func(name string) bool { return name == "tool_result" })
			}
			assert.Equal(t, parsertest.Cases(t, tc.functions...), documented, "switches (want) and documented types (got)")
			if tc.line != "" {
				parsertest.Types(t, newSource, tc.line, table, "system") // which its subtypes describe
				p := newSource()
				p.ParseEvents(fmt.Appendf(nil, tc.line, "hologram"))
				assert.Equal(t, events.LineUnknownType, p.LineStatus())
			}
		})
	}
}

// TestTablesListEvents parses an example of each type and checks that the result is as described in the tables.
func TestTablesListEvents(t *testing.T) {
	const ids = `,"session_id":"s","uuid":"u"`
	call := assistant("0", "m0", `{"type":"tool_use","id":"c","name":"Bash","input":{"command":"ls"}}`)
	system := func(rest string) string { return `{"type":"system","subtype":` + rest + ids + `}` }
	usage := `"usage":{"input_tokens":1,"output_tokens":1}`
	for heading, examples := range map[string]map[string]string{
		"Records": {
			"assistant": `{"type":"assistant","message":{"id":"m","role":"assistant",` + usage + `,"content":[{"type":"text","text":"x"},{"type":"thinking","thinking":"x"},` +
				`{"type":"server_tool_use","id":"w","name":"web_search","input":{}},{"type":"web_search_tool_result","tool_use_id":"w","content":[]}]}` + ids + `}`,
			"user": user("u", `{"type":"tool_result","tool_use_id":"c","content":"x"},{"type":"text","text":"[Request interrupted by user]"},`+
				`{"type":"text","text":"<task-notification><tool-use-id>c</tool-use-id><status>completed</status></task-notification>"}`, ""),
			"result":           `{"type":"result","subtype":"success","is_error":false,` + usage + ids + `}`,
			"tool_progress":    `{"type":"tool_progress","tool_use_id":"c","tool_name":"Bash"` + ids + `}`,
			"cost-state":       `{"type":"cost-state","sessionId":"s","totalCostUSD":0.5,"modelUsage":{"m":{"costUSD":0.5}}}`,
			"rate_limit_event": `{"type":"rate_limit_event","rate_limit_info":{"status":"rejected"}` + ids + `}`,
		},
		"Subtypes of system": {
			"init":                      system(`"init","model":"m"`),
			"task_started":              system(`"task_started","task_id":"t","tool_use_id":"c","description":"x"`),
			"task_progress":             system(`"task_progress","task_id":"t","tool_use_id":"c","description":"x"`),
			"task_updated":              system(`"task_updated","task_id":"t","tool_use_id":"c","patch":{"status":"completed"}`),
			"task_notification":         system(`"task_notification","task_id":"t","tool_use_id":"c","status":"completed"`),
			"turn_duration":             system(`"turn_duration","durationMs":5`),
			"api_retry":                 system(`"api_retry","attempt":1`),
			"api_error":                 system(`"api_error","retryAttempt":1`),
			"compact_boundary":          system(`"compact_boundary"`),
			"permission_denied":         system(`"permission_denied","message":"no"`),
			"hook_response":             system(`"hook_response","hook_name":"h"`),
			"informational":             system(`"informational","content":"x"`),
			"model_refusal_fallback":    system(`"model_refusal_fallback","content":"x"`),
			"model_refusal_no_fallback": system(`"model_refusal_no_fallback","content":"x"`),
		},
		"Blocks of a message": {
			"text": assistant("u", "m", `{"type":"text","text":"x"}`), "thinking": assistant("u", "m", `{"type":"thinking","thinking":"x"}`),
			"tool_use":        assistant("u", "m", `{"type":"tool_use","id":"d","name":"Bash","input":{}}`),
			"server_tool_use": assistant("u", "m", `{"type":"server_tool_use","id":"d","name":"web_search","input":{}}`),
			"mcp_tool_use":    assistant("u", "m", `{"type":"mcp_tool_use","id":"d","name":"x","input":{}}`),
			"tool_result":     user("u", `{"type":"tool_result","tool_use_id":"c","content":"x"}`, ""),
		},
	} {
		table := parsertest.Table(t, claude.Name, heading, parsertest.Becomes...)
		for kind, becomes := range table {
			if strings.HasPrefix(becomes, "ignored") || kind == "system" || kind == "stream_event" {
				continue
			}
			t.Run(heading+"/"+kind, func(t *testing.T) {
				p := newSource()
				p.ParseEvents([]byte(call))
				got := map[string]bool{}
				for _, e := range p.ParseEvents([]byte(examples[kind])) {
					got[e.Kind.String()] = true
				}
				assert.NotEmpty(t, got, "%s", examples[kind])
				first, _, _ := strings.Cut(strings.ReplaceAll(becomes, "Prompt, if the user's", ""), ". ")
				for _, word := range eventWords.FindAllString(first, -1) {
					assert.True(t, got[kindOf[word]], "%s is to become %s", kind, word)
				}
			})
		}
	}
}

var (
	eventWords = regexp.MustCompile(`\b(SessionStarted|SessionEnded|TurnDone|Text|Reasoning|ToolUse|ToolResult|ToolProgress|Usage|Notice|Prompt)\b`)
	kindOf     = map[string]string{
		"SessionStarted": "session_start", "SessionEnded": "session_end", "TurnDone": "turn_done", "Text": "text", "Reasoning": "reasoning", "ToolUse": "tool_use",
		"ToolResult": "tool_result", "ToolProgress": "tool_progress", "Usage": "usage", "Notice": "notice", "Prompt": "prompt",
	}
)
