package render_test

import (
	"math"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render"
)

// luminance returns the brightness of a colour in the table of 256 (relative luminance of WCAG 2.2). Only the colours
// from 16 on are the same in every terminal.
func luminance(t *testing.T, n int) float64 {
	require.True(t, n >= 16 && n <= 255, "colour %d is of the terminal's own palette", n)
	levels := [6]float64{0, 95, 135, 175, 215, 255}
	r, g, b := levels[(n-16)/36%6], levels[(n-16)/6%6], levels[(n-16)%6]
	if n >= 232 {
		r = float64(8 + 10*(n-232))
		g, b = r, r
	}
	linear := func(v float64) float64 {
		if v /= 255; v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

// TestColorsCanBeRead checks that coloured lines are readable on black and on white, in every style, and that texts
// have no colour of ours.
func TestColorsCanBeRead(t *testing.T) {
	all := []*events.DisplayEvent{
		{Kind: events.KindSessionStarted, Model: "demo-1"}, use("1", "Read", "a.go"), answer("1", "ok"), refusal("2", "no such file"),
		{Kind: events.KindReasoning, Text: "hm"},
		{Kind: events.KindNotice, Text: "careful", Notice: events.Notice{Level: events.LevelWarn}},
		{Kind: events.KindNotice, Text: "bad", Notice: events.Notice{Level: events.LevelError}},
		end(events.End{Result: "fine"}), end(events.End{Error: true, Err: "it broke"}), end(events.End{Interrupted: true}),
	}
	sequence := regexp.MustCompile("\x1b\\[([^m]*)m")
	used := map[string]bool{}
	for style := range render.Style(len(render.StyleNames())) {
		s := render.Settings{Mode: render.ModeVerbose, Style: style, Color: true, Results: true, Reasoning: true}
		for _, found := range sequence.FindAllStringSubmatch(emit(s, all...), -1) {
			used[found[1]] = true
		}
		assert.Equal(t, "words\n", emit(s, said("words")))
	}
	for code := range used {
		if code == "0" || code == "1" {
			continue
		}
		require.Regexp(t, `^38;5;\d+$`, code)
		n, err := strconv.Atoi(code[len("38;5;"):])
		require.NoError(t, err)
		l := luminance(t, n)
		assert.Greater(t, 1.05/(l+0.05), 3.5, "contrast of %s on white", code)
		assert.Greater(t, (l+0.05)/0.05, 3.5, "contrast of %s on black", code)
	}
	assert.Len(t, used, 7, "every colour is looked at: %v", used)
}
