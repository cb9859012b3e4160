package render_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/render/style"
)

// TestActivityAction checks that the throttle silently passes exactly the events that show nothing, for every kind with
// and without its payload.
func TestActivityAction(t *testing.T) {
	for _, k := range append(events.Kinds(), 200) {
		for name, e := range map[string]events.DisplayEvent{
			"bare": {Kind: k},
			"full": {
				Kind: k, Text: "words", Tool: events.Tool{ID: "t", Name: "Read", Target: "x"}, Notice: events.Notice{Level: events.LevelWarn},
				End: &events.End{Error: true, Err: "went wrong"}, Approval: &events.Approval{Tool: "Bash"},
				Ask: &events.Ask{Questions: []events.AskQuestion{{Prompt: "Which?"}}},
			},
			"partial": {Kind: k, Tool: events.Tool{Name: "Read", Partial: true}},
			"retry":   {Kind: k, Notice: events.Notice{Code: events.NoticeAPIRetry}},
		} {
			for _, more := range []bool{false, true} {
				var out strings.Builder
				r := render.New(&out, render.Settings{Mode: render.ModeVerbose, Style: render.StyleActivity, Reasoning: more, Results: more})
				got := style.ActivityAction(&e, more, more)
				r.Emit(&e)
				assert.Equal(t, out.Len() == 0, got == style.ActionSilent, "%s %s, reasoning and results %t: action %d, shown %q", name, k, more, got, out.String())
				if got == style.ActionHold {
					assert.Contains(t, []events.Kind{events.KindToolUse, events.KindToolResult}, k)
				}
			}
		}
	}
}
