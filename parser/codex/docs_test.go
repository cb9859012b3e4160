package codex_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/codex"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
)

// TestDocs compares docs/formats/codex.md with the parser's switches, and the word "ignored" with the result.
func TestDocs(t *testing.T) {
	for _, tc := range []struct {
		heading   string
		functions []string
		column    string
		line      string
	}{
		{"Stream: ", []string{"streamLine"}, "becomes", `{"type":%q}`},
		{"`type` (E2", []string{"item"}, "becomes", `{"type":"item.completed","item":{"id":"item_1","type":%q}}`},
		{"Events: ", []string{"message", "event", "programNotice", "quietEvent"}, "in E1", `{"id":"0","msg":{"type":%q}}`},
		{"Events: ", []string{"message", "event", "programNotice", "quietEvent"}, "in rollouts", `{"timestamp":"2026-03-02T12:00:00Z","type":"event_msg","payload":{"type":%q}}`},
		{"Rollout: ", []string{"rolloutLine"}, "becomes", `{"timestamp":"2026-03-02T12:00:00Z","type":%q,"payload":{"type":"message","role":"user"}}`},
		{"`type` of a response item", []string{"responseItem"}, "becomes", `{"timestamp":"2026-03-02T12:00:00Z","type":"response_item","payload":{"type":%q,"role":"user"}}`},
		{"`type` of an item in", []string{"itemCompleted"}, "becomes", `{"timestamp":"2026-03-02T12:00:00Z","type":"event_msg","payload":{"type":"item_completed","item":{"type":%q}}}`},
	} {
		t.Run(fmt.Sprint(tc.heading, tc.column), func(t *testing.T) {
			table := parsertest.Table(t, codex.Name, tc.heading, tc.column)
			assert.Equal(t, parsertest.Cases(t, tc.functions...), slices.Sorted(maps.Keys(table)), "switches (want) and documented types (got)")
			for name, becomes := range table {
				p := newSource()
				out := p.ParseEvents(fmt.Appendf(nil, tc.line, name))
				switch {
				case strings.HasPrefix(becomes, "by the"): // described in another table
				case becomes == "unknown":
					assert.Equal(t, events.LineUnknownType, p.LineStatus(), name)
				case strings.HasPrefix(becomes, "ignored"):
					assert.Equal(t, events.LineIgnored, p.LineStatus(), name)
					assert.Empty(t, out, name)
				default:
					assert.Equal(t, events.LineOK, p.LineStatus(), name)
				}
			}
		})
	}
}

// TestDocsKnowThePublishedTypes checks that the tables contain the types that the SDK of 0.163.0 publishes.
func TestDocsKnowThePublishedTypes(t *testing.T) {
	lines, items := parsertest.Table(t, codex.Name, "Stream: ", "becomes"), parsertest.Table(t, codex.Name, "`type` (E2", "becomes")
	for _, name := range []string{"thread.started", "turn.started", "turn.completed", "turn.failed", "item.started", "item.updated", "item.completed", "error"} {
		assert.Contains(t, lines, name)
	}
	for _, name := range []string{"agent_message", "reasoning", "command_execution", "file_change", "mcp_tool_call", "web_search", "todo_list", "error"} {
		assert.Contains(t, items, name)
	}
}
