package content_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/content"
)

func TestShows(t *testing.T) {
	type ev = events.DisplayEvent
	for _, tt := range []struct {
		name string
		of   func(*ev) bool
		yes  []ev
		no   []ev
	}{
		{
			"starts a session", content.StartsSession, []ev{{Kind: events.KindSessionStarted}, {Kind: events.KindSessionStarted, Session: &events.Session{}}},
			[]ev{{Kind: events.KindPrompt}, {Kind: events.KindSessionStarted, Session: &events.Session{SubAgent: true}}, {Kind: events.KindSessionStarted, Session: &events.Session{ParentID: "s"}}},
		},
		{
			"ends the run", content.Ends, []ev{{Kind: events.KindSessionEnded}, {Kind: events.KindTurnDone}, {Kind: events.KindTurnAborted}},
			[]ev{{Kind: events.KindText}, {Kind: events.KindTurnDone, ParentID: "call"}},
		},
		{
			"the model works", content.ModelWorks, []ev{{Kind: events.KindText}, {Kind: events.KindReasoning}, {Kind: events.KindMessage}, {Kind: events.KindToolUse}},
			[]ev{{Kind: events.KindToolResult}, {Kind: events.KindText, ParentID: "call"}},
		},
		{"by the program", content.ByProgram, []ev{{Kind: events.KindNotice}, {Kind: events.KindPrompt, Synthetic: true}}, []ev{{Kind: events.KindPrompt}}},
		{
			"aside", content.IsAside, []ev{{Kind: events.KindNotice}},
			[]ev{{Kind: events.KindNotice, Notice: events.Notice{Level: events.LevelError}}, {Kind: events.KindNotice, Notice: events.Notice{Code: events.NoticeAPIRetry}}, {Kind: events.KindNotice, ParentID: "call"}},
		},
		{"text", content.IsText, []ev{{Kind: events.KindText}, {Kind: events.KindReasoning}}, []ev{{Kind: events.KindToolUse}, {Kind: events.KindText, ParentID: "call"}}},
		{"tokens", content.HasTokens, []ev{{Kind: events.KindUsage, Usage: &events.Usage{Tokens: events.Tokens{Input: 1}}}}, []ev{{Kind: events.KindUsage}, {Kind: events.KindUsage, Usage: &events.Usage{}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for i := range tt.yes {
				assert.True(t, tt.of(&tt.yes[i]), i)
			}
			for i := range tt.no {
				assert.False(t, tt.of(&tt.no[i]), i)
			}
		})
	}
}

// TestHash checks what of an event its hash depends on.
func TestHash(t *testing.T) {
	text := func(s string) string { return content.Hash(&events.DisplayEvent{Kind: events.KindText, Text: s}) }
	assert.Equal(t, text("a\nb"), text("a\nc"), "the first line")
	assert.NotEqual(t, text("a"), text("b"))
	use := func(name, target string) string {
		return content.Hash(&events.DisplayEvent{Kind: events.KindToolUse, Tool: events.Tool{Name: name, Target: target}})
	}
	assert.NotEqual(t, use("Read", "a"), use("Read", "b"))
	assert.NotEqual(t, use("Read", "a"), use("Write", "a"))
	assert.Empty(t, content.Hash(&events.DisplayEvent{Kind: events.KindToolResult}))
}

// TestAppend checks which records of one item ID are different records.
func TestAppend(t *testing.T) {
	long := strings.Repeat("x", 1000)
	of := func(ev events.DisplayEvent, call string) string {
		var made []byte
		if call != "" {
			made = []byte(call)
		}
		return string(content.Append(nil, "run", made, &ev))
	}
	assert.NotEqual(t, of(events.DisplayEvent{Kind: events.KindText, Text: long + "a"}, ""), of(events.DisplayEvent{Kind: events.KindText, Text: long + "b"}, ""))
	assert.Less(t, len(of(events.DisplayEvent{Kind: events.KindText, Text: long}, "")), 64, "of a long text its hash")
	assert.Equal(t, "call", of(events.DisplayEvent{Kind: events.KindToolResult, Tool: events.Tool{ID: "t1"}}, "call"), "the content of the call")
	assert.NotEqual(t, of(events.DisplayEvent{Kind: events.KindToolResult, Tool: events.Tool{ID: "t1"}}, ""), of(events.DisplayEvent{Kind: events.KindToolResult, Tool: events.Tool{ID: "t2"}}, ""))
	progress := func(summary string) string {
		return of(events.DisplayEvent{Kind: events.KindToolProgress, Tool: events.Tool{ID: "t1", Summary: summary}}, "call")
	}
	assert.NotEqual(t, progress("half of it"), progress("all of it"), "a copy of a line with another text hid it: found by the pipeline fuzzer")
	assert.Equal(t, of(events.DisplayEvent{Kind: events.KindTurnDone}, ""), of(events.DisplayEvent{Kind: events.KindSessionEnded}, ""), "the key of the run")
}

func TestReported(t *testing.T) {
	assert.Equal(t, time.Second, content.Reported(&events.DisplayEvent{Kind: events.KindToolResult, Tool: events.Tool{Duration: time.Second}}))
	assert.Zero(t, content.Reported(&events.DisplayEvent{Kind: events.KindToolResult, Tool: events.Tool{Duration: time.Second, State: events.ToolStateBackground}}))
	assert.Equal(t, time.Minute, content.Reported(&events.DisplayEvent{Kind: events.KindTurnDone, End: &events.End{Duration: time.Minute}}))
}

func TestInBatch(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	result := events.DisplayEvent{Kind: events.KindToolResult, Time: now}
	later := events.DisplayEvent{Kind: events.KindToolResult, Time: now.Add(time.Second)}
	assert.True(t, content.InBatch([]events.DisplayEvent{result, result}, 0), "the same time")
	assert.False(t, content.InBatch([]events.DisplayEvent{result, later}, 0))
	later.Tool.Batched = true
	assert.True(t, content.InBatch([]events.DisplayEvent{later}, 0), "the parser marks it")
}

// TestSize checks that all texts of an event count.
func TestSize(t *testing.T) {
	empty := content.Size(&events.DisplayEvent{})
	assert.Equal(t, empty+3, content.Size(&events.DisplayEvent{Text: "abc"}))
	ask := &events.Ask{Questions: []events.AskQuestion{{Prompt: "abc"}}}
	assert.Equal(t, empty+3, content.Size(&events.DisplayEvent{Ask: ask}))
}
