package render_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render"
)

func calls(tools ...events.Tool) []*events.DisplayEvent {
	var all []*events.DisplayEvent
	for _, tool := range tools {
		all = append(all, &events.DisplayEvent{Kind: events.KindToolUse, Tool: tool})
	}
	return all
}

func results(tools ...events.Tool) []*events.DisplayEvent {
	all := calls(tools...)
	for _, e := range all {
		e.Kind = events.KindToolResult
	}
	return all
}

// TestToolCalls is the fixed table of tools: how each style shows a call.
func TestToolCalls(t *testing.T) {
	long := strings.Repeat("x", 130)
	cut40, cut120 := long[:39]+"…", long[:119]+"…"
	tests := []struct {
		name                         string
		tool                         events.Tool
		marker, transcript, progress string
	}{
		{"read", events.Tool{Name: "Read", Target: "src/auth.ts"}, "[tool: Read(src/auth.ts)]", "[Read] auth.ts", "Reading src/auth.ts"},
		{"write", events.Tool{Name: "Write", Target: "/p/README.md"}, "[tool: Write(/p/README.md)]", "[Write] README.md", "Writing /p/README.md"},
		{"edit", events.Tool{Name: "Edit", Target: "src/tool.ts"}, "[tool: Edit(src/tool.ts)]", "[Edit] tool.ts", "Editing src/tool.ts"},
		{"notebook", events.Tool{Name: "NotebookEdit", Target: "/p/x.ipynb"}, "[tool: NotebookEdit(/p/x.ipynb)]", "[NotebookEdit] x.ipynb", "Editing /p/x.ipynb"},
		{"bash", events.Tool{Name: "Bash", Target: "go test ./..."}, "[tool: Bash(go test ./...)]", "[Bash] $ go test ./...", "go test ./..."},
		{"powershell", events.Tool{Name: "PowerShell", Target: "dir"}, "[tool: PowerShell(dir)]", "[PowerShell] $ dir", "dir"},
		{"long command", events.Tool{Name: "Bash", Target: long}, "[tool: Bash(" + cut40 + ")]", "[Bash] $ " + cut120, cut120},
		{"command of several lines", events.Tool{Name: "Bash", Target: "cat <<E\n\t[Read] /fake\r\nE"}, "[tool: Bash(cat <<E [Read] /fake E)]", "[Bash] $ cat <<E [Read] /fake E", "cat <<E [Read] /fake E"},
		{"grep", events.Tool{Name: "Grep", Target: "auth"}, "[tool: Grep(auth)]", `[Grep] "auth"`, "Searching code for auth"},
		{"glob", events.Tool{Name: "Glob", Target: "*.test.ts"}, "[tool: Glob(*.test.ts)]", "[Glob] *.test.ts", "Scanning for *.test.ts"},
		{"list", events.Tool{Name: "ls", Target: "src/"}, "[tool: ls(src/)]", "[ls] src/", "Listing src/"},
		{"task", events.Tool{Name: "Task", Target: "Count names", AgentType: "Explore"}, "[tool: Task(Count names)]", "[Task: Explore] Count names", "Delegating: Count names"},
		{"agent without type", events.Tool{Name: "Agent", Target: "Count names"}, "[tool: Agent(Count names)]", "[Agent] Count names", "Delegating: Count names"},
		{"fetch", events.Tool{Name: "WebFetch", Target: "https://example.com/a"}, "[tool: WebFetch(https://example.com/a)]", "[WebFetch] https://example.com/a", "Fetching https://example.com/a"},
		{"web search", events.Tool{Name: "WebSearch", Target: "go rounding"}, "[tool: WebSearch(go rounding)]", `[WebSearch] "go rounding"`, "Searching the web for go rounding"},
		{"todo", events.Tool{Name: "TodoWrite", Target: "Read the code"}, "[tool: TodoWrite(Read the code)]", "[TodoWrite]", "Running TodoWrite"},
		{"Codex command", events.Tool{Name: "exec_command", Target: "rg -n Total"}, "[tool: exec_command(rg -n Total)]", "[exec_command] $ rg -n Total", "rg -n Total"},
		{"Codex patch", events.Tool{Name: "apply_patch", Target: "/p/calc.go"}, "[tool: apply_patch(/p/calc.go)]", "[apply_patch] calc.go", "Editing /p/calc.go"},
		{"Gemini search", events.Tool{Name: "search_file_content", Target: "Total"}, "[tool: search_file_content(Total)]", `[search_file_content] "Total"`, "Searching code for Total"},
		{"OpenCode read", events.Tool{Name: "read", Target: "/p/calc.go"}, "[tool: read(/p/calc.go)]", "[read] calc.go", "Reading /p/calc.go"},
		{"unknown", events.Tool{Name: "Frobnicate", Target: "figs"}, "[tool: Frobnicate(figs)]", "[Frobnicate]", "Running Frobnicate"},
		{"MCP", events.Tool{Name: "mcp__warehouse__lookup", Server: "warehouse"}, "[tool: mcp__warehouse__lookup]", "[mcp__warehouse__lookup]", "Running mcp__warehouse__lookup"},
		{"no argument", events.Tool{Name: "Bash"}, "[tool: Bash]", "[Bash]", "Running Bash"},
		{"blank argument", events.Tool{Name: "Read", Target: " \n "}, "[tool: Read]", "[Read]", "Running Read"},
		{"no name", events.Tool{Target: "x"}, "[tool: unknown(x)]", "[unknown]", "Running unknown"},
		{"hostile", events.Tool{Name: "Evil\x1b[5m\nx", Target: "a\x1b]0;own\ab\u202e\u2028c\x00"}, "[tool: Evil x(ab c)]", "[Evil x]", "Running Evil x"},
		{"hostile path", events.Tool{Name: "Read", Target: "/p/\x1b[2Ja\nb.go"}, "[tool: Read(/p/a b.go)]", "[Read] a b.go", "Reading /p/a b.go"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for style, want := range []string{tt.marker, tt.transcript, tt.progress} {
				s := render.Settings{Mode: render.ModeVerbose, Style: render.Style(style)}
				assert.Equal(t, want+"\n", emit(s, calls(tt.tool)...), "style %s", s.Style)
				tt.tool.Partial = true
				assert.Empty(t, emit(s, calls(tt.tool)...), "an early sight in style %s", s.Style)
				tt.tool.Partial = false
			}
		})
	}
}

