package telemetry_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// everyKind returns one event of each kind with all the fields that the kind can fill.
func everyKind() []events.DisplayEvent {
	base := func(k events.Kind) events.DisplayEvent {
		return events.DisplayEvent{
			Kind: k, Time: at(1), SessionID: "s1", TurnID: "turn", MessageID: "msg1", AgentID: "agent-1", Model: "m1", ModelProvider: "anthropic",
		}
	}
	tool := events.Tool{
		ID: "t1", Name: "Bash", Target: "go test ./...", AgentType: "Explore", AgentID: "agent-2", Server: "warehouse", ReadOnly: true,
		State: events.ToolStateBackground, Error: true, Err: "Exit code 3", Denied: true, ExitCode: 3, HasExitCode: true, Summary: "FAIL",
		Lines: 12, HasLines: true, Size: 99, Truncated: true, Duration: 1500 * time.Millisecond,
	}
	evs := make([]events.DisplayEvent, 0, len(events.Kinds()))
	for _, k := range events.Kinds() {
		ev := base(k)
		switch k {
		case events.KindText, events.KindReasoning, events.KindPrompt, events.KindPhase:
			ev.Text, ev.Delta, ev.Synthetic = "some words\nof é", true, true
		case events.KindMessage:
			ev.Text, ev.Reasoning = "all words", "all thoughts"
		case events.KindNotice:
			ev.Text, ev.Notice = "again", events.Notice{Level: events.LevelWarn, Code: events.NoticeAPIRetry}
		case events.KindToolUse:
			ev.Tool = events.Tool{ID: "t1", Name: "Bash", Target: "go test", AgentType: "Explore", Server: "warehouse", ReadOnly: true, Partial: true, Input: []byte(`{"command":"go test"}`)}
		case events.KindToolResult, events.KindToolProgress:
			ev.Tool = tool
			ev.Tool.Output = []byte("FAIL\nmore")
			if k == events.KindToolProgress {
				ev.Text = "half\nof it"
			}
		case events.KindUsage:
			ev.Usage = &events.Usage{
				Scope: events.UsageScopeRun, Tokens: events.Tokens{Input: 10, Output: 5, CacheRead: 3, CacheWrite: 2, Reasoning: 1},
				Provider: events.Tokens{Input: 5, Output: 5, CacheRead: 3, CacheWrite: 2, Reasoning: 1}, CostUSD: 0.25, HasCost: true,
				SessionCacheHit: 7, SessionCacheMiss: 8, Pricing: &events.Pricing{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75},
			}
		case events.KindSessionStarted, events.KindTurnStarted:
			ev.Session = &events.Session{Version: "2.1", WorkingDir: "/w", PermissionMode: "plan", PreviousID: "s0", Branch: "main"}
		case events.KindTurnDone, events.KindTurnAborted, events.KindSessionEnded:
			ev.End = &events.End{Error: true, Interrupted: true, Code: "error_max_turns", Result: "{}", Err: "Reached", Principle: "p2", Turns: 4, Duration: 2 * time.Second}
		case events.KindApprovalRequest:
			ev.Approval = &events.Approval{ID: "ap", Tool: "Bash", Subject: "rm x"}
		case events.KindAskRequest:
			ev.Ask = &events.Ask{ID: "ask", Questions: []events.AskQuestion{{ID: "q1", Header: "Way", Prompt: "Which?", Multi: true,
				Options: []events.AskOption{{Label: "A", Description: "first"}, {Label: "B"}}}},
				Answers: []events.AskAnswer{{QuestionID: "q1", Selected: []string{"A", "B"}}}}
		}
		evs = append(evs, ev)
	}
	return evs
}

// TestEventFromRecord writes an event of every kind into a record and reads the same event back.
func TestEventFromRecord(t *testing.T) {
	settings := telemetry.NewDefaultSettings()
	settings.Capture = otlp.CaptureSettings{Text: true, Prompts: true, Reasoning: true, ToolInput: true, ToolOutput: true}
	for _, semconv := range []otlp.Semconv{otlp.SemconvGenAI01, otlp.SemconvV141} {
		settings.Semconv = semconv
		for _, ev := range everyKind() {
			t.Run(string(semconv)+"/"+ev.Kind.String(), func(t *testing.T) {
				stream := telemetry.NewRegistry(settings).Open(telemetry.StreamSettings{ID: "f", Agent: claude})
				stream.Feed(telemetry.Line{}, []events.DisplayEvent{ev})
				stream.Close(otlp.CloseReasonShutdown)
				var f collected
				f.take(stream.Take())
				require.NotEmpty(t, f.records)
				lr := f.records[len(f.records)-1]
				var got events.DisplayEvent
				require.True(t, otlp.EventFromRecord(lr, &got))
				if got.End != nil { // the record knows more
					assert.Equal(t, ev.End.Outcome(), got.End.Decided)
					got.End.Decided = events.OutcomeUnknown
				}
				assert.Equal(t, ev, got)
			})
		}
	}
}

func TestContentsAreOptIn(t *testing.T) {
	stream := newRegistry().Open(telemetry.StreamSettings{ID: "f", Agent: claude})
	stream.Feed(telemetry.Line{}, everyKind())
	stream.Close(otlp.CloseReasonShutdown)
	out := stream.Take()
	marshaled := dump(t, out)
	for _, hidden := range []string{"all thoughts", `"command"`, "more"} {
		assert.NotContains(t, marshaled, hidden)
	}
	assert.Contains(t, marshaled, "all words", "texts are on by default")
}

func dump(t *testing.T, out telemetry.Output) string {
	t.Helper()
	var b strings.Builder
	var f collected
	f.take(out)
	for _, s := range f.spans {
		for k, v := range s.Attributes().All() {
			b.WriteString(k + "=" + v.AsString() + "\n")
		}
	}
	for _, lr := range f.records {
		b.WriteString(lr.Body().AsString() + "\n")
		for k, v := range lr.Attributes().All() {
			b.WriteString(k + "=" + v.AsString() + "\n")
		}
	}
	return b.String()
}

func TestTargetIsCut(t *testing.T) {
	long := strings.Repeat("é", 300)
	for _, tt := range []struct{ name, target, want string }{
		{"path loses its beginning", "/" + strings.Repeat("d/", 200) + "file.go", "…"},
		{"command loses its end", "echo " + long, "echo é"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stream := newRegistry().Open(telemetry.StreamSettings{ID: "f", Agent: claude})
			stream.Feed(telemetry.Line{}, line(use(1, "msg1", "t1", "Bash", tt.target)))
			var f collected
			f.take(stream.Take())
			v, _ := f.records[0].Attributes().Get(otlp.AttrToolTarget)
			assert.Len(t, []rune(v.Str()), 256)
			assert.True(t, strings.HasPrefix(v.Str(), tt.want), v.Str())
		})
	}
}
