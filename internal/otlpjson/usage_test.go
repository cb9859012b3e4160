package otlpjson_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/internal/otlpjson"
)

func TestCheckUsage(t *testing.T) {
	agent := func(id, parent byte, ownInput, ownOutput, allInput, allOutput int64) node {
		return node{trace: 1, id: id, parent: parent, name: "agent", start: 1, end: 9, attributes: map[string]any{
			"gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": ownInput, "gen_ai.usage.output_tokens": ownOutput,
			"tailspan.usage.input_tokens": allInput, "tailspan.usage.output_tokens": allOutput,
		}}
	}
	chat := func(id, parent byte, input, output int64) node {
		return node{trace: 1, id: id, parent: parent, name: "chat", start: 2, end: 8, attributes: map[string]any{
			"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": input, "gen_ai.usage.output_tokens": output,
		}}
	}
	marked := func(n node, mark string) node {
		n.attributes[mark] = true
		return n
	}
	for _, tc := range []struct {
		name  string
		nodes []node
		want  []otlpjson.ProblemKind
	}{
		{name: "on the calls", nodes: []node{agent(1, 0, 0, 0, 30, 9), chat(2, 1, 10, 4), chat(3, 1, 20, 5)}},
		{name: "the rest on the agent", nodes: []node{agent(1, 0, 5, 9, 35, 9), chat(2, 1, 10, 0), chat(3, 1, 20, 0)}},
		{name: "on both", nodes: []node{agent(1, 0, 30, 9, 30, 9), chat(2, 1, 10, 4), chat(3, 1, 20, 5)}, want: []otlpjson.ProblemKind{otlpjson.ProblemUsageTwice, otlpjson.ProblemTotal}},
		{name: "on both, and marked, as before a pause", nodes: []node{marked(agent(1, 0, 30, 9, 30, 9), "tailspan.usage.incomplete"), chat(2, 1, 10, 4)}},
		{name: "a call after its agent's span", nodes: []node{chat(2, 1, 10, 4), agent(1, 0, 30, 9, 40, 13), chat(3, 1, 10, 4)}},
		{name: "of a sub-agent too", nodes: []node{agent(1, 0, 0, 0, 30, 9), chat(2, 1, 10, 4), agent(3, 1, 0, 0, 20, 5), chat(4, 3, 20, 5)}},
		{name: "without its sub-agent", nodes: []node{agent(1, 0, 0, 0, 10, 4), chat(2, 1, 10, 4), agent(3, 1, 0, 0, 20, 5), chat(4, 3, 20, 5)}, want: []otlpjson.ProblemKind{otlpjson.ProblemTotal}},
		{name: "without its sub-agent, and marked", nodes: []node{marked(agent(1, 0, 0, 0, 10, 4), "tailspan.usage.incomplete"), chat(2, 1, 10, 4), agent(3, 1, 0, 0, 20, 5), chat(4, 3, 20, 5)}},
		{name: "more than there is", nodes: []node{marked(agent(1, 0, 0, 0, 10, 5), "tailspan.usage.incomplete"), chat(2, 1, 10, 4)}, want: []otlpjson.ProblemKind{otlpjson.ProblemTotal}},
		{name: "calls of a second account", nodes: []node{agent(1, 0, 0, 0, 10, 4), chat(2, 1, 10, 4), chat(3, 1, 20, 5)}},
		{name: "no totals", nodes: []node{agent(1, 0, 30, 9, 0, 0), chat(2, 1, 10, 4)}},
		{name: "placeholders", nodes: []node{agent(1, 0, 0, 400, 30, 406), chat(2, 1, 10, 3), chat(3, 1, 20, 3)}, want: []otlpjson.ProblemKind{otlpjson.ProblemPlaceholder}},
		{name: "a rest of one call", nodes: []node{agent(1, 0, 0, 3, 40, 9), chat(2, 1, 10, 3), chat(3, 1, 20, 3), chat(4, 1, 10, 0)}},
		{name: "short answers", nodes: []node{agent(1, 0, 0, 0, 30, 6), chat(2, 1, 10, 3), chat(3, 1, 20, 3)}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			slices.Reverse(tc.nodes) // a parent is exported after its children
			var got []otlpjson.ProblemKind
			for _, p := range otlpjson.Check(requests(t, "claude-code", tc.nodes...)...) {
				got = append(got, p.Kind)
			}
			assert.Equal(t, tc.want, got)
		})
	}
}