// TestPreviews is case 086: arguments at the limit of the preview.
func TestPreviews(t *testing.T) {
	p := func(n int) string { return strings.Repeat("p", n) }
	s := render.Settings{Mode: render.ModeVerbose}
	for in, want := range map[string]string{
		p(39): p(39), p(40): p(40), p(41): p(39) + "…",
		strings.Repeat("日", 38) + "🍐🍐🍐": strings.Repeat("日", 38) + "🍐…",
		strings.Repeat("e\u0301", 25):   strings.Repeat("e\u0301", 19) + "e…",
	} {
		assert.Equal(t, "[tool: Grep("+want+")]\n", emit(s, calls(events.Tool{Name: "Grep", Target: in})...))
	}
}

func TestTranscriptResults(t *testing.T) {
	long := strings.Repeat("é", 130)
	tests := []struct {
		name string
		tool events.Tool
		want string
	}{
		{"error first", events.Tool{Error: true, Err: "\n  no such file\nat line 3", HasLines: true, Lines: 3}, "→ error: no such file"},
		{"error text only in the summary", events.Tool{Error: true, Summary: "exit 1"}, "→ error: exit 1"},
		{"error without text", events.Tool{Error: true}, "→ error"},
		{"line count reported", events.Tool{HasLines: true, Lines: 12, Summary: "package calc"}, "→ 12 lines"},
		{"nothing", events.Tool{}, "→ ok"},
		{"blank", events.Tool{Summary: " \t"}, "→ ok"},
		{"first line", events.Tool{Summary: "PASS"}, "→ PASS"},
		{"long", events.Tool{Summary: long}, "→ " + strings.Repeat("é", 119) + "…"},
		{"long error", events.Tool{Error: true, Err: long}, "→ error: " + strings.Repeat("é", 119) + "…"},
		{"escapes alone", events.Tool{Summary: "\x1b[2J"}, "→ ok"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := emit(render.Settings{Mode: render.ModeVerbose, Style: render.StyleTranscript}, results(tt.tool)...)
			assert.Equal(t, tt.want+"\n", got)
		})
	}
}

