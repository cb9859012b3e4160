package otlpjson_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/internal/otlpjson"
)

// checkCase is a trace and its problems.
type checkCase struct {
	name  string
	nodes []node
	want  []string
}

// rootOf is a run at the top of trace 1.
func rootOf(id byte, conversation, key string) node {
	return node{trace: 1, id: id, name: "run", start: 10, end: 90, attributes: map[string]any{
		"gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": conversation, "tailspan.run.key": key,
	}}
}

const secondRoot = `many_roots: trace 00000000000000000000000000000001 span 0000000000000002 "run"`

// manyRoots are the cases of a session's runs in one trace.
var manyRoots = []checkCase{
	{name: "runs of one session", nodes: []node{rootOf(1, "s1", "a"), rootOf(2, "s1", "b"), rootOf(3, "s1", "c")}},
	{name: "of two sessions", nodes: []node{rootOf(1, "s1", "a"), rootOf(2, "s2", "b")}, want: []string{secondRoot}},
	{name: "of unknown sessions", nodes: []node{rootOf(1, "", "a"), rootOf(2, "", "b")}, want: []string{secondRoot}},
	{name: "one run twice", nodes: []node{rootOf(1, "s1", "a"), rootOf(2, "s1", "a")}, want: []string{secondRoot}},
	{name: "a run without a key", nodes: []node{rootOf(1, "s1", "a"), rootOf(2, "s1", "")}, want: []string{secondRoot}},
	{
		name:  "a call beside a run",
		nodes: []node{rootOf(1, "s1", "a"), {trace: 1, id: 2, name: "run", attributes: map[string]any{"gen_ai.operation.name": "execute_tool", "gen_ai.conversation.id": "s1", "tailspan.run.key": "b"}}},
		want:  []string{secondRoot},
	},
	{
		name:  "a third that does not belong",
		nodes: []node{rootOf(1, "s1", "a"), rootOf(3, "s1", "b"), rootOf(2, "s2", "c")},
		want:  []string{secondRoot},
	},
	{
		name:  "each is checked as a tree of its own",
		nodes: []node{rootOf(1, "s1", "a"), rootOf(3, "s1", "b"), {trace: 1, id: 2, parent: 3, name: "late", start: 10, end: 91}, {trace: 1, id: 4, parent: 9, name: "lost"}},
		want: []string{
			`outside_parent: trace 00000000000000000000000000000001 span 0000000000000002 "late"`,
			`missing_parent: trace 00000000000000000000000000000001 span 0000000000000004 "lost"`,
		},
	},
}

// topOf is a span at the top of trace 1, below parent.
func topOf(id, parent byte, key, value string) node {
	return node{trace: 1, id: id, parent: parent, name: "top", start: 10, end: 90, attributes: map[string]any{key: value}}
}

const (
	lostTop  = `missing_parent: trace 00000000000000000000000000000001 span 0000000000000001 "top"`
	rootless = `no_root: trace 00000000000000000000000000000001`
)

// outside are the cases of parents that are in no export.
var outside = []checkCase{
	{name: "a run under a span of someone else", nodes: []node{topOf(1, 9, "gen_ai.operation.name", "invoke_agent"), {trace: 1, id: 2, parent: 1, start: 10, end: 90}}},
	{
		name: "a pipeline, a step and a run under the same one",
		nodes: []node{
			topOf(1, 9, "cicd.pipeline.name", "nightly"), topOf(2, 9, "cicd.pipeline.task.name", "docs"),
			topOf(3, 9, "gen_ai.operation.name", "invoke_agent"),
		},
	},
	{
		name:  "a call that lost its run",
		nodes: []node{topOf(1, 9, "gen_ai.operation.name", "execute_tool")},
		want:  []string{lostTop, rootless},
	},
	{
		name:  "a call that lost its run, beside a run",
		nodes: []node{topOf(1, 9, "gen_ai.operation.name", "invoke_agent"), {trace: 1, id: 2, parent: 9, name: "lost"}},
		want:  []string{lostTop, `missing_parent: trace 00000000000000000000000000000001 span 0000000000000002 "lost"`, rootless},
	},
	{
		name:  "runs under two spans",
		nodes: []node{topOf(1, 9, "gen_ai.operation.name", "invoke_agent"), topOf(2, 8, "gen_ai.operation.name", "invoke_agent")},
		want:  []string{lostTop, `missing_parent: trace 00000000000000000000000000000001 span 0000000000000002 "top"`, rootless},
	},
	{
		name:  "a run that lost its parent, in a trace with a root",
		nodes: []node{topOf(1, 9, "gen_ai.operation.name", "invoke_agent"), rootOf(2, "s1", "a")},
		want:  []string{lostTop},
	},
	{
		name:  "a circle below one",
		nodes: []node{topOf(1, 9, "gen_ai.operation.name", "invoke_agent"), {trace: 1, id: 2, parent: 2, name: "self"}},
		want:  []string{`circle: trace 00000000000000000000000000000001 span 0000000000000002 "self"`},
	},
	{
		name:  "outside of the run all the same",
		nodes: []node{topOf(1, 9, "gen_ai.operation.name", "invoke_agent"), {trace: 1, id: 2, parent: 1, name: "late", start: 10, end: 91}},
		want:  []string{`outside_parent: trace 00000000000000000000000000000001 span 0000000000000002 "late"`},
	},
}

