package throttle

import (
	"sync"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/text"
	"github.com/tailspan/tailspan/render/style"
)

// Gate limits the rate of events. It holds the newest event that arrives too early, and emits it when the interval is over.
//
//	open     an event to hold        emit it, then closed for an interval
//	closed   an event to hold        hold it in place of the previous one, start the timer
//	closed   the timer, or an event of the same step that passes
//	                                 emit the held event
type Gate struct {
	// Interval is the minimum time between two events.
	Interval time.Duration
	// ByEventTime measures the interval by the times of events; Clock measures events without a time by the clock.
	ByEventTime, Clock bool

	mu      sync.Mutex
	last    time.Time // when an event was last emitted, by the clock
	lastOwn time.Time // the time of that event
	held    *heldEvent
	timer   *time.Timer // created when first needed
	waiting bool
}

// heldEvent is a held event and the throttle that it came through.
type heldEvent struct {
	event events.DisplayEvent
	of    *Throttle
}

// Throttle is a Sink around a Sink. Several throttles share a gate.
type Throttle struct {
	Gate *Gate
	// Step identifies the source of the events: an event that passes is emitted after a held one of the same step.
	Step   string
	Next   events.Sink
	Action func(*events.DisplayEvent) style.Action
}

// Emit handles one event.
func (t *Throttle) Emit(e *events.DisplayEvent) {
	g := t.Gate
	g.mu.Lock()
	defer g.mu.Unlock()
	switch t.Action(e) {
	case style.ActionPass:
		if g.held != nil && g.held.of.Step == t.Step {
			g.release()
		}
		t.Next.Emit(e)
	case style.ActionHold:
		if g.due(e) {
			g.drop()
			g.through(e, t)
			return
		}
		g.hold(e, t)
	default:
		t.Next.Emit(e)
	}
}

// Flush emits the held event if it belongs to this throttle's step.
func (t *Throttle) Flush() {
	g := t.Gate
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held != nil && g.held.of.Step == t.Step {
		g.release()
	}
}

// due reports whether the interval since the last emitted event is over.
func (g *Gate) due(e *events.DisplayEvent) bool {
	switch {
	case g.ByEventTime && !e.Time.IsZero() && !g.lastOwn.IsZero():
		return e.Time.Sub(g.lastOwn) >= g.Interval
	case g.ByEventTime && !g.Clock:
		return true
	default:
		return g.last.IsZero() || time.Since(g.last) >= g.Interval
	}
}

// through emits an event and closes the gate.
func (g *Gate) through(e *events.DisplayEvent, t *Throttle) {
	g.last = time.Now()
	if !e.Time.IsZero() {
		g.lastOwn = e.Time
	}
	t.Next.Emit(e)
}

// hold holds an event in place of an older one. It drops the fields borrowed from the source.
func (g *Gate) hold(e *events.DisplayEvent, t *Throttle) {
	held := *e
	held.Tool.Input, held.Tool.Output, held.Text = nil, nil, ""
	held.Tool.Name, held.Tool.Target = text.Remembered(held.Tool.Name), text.Remembered(held.Tool.Target)
	g.held = &heldEvent{event: held, of: t}
	if g.waiting {
		return
	}
	g.waiting = true
	g.wait()
}

// wait sets the timer to the time when the gate opens.
func (g *Gate) wait() {
	d := max(g.Interval-time.Since(g.last), 0)
	if g.timer == nil {
		g.timer = time.AfterFunc(d, g.expire)
		return
	}
	g.timer.Reset(d)
}

// expire is called by the timer.
func (g *Gate) expire() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held == nil {
		return
	}
	if time.Since(g.last) < g.Interval { // the timer was stopped too late, and another event is held
		g.wait()
		return
	}
	g.release()
}

// release emits the held event.
func (g *Gate) release() {
	held := g.held
	g.drop()
	g.through(&held.event, held.of)
}

// drop discards the held event.
func (g *Gate) drop() {
	g.held = nil
	if g.waiting {
		g.timer.Stop()
		g.waiting = false
	}
}
