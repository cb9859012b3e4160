package memory

import (
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/text"
	"github.com/tailspan/tailspan/render/style"
)

// callMemory holds the name, target and start of open tool calls, so that a result that has only an ID can be named and
// timed. It is bounded: the oldest call is evicted.
type callMemory struct {
	limit int
	byID  map[string]call
	order []string // IDs, oldest first; may include answered ones
}

// call is one remembered tool call.
type call struct {
	name, target      string
	server, agentType string
	caller            string // the call that started the sub-agent which made it; empty for the main thread
	at                time.Time
	state             callState
}

// callState is how far a call is.
type callState uint8

const (
	callOpen       callState = iota
	callBackground           // it was answered and continues
	callLeft                 // its run ended without an answer, or was another one
)

// remember stores a call that was made at a time.
func (m *callMemory) remember(e *events.DisplayEvent, at time.Time) {
	t := &e.Tool
	if t.ID == "" {
		return
	}
	if m.byID == nil {
		m.byID = make(map[string]call)
	}
	id := text.BoundedID(t.ID)
	if _, known := m.byID[id]; !known {
		m.order = append(m.order, id)
	}
	state := callOpen
	if e.Copied || t.State == events.ToolStateRequested { // another session made it, or the client of the server runs it
		state = callLeft
	}
	m.byID[id] = call{
		state: state, caller: text.BoundedID(e.ParentID), at: at,
		name: text.Remembered(style.KnownName(t)), target: text.Remembered(t.Target),
		server: text.Remembered(t.Server), agentType: text.Remembered(t.AgentType),
	}
	for len(m.byID) > m.limit || len(m.order) > 2*m.limit {
		delete(m.byID, m.order[0])
		m.order = m.order[1:]
	}
}

// redate sets the time of the calls made so far.
func (m *callMemory) redate(at time.Time) {
	for id, c := range m.byID {
		c.at = at
		m.byID[id] = c
	}
}

// moveToBackground marks a call that was answered and continues in the background.
func (m *callMemory) moveToBackground(t *events.Tool) {
	id := text.BoundedID(t.ID)
	if c, known := m.byID[id]; known {
		c.state = callBackground
		m.byID[id] = c
	}
}

// inBackground reports whether the call of t continues in the background.
func (m *callMemory) inBackground(t *events.Tool) bool {
	return m.byID[text.BoundedID(t.ID)].state == callBackground
}

// leave returns the calls that have no answer when their run ends, each once. What works in the background goes on.
func (m *callMemory) leave() (left []events.Tool) {
	for id, c := range m.byID {
		if c.state == callOpen && m.byID[c.caller].state != callBackground {
			c.state = callLeft
			m.byID[id] = c
			left = append(left, events.Tool{Name: c.name, Server: c.server, AgentType: c.agentType})
		}
	}
	return left
}

// complete sets the empty fields of t, which ends a call at a time, from the remembered call.
func (m *callMemory) complete(t *events.Tool, at time.Time) {
	c, known := m.byID[text.BoundedID(t.ID)]
	if style.KnownName(t) == "" {
		t.Name = c.name
	}
	if t.Target == "" {
		t.Target = c.target
	}
	if t.Server == "" {
		t.Server = c.server
	}
	if t.AgentType == "" {
		t.AgentType = c.agentType
	}
	if known && t.Duration <= 0 && !c.at.IsZero() && at.After(c.at) {
		t.Duration = at.Sub(c.at)
	}
}

// evict drops a call that has ended.
func (m *callMemory) evict(t *events.Tool) { delete(m.byID, text.BoundedID(t.ID)) }
