package page

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/report"
	"github.com/tailspan/tailspan/render"
)

// timeline is a chart of a run with one lane for each agent, model calls above tool calls. Concurrent spans are stacked.
type timeline struct {
	Ticks []tick
	Lanes []lane
	More  int // sub-agents without a lane
}

// tick is a time on the axis. X is its position in percent of the width.
type tick struct {
	X             percent
	Label, Anchor string
}

// lane shows one agent. Positions are in percent of the width, heights in pixels.
type lane struct {
	Name, Href, Label  string
	Depth              int
	X, W               percent
	Height, LifeHeight int
	Bars               []bar
}

// bar is a model call, a tool call, or several that are too close to distinguish.
type bar struct {
	Class, Href, Title string
	X, W               percent
	Y                  int
}

// percent is a fraction of the width.
type percent float64

// String formats a percentage with two decimals, which is a twentieth of a pixel on a wide screen.
func (p percent) String() string { return strconv.FormatFloat(float64(p), 'f', 2, 64) }

// Limits and sizes of a timeline.
const (
	maxLanes   = 60
	maxTracks  = 6            // for concurrent tool calls of one agent
	narrowest  = percent(0.3) // the narrowest visible bar
	trackPixel = 11
)

func newTimeline(run *report.Run) timeline {
	s := &scale{start: run.Start, end: run.End}
	run.Each(func(a *report.Agent) {
		if a.End.After(s.end) {
			s.end = a.End
		}
	})
	t := timeline{Ticks: s.ticks()}
	t.add(s, &run.Agent, "log-"+run.ID, 0)
	return t
}

// add appends the lane of an agent and those of its sub-agents.
func (t *timeline) add(s *scale, a *report.Agent, href string, depth int) {
	if len(t.Lanes) >= maxLanes {
		t.More++
	} else {
		t.Lanes = append(t.Lanes, newLane(s, a, href, depth))
	}
	for _, item := range a.Items {
		for _, sub := range item.Agents() {
			t.add(s, sub, "s"+sub.ID, depth+1)
		}
	}
}

func newLane(s *scale, a *report.Agent, href string, depth int) lane {
	l := lane{Name: a.Name, Href: href, Depth: min(depth, 4)}
	l.X, l.W = s.place(a.Start, a.End)
	p := packer{scale: s}
	for _, chat := range a.Chats {
		p.add(&chat.Span, 0, bar{Class: "chat", Title: "model call " + chat.Model})
	}
	calls := 0
	for _, item := range a.Items {
		if call := item.Call; call != nil {
			calls++
			b := bar{Class: "call", Href: "s" + item.ID, Title: call.Tool + " " + call.Target}
			if len(call.Agents) > 0 {
				b.Class = "call agent"
			}
			p.add(&call.Span, p.track(call), b)
		}
	}
	l.Bars = p.bars
	l.LifeHeight = 4 + trackPixel*(1+max(len(p.ends), 1))
	l.Height = l.LifeHeight + 4
	l.Label = fmt.Sprintf("%s: %s, %d model calls, %d tool calls", a.Name, render.ShortDuration(a.Duration()), len(a.Chats), calls)
	return l
}

// packer assigns bars to tracks. Model calls are on track 0, tool calls on the first free track from 1 on.
type packer struct {
	scale *scale
	ends  []time.Time // of the last bar on each track of tool calls
	bars  []bar
	last  [1 + maxTracks]int // index of the last bar on each track, plus 1
}

func (p *packer) track(call *report.Call) int {
	for i, end := range p.ends {
		if !end.After(call.Start) {
			p.ends[i] = call.End
			return 1 + i
		}
	}
	if len(p.ends) < maxTracks {
		p.ends = append(p.ends, call.End)
		return len(p.ends)
	}
	return maxTracks
}

// add appends a bar, or widens the last bar of its track if the two overlap.
func (p *packer) add(span *report.Span, track int, b bar) {
	if span.Failed {
		b.Class += " failed"
	}
	b.Title += " · " + render.ShortDuration(span.Duration())
	b.X, b.W = p.scale.place(span.Start, span.End)
	b.Y = 5 + trackPixel*track
	if i := p.last[track] - 1; i >= 0 {
		if last := &p.bars[i]; last.Class == b.Class && b.X+b.W-last.X <= narrowest {
			last.W = max(last.W, b.X+b.W-last.X)
			return
		}
	}
	p.bars = append(p.bars, b)
	p.last[track] = len(p.bars)
}

// scale maps times to positions.
type scale struct{ start, end time.Time }

func (s *scale) at(t time.Time) percent {
	whole := s.end.Sub(s.start)
	if whole <= 0 {
		return 0
	}
	return min(max(percent(100*float64(t.Sub(s.start))/float64(whole)), 0), 100)
}

// place returns the position and width of a span. The bar is wide enough to be visible and stays inside the chart.
func (s *scale) place(start, end time.Time) (x, width percent) {
	x = s.at(start)
	width = max(s.at(end)-x, narrowest)
	return min(x, 100-width), width
}

// steps are the possible intervals between ticks.
var steps = []time.Duration{
	10 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 20 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour,
}

// maxTicks is how many ticks fit on a narrow screen.
const maxTicks = 5

func (s *scale) ticks() (list []tick) {
	whole := s.end.Sub(s.start)
	i := slices.IndexFunc(steps, func(step time.Duration) bool { return whole <= maxTicks*step })
	if i < 0 || whole <= 0 {
		return []tick{{Label: "0s", Anchor: "start"}}
	}
	for d := time.Duration(0); d <= whole; d += steps[i] {
		t := tick{X: s.at(s.start.Add(d)), Label: render.ShortDuration(d), Anchor: "middle"}
		switch {
		case d == 0:
			t.Anchor = "start"
		case t.X > 94:
			t.Anchor = "end"
		}
		list = append(list, t)
	}
	return list
}
