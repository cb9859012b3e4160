package telemetry_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// recordOf returns the record of an event in a separate run.
func recordOf(t *testing.T, capture otlp.CaptureSettings, ev events.DisplayEvent) (body string, got events.DisplayEvent) {
	t.Helper()
	settings := telemetry.NewDefaultSettings()
	settings.Capture = capture
	stream := telemetry.NewRegistry(settings).Open(telemetry.StreamSettings{ID: "f", Agent: claude})
	stream.Feed(telemetry.Line{}, []events.DisplayEvent{ev})
	stream.Close(otlp.CloseReasonShutdown)
	var f collected
	f.take(stream.Take())
	require.NotEmpty(t, f.records)
	lr := f.records[len(f.records)-1]
	require.True(t, otlp.EventFromRecord(lr, &got))
	return lr.Body().Str(), got
}

func TestBodies(t *testing.T) {
	tool := func(kind events.Kind, tool events.Tool) events.DisplayEvent {
		tool.ID = "t1"
		return events.DisplayEvent{Kind: kind, Tool: tool}
	}
	end := func(kind events.Kind, end events.End) events.DisplayEvent {
		return events.DisplayEvent{Kind: kind, End: &end}
	}
	long := strings.Repeat("word ", 100)
	for _, tt := range []struct {
		name string
		ev   events.DisplayEvent
		want string
	}{
		{"text", events.DisplayEvent{Kind: events.KindText, Text: "Two\nlines."}, "Two\nlines."},
		{"prompt", events.DisplayEvent{Kind: events.KindPrompt, Text: strings.Repeat("x", 1234)}, "prompt, 1,234 bytes"},
		{"reasoning without text", events.DisplayEvent{Kind: events.KindReasoning}, "reasoning, 0 bytes"},
		{"message", events.DisplayEvent{Kind: events.KindMessage, Reasoning: "r"}, "message, 0 bytes"},
		{"notice", events.DisplayEvent{Kind: events.KindNotice, Text: "again in 2 s"}, "again in 2 s"},
		{"notice without text", events.DisplayEvent{Kind: events.KindNotice, Notice: events.Notice{Level: events.LevelWarn, Code: "api_retry"}}, "warn: api_retry"},
		{"tool use", tool(events.KindToolUse, events.Tool{Name: "Bash", Target: "go test ./..."}), "Bash: go test ./..."},
		{"tool use without target", tool(events.KindToolUse, events.Tool{Name: "ListFiles"}), "ListFiles"},
		{"tool use without name", tool(events.KindToolUse, events.Tool{Target: "x"}), "unknown: x"},
		{"tool use with lines", tool(events.KindToolUse, events.Tool{Name: "Bash", Target: "cat <<E\n\x1b[31mred\nE"}), "Bash: cat <<E red E"},
		{"long command", tool(events.KindToolUse, events.Tool{Name: "Bash", Target: long}), "Bash: " + long[:79] + "…"},
		{"long path", tool(events.KindToolUse, events.Tool{Name: "Read", Target: "/" + strings.Repeat("d/", 100) + "file.go"}), "Read: …" + strings.Repeat("d/", 36) + "file.go"},
		{"result", tool(events.KindToolResult, events.Tool{Name: "Bash", Summary: "ok tax", Lines: 12, HasLines: true, Duration: 1240 * time.Millisecond}), "Bash: ok, 12 lines, 1.2 s"},
		{"result of one line", tool(events.KindToolResult, events.Tool{Name: "Read", Lines: 1, HasLines: true, Duration: 40 * time.Millisecond}), "Read: ok, 1 line, 40 ms"},
		{"failed result", tool(events.KindToolResult, events.Tool{Name: "Bash", Error: true, Err: "\nno such file\nmore", ExitCode: 1, HasExitCode: true, Duration: 200 * time.Second}), "Bash: error: no such file, 3 min 20 s"},
		{"exit code", tool(events.KindToolResult, events.Tool{Name: "Bash", Error: true, ExitCode: 2, HasExitCode: true}), "Bash: error: exit code 2"},
		{"denied result", tool(events.KindToolResult, events.Tool{Name: "Bash", Error: true, Denied: true, Err: "not allowed"}), "Bash: denied: not allowed"},
		{"background result", tool(events.KindToolResult, events.Tool{Name: "Agent", State: events.ToolStateBackground}), "Agent: continues in the background"},
		{"progress", tool(events.KindToolProgress, events.Tool{Name: "Agent", State: events.ToolStateRunning}), "Agent: running"},
		{"progress with text", events.DisplayEvent{Kind: events.KindToolProgress, Text: "all\ndone", Tool: events.Tool{ID: "t1", Name: "Agent", State: events.ToolStateCompleted, Duration: 2 * time.Hour}}, "Agent: completed: all done, 2 h 0 min"},
		{"usage", events.DisplayEvent{Kind: events.KindUsage, Usage: &events.Usage{Tokens: events.Tokens{Input: 14633, Output: 30}}}, "14,633 input, 30 output tokens"},
		{"usage with cost", events.DisplayEvent{Kind: events.KindUsage, Usage: &events.Usage{Tokens: events.Tokens{Input: 1234567, Output: 999}, CostUSD: 1.5, HasCost: true}}, "1,234,567 input, 999 output tokens, $1.5000"},
		{"session start", events.DisplayEvent{Kind: events.KindSessionStarted, Model: "claude-opus-4-5", Session: &events.Session{}}, "run started: claude-code, claude-opus-4-5"},
		{"turn start", events.DisplayEvent{Kind: events.KindTurnStarted}, "turn started: claude-code"},
		{"session end", end(events.KindSessionEnded, events.End{Duration: 5 * time.Second}), "run ended: ok, 5.0 s"},
		{"error of a sentence", tool(events.KindToolResult, events.Tool{Name: "Read", Error: true, Err: "File does not exist.", Duration: 2900 * time.Millisecond}), "Read: error: File does not exist, 2.9 s"},
		{"error that ends with dots", tool(events.KindToolResult, events.Tool{Name: "Bash", Error: true, Err: "Waiting...", Duration: time.Second}), "Bash: error: Waiting..., 1.0 s"},
		{"failed end", end(events.KindSessionEnded, events.End{Error: true, Err: "API Error: 529\nretry"}), "run ended: error: API Error: 529"},
		{"interrupted end", end(events.KindTurnDone, events.End{Error: true, Interrupted: true}), "turn ended: interrupted"},
		{"abort on principle", end(events.KindTurnAborted, events.End{Principle: "p2"}), "turn ended: interrupted: p2"},
		{"approval", events.DisplayEvent{Kind: events.KindApprovalRequest, Approval: &events.Approval{Tool: "Bash", Subject: "rm x"}}, "approval requested: Bash: rm x"},
		{"question", events.DisplayEvent{Kind: events.KindAskRequest, Ask: &events.Ask{Questions: []events.AskQuestion{{Prompt: "Which?"}, {Prompt: "Why?"}}}}, "question: Which? (+1)"},
		{"answer", events.DisplayEvent{Kind: events.KindAskRequest, Ask: &events.Ask{Answers: []events.AskAnswer{{Selected: []string{"A"}}}}}, "answer: A"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.ev.Time, tt.ev.SessionID = at(1), "s1"
			body, _ := recordOf(t, otlp.CaptureSettings{Text: true}, tt.ev)
			assert.Equal(t, tt.want, body)
		})
	}
}

