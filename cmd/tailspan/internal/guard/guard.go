package guard

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/session/ledger"
)

// Limits bound a run; zero means no limit.
type Limits struct {
	// StallAfter is the time without a line after which a run is reported as stalled. StallKill also stops it then.
	StallAfter time.Duration
	StallKill  bool
	// MaxTime bounds the duration of a run, MaxTokens its input and output tokens together, and MaxCost its cost in US dollars.
	MaxTime   time.Duration
	MaxTokens int64
	MaxCost   float64
	// Priced reports whether there is a list of prices.
	Priced bool
}

// Stops reports whether a limit stops the run.
func (l *Limits) Stops() bool {
	return l.StallKill || l.MaxTime > 0 || l.MaxTokens > 0 || l.MaxCost > 0
}

// nearTime is the elapsed time at which a guard warns about MaxTime.
func (l *Limits) nearTime() time.Duration { return time.Duration(warnAt * float64(l.MaxTime)) }

// warnAt is the fraction of a limit at which a guard warns.
const warnAt = 0.8

// Alarm is a line for people, and a reason if the run must stop.
type Alarm struct {
	Text string
	Stop otlp.StopReason // empty if the run may continue
}

// Guard watches one run.
type Guard struct {
	limits  Limits
	start   time.Time
	moved   time.Time // time of the last line
	stalled bool      // the silence since then was reported
	warned  map[otlp.StopReason]bool
	unknown bool // the unknown cost was reported
	stopped otlp.StopReason
	// exceeded is a limit that was found to be exceeded with the agent's result: what follows would be stopped.
	exceeded otlp.StopReason
}

// New returns a Guard of a run that begins now.
func New(l Limits, now time.Time) *Guard {
	return &Guard{limits: l, start: now, moved: now, warned: map[otlp.StopReason]bool{}}
}

// Stopped returns the limit that the run exceeded, or "".
func (g *Guard) Stopped() otlp.StopReason { return cmp.Or(g.stopped, g.exceeded) }

// Moved records the arrival of a line.
func (g *Guard) Moved(now time.Time) { g.moved, g.stalled = now, false }

// Check returns the alarms that are due at a time.
func (g *Guard) Check(now time.Time) (alarms []Alarm) {
	l := &g.limits
	if l.MaxTime > 0 {
		took := now.Sub(g.start)
		alarms = g.limit(alarms, use{
			reason: otlp.StopMaxTime, part: float64(took) / float64(l.MaxTime), level: levelOf(took >= l.nearTime(), took >= l.MaxTime),
			used: "running for " + render.ShortDuration(took), most: render.ShortDuration(l.MaxTime),
		})
	}
	if silent := now.Sub(g.moved); l.StallAfter > 0 && silent >= l.StallAfter && !g.stalled && g.stopped == "" {
		g.stalled = true
		a := Alarm{Text: "no output for " + render.ShortDuration(l.StallAfter)}
		if l.StallKill {
			a.Stop, g.stopped = otlp.StopStall, otlp.StopStall
			a.Text += ", stopping the agent (" + FlagOf(otlp.StopStall) + ")"
		}
		alarms = append(alarms, a)
	}
	return alarms
}

// Due returns when [Guard.Check] has its next result, or zero if it has none.
func (g *Guard) Due() (at time.Time) {
	if g.stopped != "" {
		return at
	}
	soonest := func(t time.Time) {
		if at.IsZero() || t.Before(at) {
			at = t
		}
	}
	if l := &g.limits; l.MaxTime > 0 {
		if !g.warned[otlp.StopMaxTime] {
			soonest(g.start.Add(l.nearTime()))
		}
		soonest(g.start.Add(l.MaxTime))
	}
	if g.limits.StallAfter > 0 && !g.stalled {
		soonest(g.moved.Add(g.limits.StallAfter))
	}
	return at
}

// Used returns the alarms that are due at the current usage.
// ended is true if the agent has given its result.
func (g *Guard) Used(sum *ledger.Sum, ended bool) (alarms []Alarm) {
	l := &g.limits
	if tokens := sum.Tokens.Input + sum.Tokens.Output; l.MaxTokens > 0 {
		alarms = g.limit(alarms, use{
			reason: otlp.StopMaxTokens, part: float64(tokens) / float64(l.MaxTokens),
			level: levelOf(float64(tokens) >= warnAt*float64(l.MaxTokens), tokens > l.MaxTokens),
			used:  render.GroupedCount(tokens) + " tokens used", most: strconv.FormatInt(l.MaxTokens, 10), ended: ended,
		})
	}
	switch {
	case l.MaxCost <= 0 || sum.Tokens.Input+sum.Tokens.Output == 0 && !sum.HasCost:
	case sum.HasCost:
		alarms = g.limit(alarms, use{
			reason: otlp.StopMaxCost, part: sum.CostUSD / l.MaxCost,
			level: levelOf(sum.CostUSD >= warnAt*l.MaxCost*(1-1e-9), sum.CostUSD > l.MaxCost),
			used:  "cost is " + render.USD(sum.CostUSD, sum.Estimated), most: render.USD(l.MaxCost, false), ended: ended,
		})
	case !g.unknown:
		g.unknown = true
		why := "Claude Code reports its cost only at its end, most other agents never; --prices estimates it meanwhile"
		if l.Priced {
			why = "the agent has reported none, and no list of prices (--prices) has its model"
		}
		effect := "has no effect yet"
		if ended {
			effect = "had no effect"
		}
		alarms = append(alarms, Alarm{Text: "the cost is not known, so --max-cost " + effect + ": " + why})
	}
	return alarms
}

// use is the current usage for a limit.
type use struct {
	reason     otlp.StopReason
	part       float64
	level      level
	used, most string
	ended      bool // the agent has given its result
}

// level is how close the usage is to a limit.
type level uint8

const (
	levelLow  level = iota
	levelNear       // a warning is due
	levelOver
)

func levelOf(near, over bool) level {
	switch {
	case over:
		return levelOver
	case near:
		return levelNear
	default:
		return levelLow
	}
}

// limit appends the alarm of a limit: a warning or a stop.
func (g *Guard) limit(alarms []Alarm, u use) []Alarm {
	name := FlagOf(u.reason)
	switch {
	case g.stopped != "":
	case u.level == levelOver && u.ended:
		if g.exceeded == "" {
			g.exceeded = u.reason
			alarms = append(alarms, Alarm{Text: fmt.Sprintf("%s, %s %s is exceeded", u.used, name, u.most)})
		}
	case u.level == levelOver:
		g.stopped = u.reason
		return append(alarms, Alarm{Text: fmt.Sprintf("%s, stopping the agent (%s %s)", u.used, name, u.most), Stop: u.reason})
	case u.level == levelNear && !g.warned[u.reason]:
		g.warned[u.reason] = true
		return append(alarms, Alarm{Text: fmt.Sprintf("%s, %d %% of %s %s", u.used, int(math.Round(u.part*100)), name, u.most)})
	}
	return alarms
}

// FlagOf returns the flag that sets a limit, or that stops the run for it.
func FlagOf(reason otlp.StopReason) string {
	if reason == otlp.StopStall {
		return "--stall-kill"
	}
	return "--" + strings.ReplaceAll(string(reason), "_", "-")
}
