package render_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render"
)

func spawn(id, kind string) *events.DisplayEvent {
	e := use(id, "Task", "look")
	e.Tool.AgentType = kind
	return e
}

func by(parent string, e *events.DisplayEvent) *events.DisplayEvent {
	e.ParentID = parent
	return e
}

// ofAgent returns what a sub-agent does in a separate stream, which does not know its call.
func ofAgent(id string, e *events.DisplayEvent) *events.DisplayEvent {
	e.AgentID = id
	return e
}

func answered(id, agent string) *events.DisplayEvent {
	return &events.DisplayEvent{Kind: events.KindToolResult, Tool: events.Tool{ID: id, Name: "Task", AgentID: agent, Summary: "done"}}
}

func resultOfKind(id, agent, kind string) *events.DisplayEvent {
	e := answered(id, agent)
	e.Tool.AgentType = kind
	return e
}

func inBackground(id, agent string) *events.DisplayEvent {
	e := answered(id, agent)
	e.Tool.State = events.ToolStateBackground
	return e
}

// TestSubAgentsAreNamed if several run at the same time, or if their events come from a separate stream.
func TestSubAgentsAreNamed(t *testing.T) {
	read := func(file string) *events.DisplayEvent { return use("r"+file, "Read", file) }
	tests := []struct {
		name string
		evs  []*events.DisplayEvent
		want string
	}{
		{"one", []*events.DisplayEvent{spawn("a", "Explore"), by("a", read("x")), answered("a", ""), spawn("b", "Explore"), by("b", read("y"))},
			"[tool: Task(look)]\n  [tool: Read(x)]\n[tool: Task(look)]\n  [tool: Read(y)]\n"},
		{"two", []*events.DisplayEvent{spawn("a", "Explore"), spawn("b", "Plan"), by("a", read("x")), by("b", read("y")), by("b", said("one\ntwo"))},
			"[tool: Task(look)]\n[tool: Task(look)]\n  Explore: [tool: Read(x)]\n  Plan: [tool: Read(y)]\n  Plan: one\n  Plan: two\n"},
		{"two of one kind", []*events.DisplayEvent{spawn("a", "Explore"), spawn("b", "Explore"), by("b", read("y")), by("a", read("x")), by("b", read("z"))},
			"[tool: Task(look)]\n[tool: Task(look)]\n  Explore 2: [tool: Read(y)]\n  Explore: [tool: Read(x)]\n  Explore 2: [tool: Read(z)]\n"},
		{"the name stays", []*events.DisplayEvent{spawn("a", "Explore"), by("a", read("x")), spawn("b", "Plan"), by("a", read("y")), answered("b", ""), by("a", read("z"))},
			"[tool: Task(look)]\n  [tool: Read(x)]\n[tool: Task(look)]\n  Explore: [tool: Read(y)]\n  Explore: [tool: Read(z)]\n"},
		{"one that works for another", []*events.DisplayEvent{spawn("a", "Explore"), by("a", spawn("b", "Plan")), by("b", read("x")), by("a", read("y"))},
			"[tool: Task(look)]\n  [tool: Task(look)]\n    [tool: Read(x)]\n  [tool: Read(y)]\n"},
		{"in the background", []*events.DisplayEvent{spawn("a", "Explore"), inBackground("a", "id-a"), spawn("b", "Plan"), by("b", read("x"))},
			"[tool: Task(look)]\n[tool: Task(look)]\n  Plan: [tool: Read(x)]\n"},
		{"a result alone names the kind", []*events.DisplayEvent{resultOfKind("a", "id-a", "Explore"), ofAgent("id-a", read("x"))},
			"  Explore: [tool: Read(x)]\n"},
		{"calls that nobody saw", []*events.DisplayEvent{by("a", read("x")), by("b", read("y"))},
			"  [tool: Read(x)]\n  sub-agent: [tool: Read(y)]\n"},
		{"a stream of its own", []*events.DisplayEvent{spawn("a", "Explore"), inBackground("a", "id-a"), ofAgent("id-a", read("x")), ofAgent("id-b0000000", read("y"))},
			"[tool: Task(look)]\n  Explore: [tool: Read(x)]\n  agent id-b0000: [tool: Read(y)]\n"},
		{"a stream that is read first", []*events.DisplayEvent{ofAgent("id-a", read("x")), spawn("a", "Explore"), answered("a", "id-a"), ofAgent("id-a", read("y"))},
			"[tool: Read(x)]\n[tool: Task(look)]\n  Explore: [tool: Read(y)]\n"},
		{"two streams that are read first", []*events.DisplayEvent{ofAgent("id-a", read("x")), ofAgent("01a21ec6-1111-7000-8000-000000000001", read("y")), ofAgent("id-a", read("z"))},
			"[tool: Read(x)]\n  agent …00000001: [tool: Read(y)]\n  agent id-a: [tool: Read(z)]\n"},
		{"alone", []*events.DisplayEvent{ofAgent("id-a", read("x")), ofAgent("id-a", read("y"))}, "[tool: Read(x)]\n[tool: Read(y)]\n"},
		{"what comes late", []*events.DisplayEvent{spawn("a", "Explore"), spawn("b", "Plan"), answered("a", ""), answered("b", ""), by("b", read("y")), by("a", read("x"))},
			"[tool: Task(look)]\n[tool: Task(look)]\n  Plan: [tool: Read(y)]\n  Explore: [tool: Read(x)]\n"},
		{"texts of two are not glued", []*events.DisplayEvent{
			spawn("a", "Explore"), spawn("b", "Plan"), by("a", piece("m1", "a", "one ")), by("b", piece("m2", "b", "two")), by("a", piece("m1", "a", "more")),
		}, "[tool: Task(look)]\n[tool: Task(look)]\n  Explore: one \n  Plan: two\n  Explore: more\n"},
		{"a name holds nothing that is not seen", []*events.DisplayEvent{spawn("a", "Ex\u200bplore\x1b[2J\nx"), spawn("b", "Plan"), by("a", read("x"))},
			"[tool: Task(look)]\n[tool: Task(look)]\n  Explore x: [tool: Read(x)]\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, emit(render.Settings{Mode: render.ModeVerbose}, tt.evs...))
		})
	}
	assert.Equal(t, "--:--:-- Task Explore: look\n--:--:-- Task Plan: look\n--:--:--   Plan: Read y\n",
		emit(render.Settings{Mode: render.ModeVerbose, Style: render.StyleActivity}, spawn("a", "Explore"), spawn("b", "Plan"), by("b", read("y"))))
	assert.Equal(t, "words\n", emit(render.Settings{}, spawn("a", "Explore"), spawn("b", "Plan"), by("b", said("words"))), "default mode is text alone")
}
