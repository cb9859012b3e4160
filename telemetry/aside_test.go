package telemetry_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// runsOf returns the spans of the runs in the output, in order.
func runsOf(f *collected) (runs []ptrace.Span) {
	for _, s := range f.spans {
		if s.Name() == "invoke_agent claude-code" {
			runs = append(runs, s)
		}
	}
	return runs
}

// TestCompactionDoesNotLengthenTheRunBefore: what the program writes after the last text of a run, such as a compaction
// that the user requested (Claude Code 2.1.332, /compact), is not work of that run.
func TestCompactionDoesNotLengthenTheRunBefore(t *testing.T) {
	compacted := events.DisplayEvent{Kind: events.KindNotice, Time: at(6), SessionID: "s1", ItemID: "c", Notice: events.Notice{Level: events.LevelInfo, Code: events.NoticeCompaction}, Text: "conversation compacted"}
	summary := prompt(7, "summary")
	summary.Synthetic = true
	f := collect(t, script{line(prompt(0, "p1")), line(lastWord(2, "msg1")), line(compacted), line(summary)}, telemetry.StreamSettings{}, otlp.CloseReasonTimeout)
	_, to := seconds(f.span(t, "invoke_agent claude-code"))
	assert.InDelta(t, 2, to, 0.001)

	f = collect(t, script{line(prompt(0, "p1")), line(use(1, "msg1", "t1", "Bash", "ls"), result(2, "t1")), line(compacted), line(summary)}, telemetry.StreamSettings{}, otlp.CloseReasonTimeout)
	_, to = seconds(f.span(t, "invoke_agent claude-code"))
	assert.InDelta(t, 7, to, 0.001, "in the middle of a run it is part of it")
}

// TestAnswerToATaskContinues: a run whose end shows that it answered the report of a task has a link to the run that
// started the task (Claude Code 2.1.332, result.origin).
func TestAnswerToATaskContinues(t *testing.T) {
	answered := ended("")
	answered.End.Continues = true
	f := collect(t, script{
		line(started()), line(text(1, "msg1", "I wait.")), line(ended("")),
		line(started()), line(text(3, "msg2", "It reported.")), line(answered),
		line(started()), line(text(5, "msg3", "Something else.")), line(ended("")),
	}, telemetry.StreamSettings{}, otlp.CloseReasonTimeout)
	runs := runsOf(f)
	require.Len(t, runs, 3)
	assert.Zero(t, runs[0].Links().Len())
	require.Equal(t, 1, runs[1].Links().Len())
	assert.Equal(t, runs[0].SpanID(), runs[1].Links().At(0).SpanID())
	assert.Zero(t, runs[2].Links().Len(), "a prompt began it")
}

// TestCompactionBetweenRunsHasItsCall: the model call of a compaction after a run, whose text is a prompt, has a
// separate span (OpenCode 1.18.33, mode compaction).
func TestCompactionBetweenRunsHasItsCall(t *testing.T) {
	over := ended("")
	over.Kind = events.KindTurnDone
	summary := prompt(4, "summary")
	summary.Synthetic, summary.MessageID = true, "msg2"
	spent := events.DisplayEvent{
		Kind: events.KindUsage, Time: at(5), SessionID: "s1", MessageID: "msg2", ItemID: "u", Model: "m1",
		Usage: &events.Usage{Tokens: events.Tokens{Input: 70, Output: 3}},
	}
	f := collect(t, script{line(prompt(0, "p1")), line(lastWord(2, "msg1")), line(over), line(summary), line(spent)}, telemetry.StreamSettings{}, otlp.CloseReasonTimeout)
	runs := runsOf(f)
	require.Len(t, runs, 2)
	assert.Equal(t, 1, runs[1].Links().Len())
	found := 0
	for _, s := range f.spans {
		if attr(s, otlp.AttrGenAIInputTokens) == "70" {
			found++
		}
	}
	assert.Equal(t, 1, found, "spans with its tokens")
}
