package memory

import (
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/account"
)

// liveWithin is the maximum age of a live stream's events when they are read. In a copied stream the clock says nothing
// about events without a time.
const liveWithin = time.Minute

// Settings says what to remember.
type Settings struct {
	// Calls is the maximum number of open calls, and of sub-agents, that are remembered; the oldest is evicted.
	Calls int
	// Agents remembers sub-agents.
	Agents bool
	// Ends remembers calls, so that an event that ends one can be completed.
	Ends bool
	// Summary adds up what a run did, with the tool names that NameOf returns, and what it used, with an account.
	Summary bool
	NameOf  func(*events.Tool) string
	Account account.Account
	// Now is the clock for events of a live stream that have no time. If it is nil, they have the time of the previous event.
	Now func() time.Time
	// Replay: the stream was or may have been written earlier, so no duration is measured by the clock.
	Replay bool
}

// Memory holds what a Renderer knows about earlier events. It receives every event, including those that a throttle hides.
type Memory struct {
	settings  Settings
	last      time.Time // the newest time of an event
	measure   time.Time // the newest time that an event had itself; durations are measured by these times if there are any
	behind    bool      // that event was read long after its time, so the stream is not live, whatever the settings say
	calls     callMemory
	threads   threads
	summary   *summary
	completed events.DisplayEvent // the event that Take completed
}

// New returns a Memory.
func New(s Settings) Memory {
	m := Memory{settings: s, calls: callMemory{limit: s.Calls}, threads: threads{limit: s.Calls}}
	if s.Summary {
		m.summary = newSummary(s.NameOf, s.Account)
	}
	return m
}

// Last returns the newest time of an event, or the zero time if none had one.
func (m *Memory) Last() time.Time { return m.last }

// Lead returns what the lines of an event's sub-agent begin with: see [threads.leadOf].
func (m *Memory) Lead(e *events.DisplayEvent) string { return m.threads.leadOf(e) }

// Summary returns the summary of the run so far, one line per fact, or "" if the run did nothing.
func (m *Memory) Summary() string {
	if m.summary == nil || !m.summary.any {
		return ""
	}
	m.summary.fail(m.calls.leave()) // of a stream without an end
	return m.summary.text()
}

// EndRun begins the summary of the next run.
func (m *Memory) EndRun() {
	if m.summary != nil {
		m.summary = m.summary.next()
	}
}

// TimeOf returns the time of an event as far as it is known.
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

// Take records an event and completes it from the call that it ends: with name, target and duration. The result is
// valid until the next call.
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
	at = m.measured(e, at)
	if m.settings.Agents {
		m.threads.see(e)
	}
	switch e.Kind {
	case events.KindToolUse:
		if !e.Tool.Partial && m.settings.Ends {
			m.calls.remember(e, at)
		}
	case events.KindToolResult, events.KindToolProgress:
		e = m.endOf(e, at)
	}
	if m.summary != nil {
		m.summary.add(e, at)
		m.endOfRun(e)
	}
	return e
}

// measured returns the time by which durations are measured: of an event without a time that of the newest event before it
// that has one, as in spans, or until there is one the time by the clock. An end that is made when the process ended is
// later than all events.
func (m *Memory) measured(e *events.DisplayEvent, at time.Time) time.Time {
	ended := e.Synthetic && e.Kind == events.KindSessionEnded && m.settings.Now != nil && !m.behind
	switch {
	case !e.Time.IsZero():
		if m.measure.IsZero() { // the first one is also the time of everything before it
			m.calls.redate(at)
			if m.summary != nil && !m.summary.first.IsZero() {
				m.summary.first, m.summary.last = at, at
			}
		}
		if at.After(m.measure) {
			m.measure = at
		}
		return at
	case m.settings.Replay, !m.measure.IsZero() && !ended:
		return m.measure
	default:
		return at
	}
}

// endOfRun counts the calls that have no result when a run ends: as failed, but for a run that the user stopped.
func (m *Memory) endOfRun(e *events.DisplayEvent) {
	switch e.Kind {
	case events.KindSessionEnded, events.KindTurnDone, events.KindTurnAborted:
		if KeyOf(e) != (Key{}) {
			return
		}
		if left := m.calls.leave(); e.End.Outcome() != events.OutcomeInterrupted {
			m.summary.fail(left)
		}
	}
}

// endOf completes the event that ends a call. A ToolProgress ends only a background call; any other call ends with its
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

// Release drops the event that Take completed, after it was shown: its texts may be long.
func (m *Memory) Release() {
	if m.completed.Kind != 0 {
		m.completed = events.DisplayEvent{}
	}
}
