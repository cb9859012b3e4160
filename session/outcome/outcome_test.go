package outcome_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/outcome"
)

// signed returns the signs of a run whose last event has one.
func signed(evs ...events.DisplayEvent) (s outcome.Signs) {
	for i := range evs {
		s.Note(&evs[i])
	}
	return s
}

func text(o events.Outcome, words string) events.DisplayEvent {
	return events.DisplayEvent{Kind: events.KindText, Text: words, Sign: events.Sign{Outcome: o, Cause: causeOf(o)}}
}

func causeOf(o events.Outcome) events.Cause {
	if o == events.OutcomeError {
		return events.CauseContentFilter
	}
	return ""
}

func TestVerdict(t *testing.T) {
	success, failure := &events.End{}, &events.End{Error: true, Err: "no credit", Cause: events.CauseContentFilter}
	stopped := events.DisplayEvent{Kind: events.KindToolResult, Tool: events.Tool{State: events.ToolStateStopped}}
	result := events.DisplayEvent{Kind: events.KindToolResult}
	said := signed(text(events.OutcomeOK, "done"))
	likely := text(events.OutcomeOK, "perhaps done")
	likely.Sign.Weak = true
	maybe := signed(likely)
	ok := outcome.Verdict{Outcome: events.OutcomeOK, Reason: otlp.CloseReasonResult}
	interrupted := outcome.Verdict{Outcome: events.OutcomeInterrupted, Reason: otlp.CloseReasonInterrupted}
	incomplete := func(reason otlp.CloseReason) outcome.Verdict {
		return outcome.Verdict{Outcome: events.OutcomeIncomplete, Reason: reason}
	}
	killed := func(message string) outcome.Verdict {
		return outcome.Verdict{Outcome: events.OutcomeKilled, Reason: otlp.CloseReasonKilled, Message: message}
	}
	for _, c := range []struct {
		name string
		of   outcome.Evidence
		want outcome.Verdict
	}{
		{"end line shows success", outcome.Evidence{End: success, Why: otlp.CloseReasonResult}, ok},
		{"end line shows failure", outcome.Evidence{End: failure, Why: otlp.CloseReasonResult},
			outcome.Verdict{Outcome: events.OutcomeError, Reason: otlp.CloseReasonResult, Cause: events.CauseContentFilter, Message: "no credit"}},
		{"failure without a cause", outcome.Evidence{End: &events.End{Error: true}},
			outcome.Verdict{Outcome: events.OutcomeError, Reason: otlp.CloseReasonResult, Cause: events.CauseOther}},
		{"end line over a sign", outcome.Evidence{End: success, Signs: signed(text(events.OutcomeError, "x"))}, ok},
		{"end line that judges nothing", outcome.Evidence{End: &events.End{Unjudged: true}, Why: otlp.CloseReasonResult}, incomplete(otlp.CloseReasonNoResult)},
		{"refusal on principle", outcome.Evidence{End: &events.End{Error: true, Principle: "refusal"}}, interrupted},
		{"last text ends the turn", outcome.Evidence{Signs: said, Why: otlp.CloseReasonTimeout}, ok},
		{"last text ends the turn, a call is open", outcome.Evidence{Signs: said, Open: true, Why: otlp.CloseReasonTimeout}, incomplete(otlp.CloseReasonTimeout)},
		{"failure as a sign, a call is open", outcome.Evidence{Signs: signed(text(events.OutcomeError, "too long")), Open: true},
			outcome.Verdict{Outcome: events.OutcomeError, Reason: otlp.CloseReasonResult, Cause: events.CauseContentFilter, Message: "too long"}},
		{"user stopped a call, results follow", outcome.Evidence{Signs: signed(stopped, result)}, interrupted},
		{"result takes a success back", outcome.Evidence{Signs: signed(text(events.OutcomeOK, "done"), result), Why: otlp.CloseReasonNoResult}, incomplete(otlp.CloseReasonNoResult)},
		{"nothing shown", outcome.Evidence{Why: otlp.CloseReasonSuperseded}, incomplete(otlp.CloseReasonSuperseded)},
		{"output was lost", outcome.Evidence{Exit: &outcome.Exit{Dropped: 1}, Why: otlp.CloseReasonNoResult}, incomplete(otlp.CloseReasonTruncated)},
		{"last text may end the turn", outcome.Evidence{Signs: maybe, Why: otlp.CloseReasonTimeout}, ok},
		{"last text may end the turn, input was truncated", outcome.Evidence{Signs: maybe, Why: otlp.CloseReasonTruncated}, incomplete(otlp.CloseReasonTruncated)},
		{"last text may end the turn, output was lost", outcome.Evidence{Signs: maybe, Exit: &outcome.Exit{Dropped: 1}, Why: otlp.CloseReasonNoResult}, incomplete(otlp.CloseReasonTruncated)},
		{"last text ends the turn, output was lost", outcome.Evidence{Signs: said, Exit: &outcome.Exit{Dropped: 1}, Why: otlp.CloseReasonNoResult}, ok},
		{"SIGINT over success", outcome.Evidence{End: success, Exit: &outcome.Exit{Signal: "SIGINT"}}, interrupted},
		{"code 130", outcome.Evidence{Exit: &outcome.Exit{Code: 130}}, interrupted},
		{"interrupt was forwarded", outcome.Evidence{Exit: &outcome.Exit{Code: 1, Interrupted: true}}, interrupted},
		{"interrupt was forwarded, after success", outcome.Evidence{End: success, Exit: &outcome.Exit{Interrupted: true}}, ok},
		{"signal before the result", outcome.Evidence{Exit: &outcome.Exit{Signal: "SIGKILL"}}, killed("ended by SIGKILL before its result")},
		{"signal after success", outcome.Evidence{End: success, Exit: &outcome.Exit{Signal: "SIGTERM"}}, killed("ended by SIGTERM")},
		{"tailspan stopped it", outcome.Evidence{Exit: &outcome.Exit{Code: 143, Stopped: true}}, killed("exit code 143 before its result")},
		{"code after success", outcome.Evidence{End: success, Exit: &outcome.Exit{Code: 3}},
			outcome.Verdict{Outcome: events.OutcomeError, Reason: otlp.CloseReasonResult, Cause: events.CauseProcessExit, Message: "exit code 3"}},
		{"code before the result", outcome.Evidence{Exit: &outcome.Exit{Code: 3}},
			outcome.Verdict{Outcome: events.OutcomeError, Reason: otlp.CloseReasonNoResult, Cause: events.CauseProcessExit, Message: "exit code 3 before its result"}},
		{"code after a failure", outcome.Evidence{End: failure, Exit: &outcome.Exit{Code: 1}},
			outcome.Verdict{Outcome: events.OutcomeError, Reason: otlp.CloseReasonResult, Cause: events.CauseContentFilter, Message: "no credit"}},
		{"code 0 before the result", outcome.Evidence{Exit: &outcome.Exit{}, Why: otlp.CloseReasonNoResult}, incomplete(otlp.CloseReasonNoResult)},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, c.of.Verdict()) })
	}
}

