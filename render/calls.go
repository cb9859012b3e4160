package render

import (
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/safe"
)

// maxRemembered is the longest name or target that is remembered of an open call, in bytes; no line shows more of it.
const maxRemembered = 4 * events.SummaryRunes

// callMemory holds name, target and start of open tool calls, so that a result that carries only an id can be named and
// timed. It is bounded: the oldest call is evicted.
type callMemory struct {
	limit int
	byID  map[string]call
	order []string // ids, oldest first; may hold ids that were answered
}

// call is one remembered tool call.
type call struct {
	name, target      string
	server, agentType string
	at                time.Time
	background        bool // it was answered and continues
}

// remember notes a call that was made at a time.
func (m *callMemory) remember(t *events.Tool, at time.Time) {
	if t.ID == "" {
		return
	}
	if m.byID == nil {
		m.byID = make(map[string]call)
	}
	id := boundedID(t.ID)
	if _, known := m.byID[id]; !known {
		m.order = append(m.order, id)
	}
	m.byID[id] = call{
		name: remembered(knownName(t)), target: remembered(t.Target), server: remembered(t.Server), agentType: remembered(t.AgentType), at: at,
	}
	for len(m.byID) > m.limit || len(m.order) > 2*m.limit {
		delete(m.byID, m.order[0])
		m.order = m.order[1:]
	}
}

// remembered is what is kept of a part of a call.
func remembered(s string) string {
	if len(s) > maxRemembered {
		return safe.Line(s, events.SummaryRunes)
	}
	return s
}

// moveToBackground marks a call that was answered and continues in the background.
func (m *callMemory) moveToBackground(t *events.Tool) {
	id := boundedID(t.ID)
	if c, known := m.byID[id]; known {
		c.background = true
		m.byID[id] = c
	}
}

// inBackground reports whether the call of t continues in the background.
func (m *callMemory) inBackground(t *events.Tool) bool { return m.byID[boundedID(t.ID)].background }

// knownName is the name of a tool. It is empty for [events.UnknownTool], the exported name of a call without one.
func knownName(t *events.Tool) string {
	if t.Name == events.UnknownTool {
		return ""
	}
	return t.Name
}

// complete fills the empty fields of t, which ends a call at a time, from the remembered call.
func (m *callMemory) complete(t *events.Tool, at time.Time) {
	c, known := m.byID[boundedID(t.ID)]
	if knownName(t) == "" {
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
func (m *callMemory) evict(t *events.Tool) { delete(m.byID, boundedID(t.ID)) }
