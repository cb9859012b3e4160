package telemetry

import (
	"slices"
	"strings"
)

// modelNames are the models that worked for an agent, in the order of their first events: as many as [Limits.Models] allows.
type modelNames struct {
	names []string
	cut   bool // there were more
}

// add enters a model, and reports whether it is listed.
func (m *modelNames) add(model string, limit int) bool {
	switch {
	case model == "" || slices.Contains(m.names, model):
		return true
	case len(m.names) >= limit:
		m.cut = true
		return false
	}
	m.names = append(m.names, strings.Clone(model))
	return true
}

// only is the model of an agent that had one; empty for any other.
func (m *modelNames) only() string {
	if len(m.names) == 1 && !m.cut {
		return m.names[0]
	}
	return ""
}

// first is the model that worked first: a run has one in metrics, so that their sum is that of the runs.
func (m *modelNames) first() string {
	if len(m.names) == 0 {
		return ""
	}
	return m.names[0]
}