func TestTranscriptSession(t *testing.T) {
	s := render.Settings{Mode: render.ModeVerbose, Style: render.StyleTranscript}
	start := func(id, model string) *events.DisplayEvent {
		return &events.DisplayEvent{Kind: events.KindSessionStarted, SessionID: id, Model: model}
	}
	assert.Equal(t, "[session 1a2b3c4d · demo-1]\n", emit(s, start("1a2b3c4d-0000-4000", "demo-1")))
	assert.Equal(t, "[session 1a2b]\n", emit(s, start("1a2b", "")))
	assert.Equal(t, "[session · demo-1]\n", emit(s, start("", "demo-1")))

	end := func(e events.End) *events.DisplayEvent {
		return &events.DisplayEvent{Kind: events.KindSessionEnded, End: &e}
	}
	assert.Equal(t, "\n--- Result ---\nAll good.\nBye.\n", emit(s, end(events.End{Result: "All good.\r\nBye."})))
	assert.Equal(t, "\n--- Result ---\nout of turns\n", emit(s, end(events.End{Error: true, Err: "out of turns\nmore"})))
	assert.Equal(t, "\n--- Result ---\nerror_max_turns\n", emit(s, end(events.End{Error: true, Code: "error_max_turns", Result: " "})))
	assert.Equal(t, "\n--- Result ---\ninterrupted\n", emit(s, end(events.End{Interrupted: true})))
	assert.Empty(t, emit(s, end(events.End{})))
}

func TestProgressResults(t *testing.T) {
	s := render.Settings{Mode: render.ModeVerbose, Style: render.StyleProgress}
	tests := []struct {
		name         string
		use          events.Tool
		done, failed string
	}{
		{"read", events.Tool{Name: "read", Target: "src/auth.ts"}, "Finished reading src/auth.ts", "Read failed: src/auth.ts"},
		{"edit", events.Tool{Name: "edit", Target: "src/tool.ts"}, "Finished editing src/tool.ts", "Edit failed: src/tool.ts"},
		{"grep", events.Tool{Name: "grep", Target: "auth"}, "Search finished", "Search failed: auth"},
		{"bash", events.Tool{Name: "bash", Target: "go vet"}, "Command finished", "Command failed: go vet"},
		{"unknown", events.Tool{Name: "Frobnicate", Target: "figs"}, "Frobnicate finished", "Frobnicate failed"},
		{"no argument", events.Tool{Name: "grep"}, "grep finished", "grep failed"},
		{"no name", events.Tool{}, "Tool finished", "Tool failed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for isError, want := range map[bool]string{false: tt.done, true: tt.failed} {
				use := tt.use
				use.ID = "c1"
				in := append(calls(use), results(events.Tool{ID: "c1", Error: isError})...)
				_, line, _ := strings.Cut(emit(s, in...), "\n")
				assert.Equal(t, want+"\n", line, "from memory")
				use.Error = isError
				assert.Equal(t, want+"\n", emit(s, results(use)...), "from the result itself")
			}
		})
	}
	assert.Equal(t, "Tool finished\n", emit(s, results(events.Tool{ID: "never seen"})...))
	assert.Equal(t, "Tool failed\n", emit(s, results(events.Tool{Name: events.UnknownTool, Error: true})...), "as a record spells a missing name")
}

func TestProgressBackground(t *testing.T) {
	s := render.Settings{Mode: render.ModeVerbose, Style: render.StyleProgress}
	in := calls(events.Tool{ID: "c1", Name: "Bash", Target: "make watch"})
	in = append(in, results(events.Tool{ID: "c1", State: events.ToolStateBackground})...)
	in = append(in, &events.DisplayEvent{Kind: events.KindToolProgress, Tool: events.Tool{ID: "c1", State: events.ToolStateRunning}})
	assert.Equal(t, "make watch\n", emit(s, in...), "it goes on")
	for state, want := range map[events.ToolState]string{
		events.ToolStateCompleted: "Command finished", events.ToolStateFailed: "Command failed: make watch", events.ToolStateStopped: "Command failed: make watch",
	} {
		end := &events.DisplayEvent{Kind: events.KindToolProgress, Tool: events.Tool{ID: "c1", State: state}}
		assert.Equal(t, "make watch\n"+want+"\n", emit(s, append(in, end, end)...), "it is shown once")
		assert.Equal(t, "make watch\n", emit(s, in[0], end), "a call that is not in the background ends with its result")
	}
}

