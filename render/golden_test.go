package render_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/goldentest"
	"github.com/tailspan/tailspan/render"
)

// TestGolden renders made-up event lists in every look.
func TestGolden(t *testing.T) {
	for name, evs := range map[string][]*events.DisplayEvent{
		"one-run":             oneRun(),
		"terminal-injection":  terminalInjection(),
		"forged-lines":        forgedLines(),
		"tools-without-input": toolsWithoutInput(),
	} {
		for _, mode := range []render.Mode{render.ModeDefault, render.ModeQuiet} {
			t.Run(fmt.Sprintf("%s %s", name, mode), func(t *testing.T) {
				goldentest.Compare(t, golden(name, mode.String()), emit(render.Settings{Mode: mode}, evs...))
			})
		}
		for style := render.StyleMarker; style.Valid(); style++ {
			t.Run(fmt.Sprintf("%s %s", name, style), func(t *testing.T) {
				s := render.Settings{Mode: render.ModeVerbose, Style: style, EscapeCommands: render.CIAll, Location: time.UTC}
				goldentest.Compare(t, golden(name, style.String()), emit(s, evs...))
			})
		}
	}
}

func golden(name, look string) string {
	return filepath.Join("testdata", name+"."+look+".log.golden")
}

func use(id, name, target string) *events.DisplayEvent {
	return &events.DisplayEvent{Kind: events.KindToolUse, Tool: events.Tool{ID: id, Name: name, Target: target}}
}

func answer(id, summary string) *events.DisplayEvent {
	return &events.DisplayEvent{Kind: events.KindToolResult, Tool: events.Tool{ID: id, Summary: summary}}
}

func refusal(id, err string) *events.DisplayEvent {
	return &events.DisplayEvent{Kind: events.KindToolResult, Tool: events.Tool{ID: id, Error: true, Err: err, Summary: err}}
}

func end(e events.End) *events.DisplayEvent {
	return &events.DisplayEvent{Kind: events.KindSessionEnded, SessionID: "1a2b3c4d-0000-4000-8000-000000000001", End: &e}
}

// oneRun is a run with text in pieces, parallel calls, a sub-agent, a retry and a result.
func oneRun() []*events.DisplayEvent {
	task := use("t3", "Task", "Count exported names")
	task.Tool.AgentType = "Explore"
	inner := use("t4", "Grep", "^func [A-Z]")
	inner.ParentID = "t3"
	found := answer("t4", "calc.go")
	found.ParentID = "t3"
	return []*events.DisplayEvent{
		{Kind: events.KindSessionStarted, SessionID: "1a2b3c4d-0000-4000-8000-000000000001", Model: "demo-1"},
		{Kind: events.KindPrompt, Text: "Fix the rounding."},
		{Kind: events.KindReasoning, Text: "Where is it?"},
		piece("m1", "", "I'll look at the "),
		piece("m1", "", "failing test first."),
		{Kind: events.KindMessage, MessageID: "m1", Text: "I'll look at the failing test first."},
		use("t1", "Read", "/home/dev/shop/calc_test.go"),
		use("t2", "Bash", "go test ./..."),
		{Kind: events.KindToolResult, Tool: events.Tool{ID: "t1", Summary: "package calc", Lines: 42, HasLines: true}},
		refusal("t2", "Exit code 1\nFAIL calc"),
		{Kind: events.KindUsage, Usage: &events.Usage{}},
		task, inner, found, answer("t3", "3 names"),
		{Kind: events.KindNotice, Text: "retry 1 of 10 in 500ms", Notice: events.Notice{Level: events.LevelWarn, Code: events.NoticeAPIRetry}},
		use("t5", "Edit", "/home/dev/shop/calc.go"), answer("t5", ""),
		said("Two things:\n\n- rounding is fixed\n- the test passes\n"),
		end(events.End{Result: "Two things:\n\n- rounding is fixed\n- the test passes\n", Duration: 4100 * time.Millisecond}),
	}
}

// terminalInjection has escape sequences wherever an agent can write text.
func terminalInjection() []*events.DisplayEvent {
	return []*events.DisplayEvent{
		said("safe \x1b[2J\x1b[H\x1b]0;owned\a\x1b]8;;http://bad.example\alink\x1b]8;;\a \x1b]52;c;ZXZpbA==\aend\rFAKE OK\b\b"),
		use("t1", "Bash", "echo \x1b[31mred\x1b[0m\r\b"),
		use("t2", "Evil\x1b[5m", "x\x00y"),
		answer("t1", "\x1b[2J"), answer("t2", "ok"),
		end(events.End{Error: true, Err: "\x1b]0;owned\ait broke\u202e"}),
	}
}

// forgedLines has arguments and text that resemble lines of ours or commands to a CI system.
func forgedLines() []*events.DisplayEvent {
	return []*events.DisplayEvent{
		use("t1", "Bash", "cat <<E\n\t[Read] /fake\r\nE"),
		use("t2", "Mystery", "first\n\nsecond"),
		said("line 1\n[Write] not-a-tool\n::error::boo\n::add-mask::a"),
		answer("t1", "::error::boo"), answer("t2", "##[error]boo"),
		end(events.End{Result: "::set-output name=a::b"}),
	}
}

// toolsWithoutInput has calls without argument, or without name.
func toolsWithoutInput() []*events.DisplayEvent {
	evs := []*events.DisplayEvent{use("w1", "Read", ""), use("w2", "Bash", ""), use("w3", "Frobnicate", ""), use("w4", "Edit", ""), use("w5", "", "x"), use("w6", "NotebookEdit", "")}
	for _, e := range evs {
		evs = append(evs, refusal(e.Tool.ID, "<tool_use_error>bad input</tool_use_error>"))
	}
	return append(evs, said("Sorry."), end(events.End{Result: "Sorry."}))
}
