package gemini_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/gemini"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
)

// table returns the documented names of one table, with what they become.
func table(t *testing.T, heading string) map[string]string {
	t.Helper()
	return parsertest.Table(t, gemini.Name, heading, parsertest.Becomes...)
}

func names[V any](rows map[string]V) []string { return slices.Sorted(maps.Keys(rows)) }

// TestDocumentedTypes compares the tables with the switches, in both directions.
func TestDocumentedTypes(t *testing.T) {
	for _, tc := range []struct{ heading, function string }{
		{"Stream: `type`", "readLine"},
		{"`role` of a `message`", "streamMessage"},
		{"`type` of a message", "message"},
		{"`status` of a call", "final"},
	} {
		assert.ElementsMatch(t, names(table(t, tc.heading)), parsertest.Cases(t, tc.function), tc.heading)
	}
	known := parsertest.Cases(t, "bind")
	for _, tc := range []struct{ heading, path string }{
		{"Keys of `$set`", "$set."},
		{"One document", ""},
	} {
		for name, becomes := range table(t, tc.heading) {
			if name != "error" { // not parsed in this form, see TestDocumentedKinds
				assert.Equal(t, !strings.HasPrefix(becomes, "ignored") || name == "lastUpdated", slices.Contains(known, tc.path+name), "%s: %s", tc.heading, name)
			}
		}
	}
}

// TestDocumentedKinds parses a record of each kind and checks that the result is as described in the tables.
func TestDocumentedKinds(t *testing.T) {
	const at = `"timestamp":"2026-01-01T00:00:00.000Z"`
	call := func(status string) string {
		return recorded("m", "", shellCall("c", status, "Output: x"))
	}
	records := map[string]map[string]string{
		"Stream: `type`": {
			"init": initLine, "message": say("x"), "tool_use": `{"type":"tool_use",` + at + `,"tool_name":"glob","tool_id":"c"}`,
			"tool_result": `{"type":"tool_result",` + at + `,"tool_id":"c","status":"success"}`, "error": `{"type":"error",` + at + `,"severity":"error","message":"x"}`,
			"result": `{"type":"result",` + at + `,"status":"success","stats":{"input_tokens":1}}`,
		},
		"`role` of a `message`": {"user": `{"type":"message","role":"user","content":"x"}`, "assistant": say("x")},
		"Transcript: kinds":     {"sessionId": headerLine, "id": recorded("m", "x", ""), "$set": `{"$set":{}}`, "$rewindTo": `{"$rewindTo":"m"}`},
		"`type` of a message": {
			"gemini": `{"id":"m","type":"gemini","content":"x","thoughts":[{"subject":"a"}],"tokens":{"input":1},"toolCalls":[{"id":"c","name":"glob","status":"success"}]}`,
			"user":   `{"id":"m","type":"user","content":"x"}`, "info": `{"id":"m","type":"info","content":"x"}`,
			"warning": `{"id":"m","type":"warning","content":"x"}`, "error": `{"id":"m","type":"error","content":"x"}`,
		},
		"`status` of a call": {
			"success": call("success"), "error": call("error"), "cancelled": call("cancelled"), "validating": call("validating"),
			"scheduled": call("scheduled"), "executing": call("executing"), "awaiting_approval": call("awaiting_approval"),
		},
		"One document": {
			"session_id": `{"session_id":"s","response":"x"}`, "response": `{"response":"x"}`, "error": `{"error":{"type":"E","message":"x"}}`,
			"stats": `{"stats":{"models":{"pro":{"tokens":{"prompt":1}}}}}`, "warnings": `{"response":"","warnings":["x"]}`,
		},
	}
	word := regexp.MustCompile(`\b(SessionStarted|SessionEnded|Text|Reasoning|ToolUse|ToolResult|Usage|Notice|Prompt)\b`)
	kinds := map[string]events.Kind{
		"SessionStarted": events.KindSessionStarted, "SessionEnded": events.KindSessionEnded, "Text": events.KindText, "Reasoning": events.KindReasoning,
		"ToolUse": events.KindToolUse, "ToolResult": events.KindToolResult, "Usage": events.KindUsage, "Notice": events.KindNotice, "Prompt": events.KindPrompt,
	}
	for heading, examples := range records {
		rows := table(t, heading)
		require.ElementsMatch(t, names(rows), names(examples), heading)
		for name, example := range examples {
			t.Run(fmt.Sprintf("%.12s/%s", strings.Trim(heading, "`"), name), func(t *testing.T) {
				p := newSource()
				got := map[events.Kind]bool{}
				for _, e := range feed(t, p, example) {
					got[e.Kind] = true
				}
				assert.NotEqual(t, events.LineUnknownType, p.LineStatus())
				for _, kind := range word.FindAllString(rows[name], -1) {
					assert.True(t, got[kinds[kind]], "%s is to become %s", name, kind)
				}
			})
		}
	}
}
