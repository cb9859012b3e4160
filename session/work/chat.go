package work

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/modelcall"
	"github.com/tailspan/tailspan/session/team"
	"github.com/tailspan/tailspan/session/twin"
)

// Chat is a model call of an agent, with what other accounts of the run have of it.
type Chat struct {
	modelcall.Call
	Elsewhere bool          // the first account of the run exported its span
	Wording   *twin.Wording // nil unless another account may say the same
}

// Is reports whether an event is part of the model call.
func (c *Chat) Is(ev *events.DisplayEvent) bool { return c != nil && c.Call.Is(ev) }

// IsNamed reports whether an event is part of the model call and the call has an ID.
func (c *Chat) IsNamed(ev *events.DisplayEvent) bool { return c.Is(ev) && !c.ID.IsEmpty() }

// known returns what the first account has of a model call.
func (c *Chat) known() team.ModelCall {
	tokens, _ := c.Tokens()
	return team.ModelCall{ID: team.CallID(c.ID), Model: c.Model, Tokens: tokens, Whole: !c.LacksOutput()}
}
