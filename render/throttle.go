package render

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/tailspan/tailspan/events"
)

// defaultInterval is the least time between two tool lines of a step.
const defaultInterval = time.Second

// ThrottleScope is what shares one allowance of tool lines.
type ThrottleScope uint8

// The scopes; the zero value is the step.
const (
	// ThrottleScopeStep gives every step its own: one busy step does not hide the others.
	ThrottleScopeStep ThrottleScope = iota
	// ThrottleScopeOutput gives all that is written to one output a common one.
	ThrottleScopeOutput

	throttleScopeEnd
)

var throttleScopeNames = [throttleScopeEnd]string{"step", "output"}

// String gives the spelling in settings.
func (s ThrottleScope) String() string {
	if s < throttleScopeEnd {
		return throttleScopeNames[s]
	}
	return fmt.Sprintf("throttle_scope(%d)", uint8(s))
}

// ParseThrottleScope is the inverse of [ThrottleScope.String]. The error lists what is allowed.
func ParseThrottleScope(name string) (ThrottleScope, error) {
	for s := range throttleScopeEnd {
		if throttleScopeNames[s] == name {
			return s, nil
		}
	}
	return ThrottleScopeStep, fmt.Errorf("throttle_scope must be one of %s, got %q", strings.Join(throttleScopeNames[:], ", "), name)
}

// ThrottleSettings says how often tool lines of the activity style are written. The zero value is at most one a second
// and step.
type ThrottleSettings struct {
	Scope ThrottleScope
	// Interval is the least time between two tool lines; 0 means 1 s, a negative one does not throttle.
	Interval time.Duration
	// ByEventTime measures the interval by the times of events, for a stream that was written earlier. Events without a
	// time are measured by the clock if there is one ([Settings.Now]), and are not held otherwise.
	ByEventTime bool
}

// action is what a throttle does with an event.
type action uint8

const (
	actionSilent action = iota // emit it at once: it shows nothing
	actionHold                 // emit it if the gate is open, else hold the newest
	actionPass                 // emit it at once, after what is held
)

// gate is one allowance. It holds the newest of the events that come too early, and emits it when the interval is over.
//
//	open     an event to hold        emit it, then closed for an interval
//	closed   an event to hold        hold it in place of the one before, start the timer
//	closed   the timer, or an event of the same step that passes
//	                                 emit what is held
type gate struct {
	interval    time.Duration
	byEventTime bool
	clock       bool // events without a time are judged by the clock

	mu      sync.Mutex
	last    time.Time // when an event went through, by the clock
	lastOwn time.Time // the time of that event itself
	held    *heldEvent
	timer   *time.Timer // made at the first wait
	waiting bool
}

// heldEvent is an event that waits, and the throttle it came through.
type heldEvent struct {
	event events.DisplayEvent
	of    *throttle
}

// throttle is a Sink around a Sink. Several throttles share a gate.
type throttle struct {
	gate   *gate
	step   string
	next   events.Sink
	action func(*events.DisplayEvent) action
}

// Emit takes one event.
func (t *throttle) Emit(e *events.DisplayEvent) {
	g := t.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	switch t.action(e) {
	case actionPass:
		if g.held != nil && g.held.of.step == t.step {
			g.release()
		}
		t.next.Emit(e)
	case actionHold:
		if g.due(e) {
			g.drop()
			g.through(e, t)
			return
		}
		g.hold(e, t)
	default:
		t.next.Emit(e)
	}
}

// flush emits the event that is held for this throttle's step.
func (t *throttle) flush() {
	g := t.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held != nil && g.held.of.step == t.step {
		g.release()
	}
}

// due reports whether an interval has gone by since the last event went through.
func (g *gate) due(e *events.DisplayEvent) bool {
	switch {
	case g.byEventTime && !e.Time.IsZero() && !g.lastOwn.IsZero():
		return e.Time.Sub(g.lastOwn) >= g.interval
	case g.byEventTime && !g.clock:
		return true
	default:
		return g.last.IsZero() || time.Since(g.last) >= g.interval
	}
}

// through emits an event and closes the gate.
func (g *gate) through(e *events.DisplayEvent, t *throttle) {
	g.last = time.Now()
	if !e.Time.IsZero() {
		g.lastOwn = e.Time
	}
	t.next.Emit(e)
}

// hold holds an event in place of an older one. It drops what is borrowed from the source.
func (g *gate) hold(e *events.DisplayEvent, t *throttle) {
	held := *e
	held.Tool.Input, held.Tool.Output, held.Text = nil, nil, ""
	held.Tool.Name, held.Tool.Target = remembered(held.Tool.Name), remembered(held.Tool.Target)
	g.held = &heldEvent{event: held, of: t}
	if g.waiting {
		return
	}
	g.waiting = true
	g.wait()
}

// wait sets the timer to the moment when the gate opens.
func (g *gate) wait() {
	d := max(g.interval-time.Since(g.last), 0)
	if g.timer == nil {
		g.timer = time.AfterFunc(d, g.expire)
		return
	}
	g.timer.Reset(d)
}

// expire is called by the timer.
func (g *gate) expire() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held == nil {
		return
	}
	if time.Since(g.last) < g.interval { // the timer was stopped too late, and another event is held
		g.wait()
		return
	}
	g.release()
}

// release emits the held event.
func (g *gate) release() {
	held := g.held
	g.drop()
	g.through(&held.event, held.of)
}

// drop discards the held event.
func (g *gate) drop() {
	g.held = nil
	if g.waiting {
		g.timer.Stop()
		g.waiting = false
	}
}
