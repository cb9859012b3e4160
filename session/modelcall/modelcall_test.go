package modelcall_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/modelcall"
)

func at(s int64) clock.Moment {
	return clock.Moment{At: clock.InstantOf(time.Unix(s, 0)), Source: clock.SourceLine}
}

func part(id, model string) *events.DisplayEvent {
	return &events.DisplayEvent{Kind: events.KindText, MessageID: id, Model: model, Text: "hello"}
}

func usage(id, model string, output int64, unknown bool) *events.DisplayEvent {
	return &events.DisplayEvent{Kind: events.KindUsage, MessageID: id, Model: model, Usage: &events.Usage{
		Scope: events.UsageScopeCall, Tokens: events.Tokens{Input: 3, Output: output}, OutputUnknown: unknown,
	}}
}

// TestTimes checks that a call lasts from its input to its last part.
func TestTimes(t *testing.T) {
	for name, c := range map[string]struct {
		input   clock.Moment
		start   int64
		unasked bool
	}{
		"after a prompt": {at(4), 4, false},
		"no prompt":      {clock.Moment{}, 5, true},
		"late prompt":    {at(6), 5, true},
	} {
		thread := modelcall.Thread{LastInput: c.input}
		call := thread.Begin(part("m1", "demo"), "anthropic", at(5))
		end := at(9)
		call.Add(part("m1", "demo"), &end)
		call.Add(part("m1", "demo"), nil)
		assert.Equal(t, clock.Interval{Start: at(c.start), End: at(9)}, call.Span, name)
		assert.Equal(t, c.unasked, call.Unasked, name)
	}
}

func TestUsage(t *testing.T) {
	for name, c := range map[string]struct {
		evs     []*events.DisplayEvent
		counted bool
		want    *otlp.ChatUsage
	}{
		"none":              {nil, false, nil},
		"whole":             {[]*events.DisplayEvent{usage("m1", "demo", 7, false)}, false, &otlp.ChatUsage{Tokens: events.Tokens{Input: 3, Output: 7}, HasOutput: true}},
		"placeholder":       {[]*events.DisplayEvent{usage("m1", "demo", 0, true)}, false, &otlp.ChatUsage{Tokens: events.Tokens{Input: 3}}},
		"another message":   {[]*events.DisplayEvent{usage("m2", "demo", 7, false)}, false, nil},
		"another model":     {[]*events.DisplayEvent{usage("m1", "advisor", 7, false)}, false, nil},
		"counted elsewhere": {[]*events.DisplayEvent{usage("m1", "demo", 7, false)}, true, nil},
	} {
		thread := modelcall.Thread{}
		call := thread.Begin(part("m1", "demo"), "anthropic", at(5))
		for _, ev := range c.evs {
			call.Take(ev)
		}
		chat := call.Chat(otlp.Span{}, "claude-code", "", c.counted)
		assert.Equal(t, c.want, chat.Usage, name)
		assert.Equal(t, c.want != nil && !c.want.HasOutput, call.LacksOutput(), name)
	}
}

// TestCompaction checks that only the first call after a compaction is marked.
func TestCompaction(t *testing.T) {
	thread := modelcall.Thread{Compacted: true}
	first, second := thread.Begin(part("m1", "demo"), "", at(1)), thread.Begin(part("m2", "demo"), "", at(2))
	assert.True(t, first.Chat(otlp.Span{}, "", "", false).Compacted)
	assert.False(t, second.Chat(otlp.Span{}, "", "", false).Compacted)
}

// TestFailed checks that a failed call has no answer, and that it has the model of its agent if it names none.
func TestFailed(t *testing.T) {
	thread := modelcall.Thread{LastInput: at(1)}
	thread.Models.Add("demo", 4)
	call := thread.Failed(&events.DisplayEvent{Text: "no credit", Sign: events.Sign{Cause: events.CauseContentFilter}}, "anthropic", at(3))
	chat := call.Chat(otlp.Span{}, "claude-code", "", false)
	assert.Equal(t, "demo", chat.Model)
	assert.Equal(t, string(events.CauseContentFilter), chat.ErrorType)
	assert.Equal(t, "no credit", chat.Error)
	assert.Empty(t, chat.MessageID)
}

func TestConversation(t *testing.T) {
	var thread modelcall.Thread
	grown := thread.Say(&events.DisplayEvent{Kind: events.KindPrompt, Text: "add 2 and 2"}, nil, 1<<10)
	call := thread.Begin(part("m1", "demo"), "", at(1))
	grown += thread.Say(part("m1", "demo"), &call, 1<<10)
	said, size := thread.End(events.OutcomeOK, "")
	assert.Equal(t, grown, size)
	assert.Contains(t, said.Input, "add 2 and 2")
	assert.Contains(t, said.Output, "hello")
	assert.Equal(t, said, call.Chat(otlp.Span{}, "", "", false).Messages)
	said, size = thread.End(events.OutcomeOK, "")
	assert.Nil(t, said)
	assert.Zero(t, size)
}
