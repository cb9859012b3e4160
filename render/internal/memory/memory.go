package memory

import (
	"time"

	"github.com/tailspan/tailspan/events"
)

// liveWithin is how old an event of a live stream can be when it is read. In a copied stream the clock says nothing about
// the events without a time.
const liveWithin = time.Minute

// Settings say what is remembered.
type Settings struct {
	// Calls is how many open calls, and as many sub-agents, are remembered; the oldest is evicted.
	Calls int
	// Agents remembers sub-agents.
	Agents bool
	// Ends remembers calls, so that an event that ends one can be completed.
	Ends bool
	// Summary adds up what a run did, tools by the names that NameOf has for them.
	Summary bool
	NameOf  func(*events.Tool) string
	// Now is the clock for events of a live stream that carry no time; nil gives those the time of the event before.
	Now func() time.Time
	// Replay: the stream was written earlier, or may have been; no duration is measured by the clock.
	Replay bool
}

// Memory is what a Renderer knows of earlier events. It receives every event, also those that a throttle hides.
type Memory struct {
	settings  Settings
	last      time.Time // the newest time of an event
	measure   time.Time // the newest time by which calls are measured
	behind    bool      // that event was read long after its time: the stream is not live, whatever the settings say
	calls     callMemory
	threads   threads
	summary   *summary
	completed events.DisplayEvent // the event that Take completed
}

// New makes a Memory.
func New(s Settings) Memory {
	m := Memory{settings: s, calls: callMemory{limit: s.Calls}, threads: threads{limit: s.Calls}}
	if s.Summary {
		m.summary = newSummary(s.NameOf)
	}
	return m
}

// Last is the newest time of an event, zero if none had one.
func (m *Memory) Last() time.Time { return m.last }

// Lead is what the lines of the sub-agent of an event begin with: see [threads.leadOf].
func (m *Memory) Lead(e *events.DisplayEvent) string { return m.threads.leadOf(e) }

// Summary is the summary of the run so far, one line a fact; empty if it did nothing.
func (m *Memory) Summary() string {
	if m.summary == nil || !m.summary.any {
		return ""
	}
	return m.summary.text()
}

// EndRun begins the summary of the next run.
func (m *Memory) EndRun() {
	if m.summary != nil {
		m.summary = m.summary.next()
	}
}

// TimeOf is the time of an event as far as it is known.
func (m *Memory) TimeOf(e *events.DisplayEvent) time.Time {
	switch {
	case !e.Time.IsZero():
		return e.Time
	case m.settings.Now != nil && !m.behind:
		return m.settings.Now()
	default:
		return m.last
	}
}

// Take notes an event and returns it with what is known of the call that it ends: name, target and duration. What is
// returned is valid until the next call.
func (m *Memory) Take(e *events.DisplayEvent) *events.DisplayEvent {
	at := m.TimeOf(e)
	if m.settings.Now != nil && !e.Time.IsZero() {
		if behind := m.settings.Now().Sub(e.Time) > liveWithin; behind != m.behind {
			m.behind, m.last = behind, time.Time{}
		}
	}
	if at.After(m.last) {
		m.last = at
	}
	if m.settings.Replay && e.Time.IsZero() {
		at = m.measure
	} else if at.After(m.measure) {
		m.measure = at
	}
	if m.settings.Agents {
		m.threads.see(e)
	}
	switch e.Kind {
	case events.KindToolUse:
		if !e.Tool.Partial && m.settings.Ends {
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
func (m *Memory) endOf(e *events.DisplayEvent, at time.Time) *events.DisplayEvent {
	if !m.settings.Ends {
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

// Release drops the event that Take completed, once it is shown: its texts may be long.
func (m *Memory) Release() {
	if m.completed.Kind != 0 {
		m.completed = events.DisplayEvent{}
	}
}
