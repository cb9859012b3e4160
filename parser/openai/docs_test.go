package openai_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
	"github.com/tailspan/tailspan/parser/openai"
)

// TestTableOfEvents checks that the parser's switch and the documentation list the same events of a response, and
// that what the documentation calls ignored is ignored.
func TestTableOfEvents(t *testing.T) {
	table := parsertest.Table(t, openai.Name, "Stream events of the Responses API", parsertest.Becomes...)
	known := append(parsertest.Cases(t, "responseEvent", "quietEvent"), "error")
	slices.Sort(known)
	known = slices.Compact(known)
	assert.Equal(t, slices.Sorted(maps.Keys(table)), known)
	for kind, gives := range table {
		p := newSource()
		p.ParseEvents(fmt.Appendf(nil, `data: {"type":%q,"sequence_number":1,"output_index":0,"item":{"type":"message"}}`, kind))
		assert.NotEqual(t, events.LineUnknownType, p.LineStatus(), kind)
		assert.Equal(t, strings.HasPrefix(gives, "ignored"), p.LineStatus() == events.LineIgnored, "%s: %s", kind, gives)
	}
}

// TestTableOfItems checks the same for the items of a response.
func TestTableOfItems(t *testing.T) {
	table := parsertest.Table(t, openai.Name, "Output items of the Responses API", parsertest.Becomes...)
	known := parsertest.Cases(t, "item", "isOutput")
	assert.Equal(t, slices.Sorted(maps.Keys(table)), known)
	for kind, gives := range table {
		line := fmt.Sprintf(`{"id":"r","object":"response","status":"completed","output":[{"id":"i","call_id":"c","type":%q,"name":"n","status":"completed",`+
			`"content":[{"type":"output_text","text":"x"}],"summary":[{"text":"x"}],"output":"x","result":"x"}]}`, kind)
		out := newSource().ParseEvents([]byte(line))
		var kinds []string
		for _, e := range out[:len(out)-1] {
			kinds = append(kinds, e.Kind.String())
			assert.Equal(t, "i", e.ItemID)
		}
		word, _, _ := strings.Cut(strings.NewReplacer(",", "", ":", "").Replace(gives), " ")
		want := map[string][]string{
			"Text": {"text"}, "Reasoning": {"reasoning"}, "ToolUse": {"tool_use"}, "ToolResult": {"tool_result"}, "ApprovalRequest": {"approval_request"},
			"Notice": {"notice"}, "ignored": nil,
		}[word]
		if strings.Contains(gives, "and ToolResult") {
			want = append(want, "tool_result")
		}
		assert.Equal(t, want, kinds, "%s: %s", kind, gives)
	}
}

// TestCadenceIsDocumented checks that the page describes the difference here: nothing is emitted before the response has ended.
func TestCadenceIsDocumented(t *testing.T) {
	p := newSource()
	for _, line := range []string{chunk("a", delta(`"content":"x"`)), "", chunk("a", delta(`"content":"y"`)), "", chunk("a", stop), ""} {
		assert.Empty(t, p.ParseEvents([]byte(line)), "no event before the end")
	}
	assert.Len(t, p.ParseEvents([]byte(done)), 2)
	page, err := os.ReadFile("../../docs/formats/openai_compatible.md")
	require.NoError(t, err)
	for _, want := range []string{"## Cadence: one burst after the response\n", "emitted at once, after the HTTP response has completed"} {
		assert.True(t, strings.Contains(string(page), want), "the page has no %q", want) //nolint:testifylint // Contains would print it
	}
}
