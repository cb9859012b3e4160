package render_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render"
)

// TestAnswer checks that a result is shown if the run has nothing else, once and in every mode that shows texts.
func TestAnswer(t *testing.T) {
	text := &events.DisplayEvent{Kind: events.KindText, Text: "Words."}
	call := &events.DisplayEvent{Kind: events.KindToolUse, Tool: events.Tool{ID: "c", Name: "Read"}}
	ofAgent := &events.DisplayEvent{Kind: events.KindSessionEnded, AgentID: "a", End: &events.End{Result: "42"}}
	end := func(e events.End) *events.DisplayEvent {
		return &events.DisplayEvent{Kind: events.KindSessionEnded, End: &e}
	}
	for _, tc := range []struct {
		name string
		in   []*events.DisplayEvent
		want string
	}{
		{"alone", []*events.DisplayEvent{end(events.End{Result: "The answer\x1b[2J is 42."})}, "The answer is 42.\n"},
		{"behind a text", []*events.DisplayEvent{text, end(events.End{Result: "Words."})}, "Words.\n"},
		{"behind a call", []*events.DisplayEvent{call, end(events.End{Result: "42"})}, ""},
		{"of the next run", []*events.DisplayEvent{text, end(events.End{Result: "Words."}), end(events.End{Result: "42"})}, "Words.\n42\n"},
		{"of a failure", []*events.DisplayEvent{end(events.End{Result: "42", Error: true})}, ""},
		{"of an interruption", []*events.DisplayEvent{end(events.End{Result: "42", Interrupted: true})}, ""},
		{"of a sub-agent", []*events.DisplayEvent{ofAgent}, ""},
		{"blank", []*events.DisplayEvent{end(events.End{Result: " \n"})}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, tc.want, emit(render.Settings{}, tc.in...))
		})
	}
	alone := end(events.End{Result: "42"})
	assert.Equal(t, "Run finished\n", emit(render.Settings{Mode: render.ModeQuiet}, alone))
	assert.Equal(t, "\n--- Result ---\n42\n", emit(render.Settings{Mode: render.ModeVerbose, Style: render.StyleTranscript}, alone))
}
