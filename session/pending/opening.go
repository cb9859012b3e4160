package pending

import (
	"slices"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/link"
)

// BeforeGap returns the part of p before its first gap. over is true if there is a gap: then that part is complete.
func (p Events) BeforeGap(gap time.Duration) (part Events, over bool) {
	if gap <= 0 {
		return p, false
	}
	last := clock.Moment{}
	for i := range p {
		at := p[i].At
		if !at.FromLine() {
			continue
		}
		if last.Known() && !at.Lived && at.At.Sub(last.At) >= gap {
			return p[:i], true
		}
		last = clock.Later(last, at)
	}
	return p, false
}

// UnaskedBeforeGap returns the number of events before the first prompt if a gap follows them. A header with a model may be older than
// its prompt too: it has the time at which the session was created.
func (p Events) UnaskedBeforeGap(gap time.Duration) int {
	if n := p.unasked(); n > 0 && n < len(p) {
		if part, over := p[:n+1].BeforeGap(gap); over {
			return len(part)
		}
	}
	return 0
}

// LineOf returns the part of p up to the line of its event i.
func (p Events) LineOf(i int) Events {
	n := i + 1
	for n < len(p) && p[n].Origin.Offset == p[i].Origin.Offset {
		n++
	}
	return p[:min(n, len(p))]
}

// HasStart reports whether p has a start line already, so that another one begins a new run.
func (p Events) HasStart() bool {
	return slices.ContainsFunc(p, func(h Event) bool { return content.StartsSession(&h.Event) })
}

// Session returns the session of the run that begins with p: that of the model's first work, which identifies the run, else the first
// one.
func (p Events) Session() string {
	session := ""
	for i := range p {
		ev := &p[i].Event
		if session != "" && content.StartsSession(ev) && p[:i].HasStart() {
			return session
		}
		switch {
		case ev.SessionID == "":
		case content.ModelWorks(ev):
			return ev.SessionID
		case session == "":
			session = ev.SessionID
		}
		if session != "" && content.Ends(ev) {
			return session // what follows belongs to other runs
		}
	}
	return session
}

// Turn returns the first turn of the run that begins with p, or an empty one.
func (p Events) Turn(provider string) link.Turn {
	for i := range p {
		if ev := &p[i].Event; ev.TurnID != "" {
			return link.Turn{Provider: provider, Session: ev.SessionID, Turn: ev.TurnID}
		}
	}
	return link.Turn{}
}

// Model returns the first model of the run that begins with p, or an empty string.
func (p Events) Model() string {
	for i := range p {
		if model := p[i].Event.Model; model != "" {
			return model
		}
	}
	return ""
}

// Prompt returns the first prompt, if there is one.
func (p Events) Prompt() (text string, ok bool) {
	for i := range p {
		if ev := &p[i].Event; ev.Kind == events.KindPrompt {
			return ev.Text, true
		}
	}
	return "", false
}

// Recorded reports whether a header shows that the events are of a transcript.
func (p Events) Recorded() bool {
	return slices.ContainsFunc(p, func(h Event) bool { return h.Event.Session != nil && h.Event.Session.Recorded })
}

// Child returns the sub-agent that works in a stream that begins with p, or an empty key. The first event with a session decides: a
// stream that begins with a main session may contain sub-agents' sessions later.
func (p Events) Child(provider string) link.Key {
	for i := range p {
		if key := childKeyOf(provider, &p[i].Event); !key.IsZero() || p[i].Event.SessionID != "" {
			return key
		}
	}
	return link.Key{}
}

// childKeyOf returns the key of the sub-agent whose separate stream an event is in, or an empty key.
func childKeyOf(provider string, ev *events.DisplayEvent) link.Key {
	switch {
	case ev.ParentID != "":
		return link.Key{} // a sub-agent inside its parent's stream
	case ev.AgentID != "" && ev.AgentID != ev.SessionID:
		return link.Key{Provider: provider, Session: ev.SessionID, Agent: ev.AgentID}
	case ev.AgentID != "", ev.Session != nil && (ev.Session.SubAgent || ev.Session.ParentID != ""):
		return link.Key{Provider: provider, Agent: ev.SessionID}
	default:
		return link.Key{}
	}
}