func TestOuters(t *testing.T) {
	all := requests(t, "s",
		topOf(1, 9, "gen_ai.operation.name", "invoke_agent"), node{trace: 2, id: 1}, node{trace: 2, id: 2, parent: 9},
		node{trace: 3, id: 1, parent: 9, attributes: map[string]any{"gen_ai.operation.name": "execute_tool"}})
	assert.Equal(t, []otlpjson.Outer{{TraceID: "00000000000000000000000000000001", SpanID: "0000000000000009"}}, otlpjson.Outers(all...))
}

func TestCheck(t *testing.T) {
	root := node{trace: 1, id: 1, name: "run", start: 10, end: 90}
	background := map[string]any{"tailspan.background": true}
	tests := []checkCase{
		{name: "nothing"},
		{name: "a tree", nodes: []node{root, {trace: 1, id: 2, parent: 1, start: 10, end: 90}, {trace: 1, id: 3, parent: 2, start: 20, end: 20}}},
		{name: "children before their parents", nodes: []node{{trace: 1, id: 2, parent: 1, start: 10, end: 90}, root}},
		{name: "the same ids in two traces", nodes: []node{root, {trace: 2, id: 1, name: "run"}}},
		{
			name:  "missing parent",
			nodes: []node{root, {trace: 1, id: 2, parent: 9, name: "lost"}},
			want:  []string{`missing_parent: trace 00000000000000000000000000000001 span 0000000000000002 "lost"`},
		},
		{
			name:  "the parent stands in another trace",
			nodes: []node{root, {trace: 2, id: 5, name: "run"}, {trace: 2, id: 2, parent: 1, name: "lost"}},
			want:  []string{`missing_parent: trace 00000000000000000000000000000002 span 0000000000000002 "lost"`},
		},
		{
			name:  "two roots",
			nodes: []node{root, {trace: 1, id: 2, name: "another"}},
			want:  []string{`many_roots: trace 00000000000000000000000000000001 span 0000000000000002 "another"`},
		},
		{
			name:  "circle",
			nodes: []node{{trace: 1, id: 2, parent: 3, name: "a"}, {trace: 1, id: 3, parent: 2, name: "b"}, {trace: 1, id: 4, parent: 3, name: "below"}},
			want: []string{
				`circle: trace 00000000000000000000000000000001 span 0000000000000002 "a"`,
				`circle: trace 00000000000000000000000000000001 span 0000000000000003 "b"`,
				`no_root: trace 00000000000000000000000000000001`,
			},
		},
		{
			name:  "its own parent",
			nodes: []node{root, {trace: 1, id: 2, parent: 2, name: "self"}},
			want:  []string{`circle: trace 00000000000000000000000000000001 span 0000000000000002 "self"`},
		},
		{
			name:  "the same id three times",
			nodes: []node{root, root, root},
			want: []string{
				`duplicate_span_id: trace 00000000000000000000000000000001 span 0000000000000001 "run"`,
				`duplicate_span_id: trace 00000000000000000000000000000001 span 0000000000000001 "run"`,
			},
		},
		{
			name:  "ids that are zero",
			nodes: []node{{name: "nobody"}},
			want: []string{
				`no_trace_id: trace `,
				`no_span_id: trace  span  "nobody"`,
			},
		},
		{
			name:  "ends before it starts",
			nodes: []node{{trace: 1, id: 1, name: "run", start: 2, end: 1}},
			want:  []string{`ends_before_start: trace 00000000000000000000000000000001 span 0000000000000001 "run"`},
		},
		{
			name:  "starts before its parent",
			nodes: []node{root, {trace: 1, id: 2, parent: 1, name: "early", start: 9, end: 20}},
			want:  []string{`outside_parent: trace 00000000000000000000000000000001 span 0000000000000002 "early"`},
		},
		{
			name:  "ends after its parent",
			nodes: []node{root, {trace: 1, id: 2, parent: 1, name: "late", start: 10, end: 91}},
			want:  []string{`outside_parent: trace 00000000000000000000000000000001 span 0000000000000002 "late"`},
		},
		{name: "goes on in the background", nodes: []node{root, {trace: 1, id: 2, parent: 1, start: 10, end: 91, attributes: background}}},
		{
			name:  "the mark of the background is for the span that bears it",
			nodes: []node{root, {trace: 1, id: 2, parent: 1, start: 10, end: 91, attributes: background}, {trace: 1, id: 3, parent: 2, name: "below", start: 10, end: 99}},
			want:  []string{`outside_parent: trace 00000000000000000000000000000001 span 0000000000000003 "below"`},
		},
	}
	for _, tt := range slices.Concat(tests, manyRoots, outside) {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, problem := range otlpjson.Check(requests(t, "s", tt.nodes...)...) {
				got = append(got, fmt.Sprint(problem))
			}
			assert.Equal(t, tt.want, got)
		})
	}
}
