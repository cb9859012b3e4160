package markdown

import (
	"fmt"
	"strings"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/report"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render"
)

// Sizes of a timeline, in characters.
const (
	barWidth  = 48
	nameWidth = 22
)

// timeline draws one line for each agent of a run.
func timeline(r *report.Run) string {
	d := drawing{start: r.Start, end: r.End}
	r.Each(func(a *report.Agent) {
		if a.End.After(d.end) {
			d.end = a.End
		}
	})
	d.agent(&r.Agent, 0)
	if d.agents > maxAgents {
		fmt.Fprintf(&d.b, "and %d more sub-agents\n", d.agents-maxAgents)
	}
	return d.b.String()
}

type drawing struct {
	start, end time.Time
	agents     int
	b          strings.Builder
}

func (d *drawing) agent(a *report.Agent, depth int) {
	if d.agents++; d.agents <= maxAgents {
		from := min(d.at(a.Start), barWidth-1)
		to := max(d.at(a.End), from+1)
		bar := strings.Repeat("·", from) + strings.Repeat("█", to-from) + strings.Repeat("·", barWidth-to)
		name := strings.Repeat("  ", min(depth, 4)) + a.Name
		fmt.Fprintf(&d.b, "%-*s %s %s\n", nameWidth, events.CutRunes(name, nameWidth), bar, render.ShortDuration(a.Duration()))
	}
	for _, item := range a.Items {
		for _, sub := range item.Agents() {
			d.agent(sub, depth+1)
		}
	}
}

// at returns the column of a time.
func (d *drawing) at(t time.Time) int {
	whole := d.end.Sub(d.start)
	if whole <= 0 {
		return 0
	}
	return min(max(int(barWidth*float64(t.Sub(d.start))/float64(whole)), 0), barWidth)
}
