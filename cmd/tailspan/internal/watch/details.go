package watch

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/tailspan/tailspan/render"
)

// details returns the rows for one agent.
func (v *View) details(r *Run, a *Agent) []string {
	lines := []string{v.title(r, a), ""}
	for _, f := range v.facts(r, a) {
		if f[1] != "" {
			lines = append(lines, fit(faint(pad(f[0], 8))+" "+f[1], v.Width))
		}
	}
	room := v.Height - len(lines) - 1
	calls := v.calls(a, max(0, room/2-1))
	if len(calls) > 0 {
		lines = append(append(lines, ""), calls...)
	}
	if room = v.Height - len(lines) - 2; room > 0 && a.Text != "" {
		text := strings.Split(ansi.Wrap(strings.ReplaceAll(a.Text, "\t", "    "), v.Width, ""), "\n")
		lines = append(append(lines, ""), text[max(0, len(text)-room):]...)
	}
	for len(lines) < v.Height-1 {
		lines = append(lines, "")
	}
	lines = lines[:min(len(lines), v.Height-1)]
	return append(lines, faint(fit("esc back · ↑↓ next agent · q quit", v.Width)))
}

// title returns the first row of the details.
func (v *View) title(r *Run, a *Agent) string {
	name := bold(join(" ", r.Service, r.Project))
	if a.Depth > 0 {
		name = bold(a.title()) + " · sub-agent of " + join(" ", r.Service, r.Project)
	}
	state := v.doing(a)
	if a.Depth == 0 && !r.AtWork {
		state = r.Verdict.String()
	}
	return fit(v.sign(a)+" "+name+"  "+state, v.Width)
}

// facts returns the known facts of an agent with their labels; empty ones are not shown.
func (v *View) facts(r *Run, a *Agent) [][2]string {
	end, state := v.Now, ""
	if !a.Ended.IsZero() {
		end, state = a.Ended, ", ended "+a.Ended.Local().Format(time.TimeOnly)
	}
	tokens := ""
	if a.Tokens > 0 {
		tokens = render.ShortCount(a.Tokens)
	}
	calls := ""
	if a.Made > 0 {
		calls = fmt.Sprintf("%d, %d failed", a.Made, a.Failed)
	}
	const label = 9 // cells before a fact
	return [][2]string{
		{"prompt", a.Title},
		{"model", a.Model},
		{"session", r.Session},
		{"agent", a.ID},
		{"file", render.FitEnd(a.Path, max(1, v.Width-label))},
		{"started", a.Started.Local().Format(time.TimeOnly) + state + " (" + render.ShortDuration(since(a.Started, end).Truncate(time.Second)) + ")"},
		{"tokens", tokens},
		{"cost", a.Cost},
		{"calls", calls},
	}
}

// calls returns the rows for the last calls of an agent.
func (v *View) calls(a *Agent, most int) (lines []string) {
	for _, c := range a.Calls[max(0, len(a.Calls)-most):] {
		sign, took := faint("✓"), render.ShortDuration(c.Took)
		switch c.State {
		case CallRuns:
			sign, took = green("●"), render.ShortDuration(since(c.Started, v.Now).Truncate(time.Second))
			if !a.Ended.IsZero() {
				sign, took = yellow("■"), ""
			}
		case CallFailed:
			sign = red("✗")
		case CallBackground:
			sign, took = faint("…"), "background"
		}
		text := c.Fit(max(16, v.Width*2/3))
		if c.Error != "" {
			text += "  " + red(c.Error)
		}
		lines = append(lines, v.spread(sign+" "+text, padLeft(took, 8)))
	}
	return lines
}
