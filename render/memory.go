package render

import (
	"time"

	"github.com/tailspan/tailspan/events"
)

// liveWithin is how old an event of a live stream can be when it is read. In a copied stream the clock says nothing about
// the events without a time.
const liveWithin = time.Minute

// memory is what a Renderer knows of earlier events. It receives every event, also those that a throttle hides.
type memory struct {
	verbose   bool // sub-agents are known: nothing that is shown needs it otherwise
	on        bool // the same of calls
	now       func() time.Time
	last      time.Time // the newest time of an event
	measure   time.Time // the newest time by which calls are measured
	replay    bool      // Settings.Replay
	behind    bool      // that event was read long after its time: the stream is not live, whatever the settings say
	calls     callMemory
	threads   threads
	summary   *summary
	completed events.DisplayEvent // the event that take completed
}

func newMemory(s Settings) memory {
	m := memory{now: s.Now, replay: s.Replay, calls: callMemory{limit: s.Calls}, threads: threads{limit: s.Calls}}
	if s.Mode != ModeVerbose {
		return m
	}
	m.verbose = true
	m.on = s.Results || s.Summary || s.Style == StyleProgress
	if s.Summary {
		m.summary = newSummary(&s)
	}
	return m
}

// timeOf is the time of an event as far as it is known.
func (m *memory) timeOf(e *events.DisplayEvent) time.Time {
	switch {
	case !e.Time.IsZero():
		return e.Time
	case m.now != nil && !m.behind:
		return m.now()
	default:
		return m.last
	}
}

// take notes an event and returns it with what is known of the call that it ends: name, target and duration. What is
// returned is valid until the next call.
func (m *memory) take(e *events.DisplayEvent) *events.DisplayEvent {
	at := m.timeOf(e)
	if m.now != nil && !e.Time.IsZero() {
		if behind := m.now().Sub(e.Time) > liveWithin; behind != m.behind {
			m.behind, m.last = behind, time.Time{}
		}
	}
	if at.After(m.last) {
		m.last = at
	}
	if m.replay && e.Time.IsZero() {
		at = m.measure
	} else if at.After(m.measure) {
		m.measure = at
	}
	if m.verbose {
		m.threads.see(e)
	}
	switch e.Kind {
	case events.KindToolUse:
		if !e.Tool.Partial && m.on {
			m.calls.remember(&e.Tool, at)
		}
	case events.KindToolResult, events.KindToolProgress:
		e = m.endOf(e, at)
	}
	if m.summary != nil {
		m.summary.add(e, at)
	}
	return e
}

// endOf completes the event that ends a call. A ToolProgress ends only a call in the background; any other call ends by its
// result.
func (m *memory) endOf(e *events.DisplayEvent, at time.Time) *events.DisplayEvent {
	if !m.on {
		return e
	}
	m.completed = *e
	t := &m.completed.Tool
	if e.Kind == events.KindToolProgress {
		ended := t.State == events.ToolStateCompleted || t.State == events.ToolStateFailed || t.State == events.ToolStateStopped
		if !ended || !m.calls.inBackground(t) {
			t.State = events.ToolStateUnspecified
			return &m.completed
		}
	}
	m.calls.complete(t, at)
	if e.Kind == events.KindToolResult && t.State == events.ToolStateBackground && !t.Error {
		m.calls.moveToBackground(t)
		return &m.completed
	}
	m.calls.evict(t)
	return &m.completed
}

// release drops the event that take completed, once it is shown: its texts may be long.
func (m *memory) release() {
	if m.completed.Kind != 0 {
		m.completed = events.DisplayEvent{}
	}
}
