package twin_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/session/exported"
	"github.com/tailspan/tailspan/session/pending"
	"github.com/tailspan/tailspan/session/twin"
)

func newSigner() *twin.Signer {
	seen := exported.NewSeen(exported.NewTable(exported.Limits{IDs: 100, Items: 100}))
	return &twin.Signer{Seen: &seen, Provider: "gemini", StreamIDs: true}
}

func text(s string) *events.DisplayEvent { return &events.DisplayEvent{Kind: events.KindText, Text: s} }

func use(name, target string) *events.DisplayEvent {
	return &events.DisplayEvent{Kind: events.KindToolUse, Tool: events.Tool{ID: target, Name: name, Target: target}}
}

func TestSigns(t *testing.T) {
	s := newSigner()
	for _, tt := range []struct {
		name string
		a, b *events.DisplayEvent
		same bool
	}{
		{"split differently", text("  Let me look at the file\nthat is"), text("Let me look at the file that is"), true},
		{"another text", text("Let me look"), text("Now I look"), false},
		{"text and reasoning", text("Let me look"), &events.DisplayEvent{Kind: events.KindReasoning, Text: "Let me look"}, false},
		{"relative path", use("read_file", "/home/dev/a.go"), use("read_file", "a.go"), true},
		{"another file", use("read_file", "a.go"), use("read_file", "b.go"), false},
		{"server in the name", use("mcp__docs__search", ""), use("search", ""), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := s.Signs("s1", tt.a), s.Signs("s1", tt.b)
			assert.Len(t, a, 1)
			assert.Equal(t, tt.same, a[0] == b[0])
		})
	}
	assert.NotEqual(t, s.Signs("s1", text("a")), s.Signs("s2", text("a")), "of one session")
	assert.Empty(t, s.Signs("", text("a")))
	assert.Empty(t, (&twin.Signer{Seen: s.Seen}).Signs("s1", text("a")), "the program has no twins")
}

// TestOpening checks that the signs of a run end with the first that is not of reasoning.
func TestOpening(t *testing.T) {
	s := newSigner()
	reasoning := events.DisplayEvent{Kind: events.KindReasoning, Text: "hm"}
	p := pending.Events{{Event: events.DisplayEvent{Kind: events.KindPrompt}}, {Event: reasoning}, {Event: *text("a")}, {Event: *text("b")}}
	assert.Equal(t, append(s.Signs("s1", &reasoning), s.Signs("s1", text("a"))...), s.Opening("s1", p))
}

// TestCall checks that similar calls are numbered alike in both accounts.
func TestCall(t *testing.T) {
	s := newSigner()
	var stream, transcript memory.Counter
	first := s.Call(&stream, use("read_file", "a.go"), 1)
	assert.NotEqual(t, first, s.Call(&stream, use("read_file", "a.go"), 1))
	assert.Equal(t, first, s.Call(&transcript, use("read_file", "b.go"), 1), "without the ID of the call")
	s.CallIDs = true
	assert.NotEqual(t, s.Call(&stream, use("read_file", "a.go"), 2), s.Call(&transcript, use("read_file", "b.go"), 2))
}

// TestTexts checks that all texts of a model call have one sign, however they are split.
func TestTexts(t *testing.T) {
	s := newSigner()
	var whole, split twin.Wording
	own, all := s.Text(&whole, "s1", text("one two\nthree"))
	assert.Equal(t, own, all)
	s.Text(&split, "s1", text("one"))
	second, _ := s.Text(&split, "s1", text(" two three"))
	assert.NotEqual(t, own, second)
	assert.Equal(t, all, s.Texts(&split, "s1", events.KindText))
	assert.NotEqual(t, all, s.Texts(&split, "s1", events.KindReasoning), "separately from reasoning")
}

func TestWait(t *testing.T) {
	var w twin.Wording
	what := pending.Sighting{Event: text("abc"), Number: 7}
	assert.False(t, w.Wait(what, 1))
	assert.True(t, w.Wait(what, 1<<20))
	what.Event.Text = "changed"
	assert.Equal(t, "abc", w.Waiting[0].Event.Text, "a copy")
	assert.Zero(t, w.Waiting[0].Number, "it is numbered when it is written")
}