// TestEndBodyHasCost checks the line of an end whose run reported its cost.
func TestEndBodyHasCost(t *testing.T) {
	f := collect(t, script{
		line(started(), text(1, "m1", "a")),
		line(events.DisplayEvent{Kind: events.KindUsage, Time: at(5), Usage: &events.Usage{Scope: events.UsageScopeRun, CostUSD: 0.04513, HasCost: true}}),
		line(events.DisplayEvent{Kind: events.KindSessionEnded, Time: at(5), End: &events.End{Duration: 5 * time.Second}}),
	}, telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
	assert.Equal(t, "run ended: ok, 5.0 s, $0.0451", f.records[len(f.records)-1].Body().Str())
}

// TestLineIsNoText reads back records whose body is a line because their text is empty or not captured.
func TestLineIsNoText(t *testing.T) {
	for _, kind := range []events.Kind{events.KindText, events.KindMessage, events.KindReasoning, events.KindPrompt} {
		for _, text := range []string{"", "secret plan"} {
			body, got := recordOf(t, otlp.CaptureSettings{}, events.DisplayEvent{Kind: kind, Time: at(1), SessionID: "s1", Text: text})
			assert.NotContains(t, body, "secret")
			assert.NotEmpty(t, body, kind)
			assert.Empty(t, got.Text, kind)
		}
	}
}

// TestEveryRecordHasABody covers events that fill all fields and events that fill none.
func TestEveryRecordHasABody(t *testing.T) {
	evs := everyKind()
	for _, kind := range events.Kinds() {
		evs = append(evs, events.DisplayEvent{Kind: kind, Time: at(1), SessionID: "s1", Usage: &events.Usage{}, Tool: events.Tool{ID: "t1"}})
	}
	for _, ev := range evs {
		for _, capture := range []otlp.CaptureSettings{{}, {Text: true, Prompts: true, Reasoning: true}} {
			body, _ := recordOf(t, capture, ev)
			assert.NotEmpty(t, body, ev.Kind)
			assert.True(t, utf8.ValidString(body))
		}
	}
}

// TestResultHasItsDuration checks that a result gets the time since its call if the format reports no duration.
func TestResultHasItsDuration(t *testing.T) {
	f := collect(t, script{line(started()), line(use(1, "m1", "t1", "Bash", "make")), line(result(2.5, "t1"))}, telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
	lr := f.records[2]
	assert.Equal(t, "Bash: ok, 1.5 s", lr.Body().Str())
	v, ok := lr.Attributes().Get(otlp.AttrToolDuration)
	require.True(t, ok)
	assert.InDelta(t, 1.5, v.Double(), 1e-9)
}
