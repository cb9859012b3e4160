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

// ThrottleScope tells what shares one allowance of tool lines.
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
	// ByEventTime judges by the times that events tell, for what was done earlier. Those that tell none are judged by the
	// clock if there is one ([Settings.Now]), and not held otherwise: how fast they are read says nothing.
	ByEventTime bool
}

// fate is what a throttle does with an event.
type fate uint8

const (
	fateSilent fate = iota // hand it on at once: nothing will be seen of it
	fateHold               // hand it on if none of its kind went before for an interval, else keep the newest
	fatePass               // hand it on at once, after what is kept
)

// gate is one allowance. Of the events that come too early it keeps the newest, and hands it on when its time has come.
//
//	open     an event to hold        hand it on, then closed for an interval
//	closed   an event to hold        keep it in place of the one that was kept, start the timer
//	closed   the timer, or an event of the same step that passes
//	                                 hand on what is kept
type gate struct {
	interval    time.Duration
	byEventTime bool
	clock       bool // events without a time are judged by the clock

	mu      sync.Mutex
	last    time.Time // when an event went through, by the clock
	lastOwn time.Time // the time that this event told
	kept    *keptEvent
	timer   *time.Timer // made at the first wait
	waiting bool
}

// keptEvent is an event that waits, and whose it is.
type keptEvent struct {
	event events.DisplayEvent
	of    *throttle
}

// throttle is a Sink around a Sink. Several throttles share a gate.
type throttle struct {
	gate *gate
	step string
	next events.Sink
	fate func(*events.DisplayEvent) fate
}

// Emit takes one event.
func (t *throttle) Emit(e *events.DisplayEvent) {
	g := t.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	switch t.fate(e) {
	case fatePass:
		if g.kept != nil && g.kept.of.step == t.step {
			g.release()
		}
		t.next.Emit(e)
	case fateHold:
		if g.due(e) {
			g.drop()
			g.through(e, t)
			return
		}
		g.keep(e, t)
	default:
		t.next.Emit(e)
	}
}

// flush hands on what is kept of this throttle's step.
func (t *throttle) flush() {
	g := t.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.kept != nil && g.kept.of.step == t.step {
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

// through hands an event on and closes the gate.
func (g *gate) through(e *events.DisplayEvent, t *throttle) {
	g.last = time.Now()
	if !e.Time.IsZero() {
		g.lastOwn = e.Time
	}
	t.next.Emit(e)
}

// keep keeps an event in place of an older one. What is borrowed from its source is let go.
func (g *gate) keep(e *events.DisplayEvent, t *throttle) {
	kept := *e
	kept.Tool.Input, kept.Tool.Output, kept.Text = nil, nil, ""
	kept.Tool.Name, kept.Tool.Target = remembered(kept.Tool.Name), remembered(kept.Tool.Target)
	g.kept = &keptEvent{event: kept, of: t}
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
	if g.kept == nil {
		return
	}
	if time.Since(g.last) < g.interval { // the timer was stopped too late, and something is kept anew
		g.wait()
		return
	}
	g.release()
}

// release hands on what is kept.
func (g *gate) release() {
	kept := g.kept
	g.drop()
	g.through(&kept.event, kept.of)
}

// drop forgets what is kept.
func (g *gate) drop() {
	g.kept = nil
	if g.waiting {
		g.timer.Stop()
		g.waiting = false
	}
}
