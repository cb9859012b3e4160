// Package account adds up what the runs of a stream use.
package account

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/text"
)

// Account is what the runs of a stream used.
type Account interface {
	// Add takes an event, and reports whether it says what was used.
	Add(e *events.DisplayEvent) bool
	// Usage is what was used until now.
	Usage() events.Usage
}

// maxModels is how many models are kept apart; the others count together.
const maxModels = 64

// Reported is the Account of what the agent reports. Its zero value is ready.
type Reported struct {
	total  events.UsageTotal
	models map[string]struct{}
}

// Add implements [Account].
func (r *Reported) Add(e *events.DisplayEvent) bool {
	if e.Kind != events.KindUsage || e.Usage == nil || e.Copied || !e.Usage.Tokens.Plausible() {
		return false
	}
	r.total.Add(r.model(e.Model), e.Usage)
	return true
}

// Usage implements [Account].
func (r *Reported) Usage() events.Usage { return r.total.Sum() }

// model is a model by which usage is added up.
func (r *Reported) model(name string) string {
	name = text.BoundedID(name)
	if _, known := r.models[name]; !known {
		if len(r.models) >= maxModels {
			return ""
		}
		if r.models == nil {
			r.models = map[string]struct{}{}
		}
		r.models[name] = struct{}{}
	}
	return name
}
