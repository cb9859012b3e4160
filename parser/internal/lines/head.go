package lines

import (
	"time"

	"github.com/tailspan/tailspan/events"
)

// Head holds the fields that all events of a record share. It is a third of the size of an event, so creating it once
// and copying it costs less than copying a whole event.
type Head struct {
	Time time.Time

	SessionID, TurnID, MessageID, ItemID, ParentID, AgentID, Model, ModelProvider string

	// Answer is the Answer of the events; see [events.DisplayEvent].
	Answer int

	Synthetic, Copied bool
}

// Append appends an event of the given kind with these fields. The caller fills in the last event of the result.
func (h *Head) Append(out []events.DisplayEvent, kind events.Kind) []events.DisplayEvent {
	out = append(out, events.DisplayEvent{})
	e := &out[len(out)-1]
	e.Kind, e.Synthetic, e.Copied, e.Time = kind, h.Synthetic, h.Copied, h.Time
	e.SessionID, e.TurnID, e.MessageID, e.ItemID = h.SessionID, h.TurnID, h.MessageID, h.ItemID
	e.ParentID, e.AgentID, e.Model = h.ParentID, h.AgentID, h.Model
	e.ModelProvider, e.Answer = h.ModelProvider, h.Answer
	return out
}

// Moment returns the time of a line, or the zero time for a writer's zero time, which is in the year 1.
func Moment(t time.Time) time.Time {
	if t.Unix() < 0 {
		return time.Time{}
	}
	return t
}