func TestErrorType(t *testing.T) {
	for reason, want := range map[otlp.CloseReason]string{
		otlp.CloseReasonResult: "", otlp.CloseReasonInterrupted: "", otlp.CloseReasonSuperseded: "", otlp.CloseReasonEvicted: "",
		otlp.CloseReasonShutdown: "", otlp.CloseReasonKilled: "killed", otlp.CloseReasonTimeout: "timeout",
		otlp.CloseReasonTruncated: "truncated", otlp.CloseReasonNoResult: "no_result",
	} {
		v := outcome.Closed(reason)
		assert.Equal(t, want, v.ErrorType(), reason)
	}
}

// TestWorseThan checks the order that decides over a step: each verdict of the list is worse than those before it.
func TestWorseThan(t *testing.T) {
	list := []outcome.Verdict{
		{}, outcome.Closed(otlp.CloseReasonResult), outcome.Closed(otlp.CloseReasonNoResult), outcome.Closed(otlp.CloseReasonInterrupted),
		outcome.Closed(otlp.CloseReasonTimeout), {Outcome: events.OutcomeError}, outcome.Closed(otlp.CloseReasonKilled),
	}
	for i := range list {
		for j := range list {
			assert.Equal(t, i > j, list[i].WorseThan(&list[j]), "%d, %d", i, j)
		}
	}
	words := []string{"incomplete", "success", "incomplete", "cancellation", "timeout", "failure", "error"}
	for i, want := range words {
		assert.Equal(t, want, list[i].Result())
	}
}

func TestCall(t *testing.T) {
	for _, c := range []struct {
		name      string
		tool      events.Tool
		reason    otlp.CloseReason
		errorType string
		agent     events.Outcome
	}{
		{"success", events.Tool{}, otlp.CloseReasonResult, "", events.OutcomeOK},
		{"failure", events.Tool{Error: true, Err: "x"}, otlp.CloseReasonResult, otlp.ErrorTypeTool, events.OutcomeError},
		{"denied", events.Tool{Error: true, Denied: true}, otlp.CloseReasonResult, otlp.ErrorTypeDenied, events.OutcomeError},
		{"user stopped it", events.Tool{State: events.ToolStateStopped}, otlp.CloseReasonInterrupted, "", events.OutcomeInterrupted},
		{"user stopped it with an error", events.Tool{State: events.ToolStateStopped, Error: true}, otlp.CloseReasonInterrupted, "interrupted", events.OutcomeInterrupted},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := outcome.OfResult(&c.tool, false)
			assert.Equal(t, c.reason, call.Reason)
			assert.Equal(t, c.errorType, call.ErrorType)
			assert.Equal(t, c.agent, call.Verdict().Outcome)
		})
	}
	abridged := outcome.OfResult(&events.Tool{}, true)
	assert.Equal(t, otlp.CloseReasonTruncated, abridged.CloseReason())
	assert.Equal(t, otlp.ErrorTypeNoResult, outcome.WithoutResult(otlp.CloseReasonEvicted).ErrorType)
	assert.Empty(t, outcome.WithoutResult(otlp.CloseReasonSuperseded).ErrorType)
}

func TestNotice(t *testing.T) {
	for state, want := range map[events.ToolState]events.Outcome{
		events.ToolStateCompleted: events.OutcomeOK, events.ToolStateStopped: events.OutcomeInterrupted, events.ToolStateFailed: events.OutcomeError,
	} {
		v, over := outcome.OfNotice(&events.Tool{State: state})
		assert.True(t, over)
		assert.Equal(t, want, v.Outcome)
	}
	_, over := outcome.OfNotice(&events.Tool{State: events.ToolStateBackground})
	assert.False(t, over)
}
