package telemetry

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp/messages"
)

// converse adds what an event says to the agent's conversation, and to the model call that it is a part of.
func (s *Stream) converse(a *agent, ev *events.DisplayEvent) {
	settings := &s.registry.settings
	if !settings.Capture.Messages || a.closed || a.role == roleDuplicate || !messages.Says(ev) {
		return
	}
	if a.talk == nil {
		a.talk = &messages.Conversation{}
	}
	if s.open.arguments >= settings.Limits.PendingBytes {
		a.talk.Skip()
		s.count().DroppedArguments++
		return
	}
	before := a.talk.Size()
	var call **messages.Exchange
	if a.chat.is(ev) {
		call = &a.chat.said
	}
	a.talk.Add(ev, settings.Limits.ContentBytes, call)
	s.open.arguments += a.talk.Size() - before
}

// endConversation releases what an agent and its model said.
func (o *openWork) endConversation(a *agent) *messages.Conversation {
	t := a.talk
	if t != nil {
		o.arguments -= t.Size()
		a.talk = nil
	}
	return t
}