func TestProgressLeavesOutBlankText(t *testing.T) {
	s := render.Settings{Mode: render.ModeVerbose, Style: render.StyleProgress}
	assert.Empty(t, emit(s, said(" \n\t "), said("\x1b[0m"), piece("m", "", " "), piece("m", "", "\n")))
	assert.Equal(t, " \n I look.\n", emit(s, piece("m", "", " \n"), piece("m", "", " I look.")))
	assert.Equal(t, "a\nb\n", emit(s, said("a"), said(" "), said("b")))
}

// TestOtherKinds checks how verbose mode shows kinds that are neither text nor tools.
func TestOtherKinds(t *testing.T) {
	notice := func(level events.Level, code, text string) *events.DisplayEvent {
		return &events.DisplayEvent{Kind: events.KindNotice, Text: text, Notice: events.Notice{Level: level, Code: code}}
	}
	interrupted := &events.DisplayEvent{Kind: events.KindSessionEnded, End: &events.End{Interrupted: true}}
	ended := &events.DisplayEvent{Kind: events.KindSessionEnded, End: &events.End{Result: "fine"}}
	tests := []struct {
		name                         string
		in                           *events.DisplayEvent
		marker, transcript, progress string
	}{
		{"retry", notice(events.LevelWarn, events.NoticeAPIRetry, "retry 1 of 10"), "[warning: retry 1 of 10]\n", "[Retrying API call...]\n", "Retrying API call\n"},
		{"warning", notice(events.LevelWarn, "slow", "this is\nslow"), "[warning: this is]\n", "[warning: this is]\n", "Warning: this is\n"},
		{"refusal", notice(events.LevelWarn, events.NoticePermissionDenied, "not allowed"), "[warning: not allowed]\n", "", ""},
		{"error by code", notice(events.LevelError, "broken_pipe", ""), "[error: broken_pipe]\n", "[error: broken_pipe]\n", "Error: broken_pipe\n"},
		{"information", notice(events.LevelInfo, "informational", "fyi"), "", "", ""},
		{"phase", full(events.KindPhase), "[phase: words]\n", "[phase: words]\n", "Phase: words\n"},
		{"turn failed", full(events.KindTurnDone), "[turn failed: went wrong]\n", "[turn failed: went wrong]\n", "Turn failed: went wrong (session 1a2b3c4d)\n"},
		{"turn aborted", full(events.KindTurnAborted), "[turn aborted: do no harm]\n", "[turn aborted: do no harm]\n", "Turn aborted: do no harm (session 1a2b3c4d)\n"},
		{"run failed", full(events.KindSessionEnded), "[run failed: went wrong]\n", "\n--- Result ---\nthe result\n", "Run failed: went wrong (session 1a2b3c4d)\n"},
		{"run interrupted", interrupted, "[run interrupted]\n", "\n--- Result ---\ninterrupted\n", "Run interrupted\n"},
		{"run ended well, and said nothing else", ended, "fine\n", "\n--- Result ---\nfine\n", "fine\n"},
		{"approval", full(events.KindApprovalRequest), "[approval: Bash: rm -r build]\n", "[approval: Bash: rm -r build]\n", "Waiting for approval: Bash: rm -r build\n"},
		{"question", full(events.KindAskRequest), "[question: Which? (a / b)]\n", "[question: Which? (a / b)]\n", "Asking: Which? (a / b)\n"},
		{"session", full(events.KindSessionStarted), "", "[session 1a2b3c4d · demo-1]\n", ""},
		{"reasoning", full(events.KindReasoning), "", "", ""},
		{"message", full(events.KindMessage), "", "", ""},
		{"prompt", full(events.KindPrompt), "", "", ""},
		{"usage", full(events.KindUsage), "", "", ""},
		{"turn started", full(events.KindTurnStarted), "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for style, want := range []string{tt.marker, tt.transcript, tt.progress} {
				s := render.Settings{Mode: render.ModeVerbose, Style: render.Style(style)}
				assert.Equal(t, want, emit(s, tt.in), "style %s", s.Style)
			}
		})
	}
}
