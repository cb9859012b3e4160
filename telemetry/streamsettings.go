package telemetry

import (
	"time"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
)

// streamSettings are the [StreamSettings] that a stream needs for its lifetime.
type streamSettings struct {
	ID, Fingerprint      string
	Agent                *Agent // shared by all streams of the program
	Parent               otlp.Parent
	ParentSession, Group string
	ExpectedDuration     time.Duration
	IdleGap              time.Duration
	AwaitExit            bool
	Resumed              bool
	Changed              func()
	OnUsed               func(Used)
}

func newStreamSettings(r *Registry, s *StreamSettings) streamSettings {
	return streamSettings{
		ID: s.ID, Fingerprint: s.Fingerprint, Agent: r.agent(s.Agent), Parent: s.Parent, ParentSession: s.ParentSession, Group: s.Group,
		ExpectedDuration: s.ExpectedDuration, IdleGap: s.IdleGap, AwaitExit: s.AwaitExit, Resumed: s.Resumed, Changed: s.Changed, OnUsed: s.OnUsed,
	}
}

// fileTime returns the time of a file, or now if no agent can have run then: archives set all files to 1970.
func (r *Registry) fileTime(t time.Time) clock.Instant {
	if !t.IsZero() && !clock.Plausible(t) {
		t = r.settings.Now()
	}
	return clock.InstantOf(t)
}

// agent returns the shared copy of a program's description.
func (r *Registry) agent(a Agent) *Agent {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.agents[a]
	if known == nil {
		known = &a
		r.agents[a] = known
	}
	return known
}
