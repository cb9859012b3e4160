package modelcall

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/otlp/messages"
	"github.com/tailspan/tailspan/session/clock"
)

// Thread is what the model calls of an agent have in common.
type Thread struct {
	LastInput clock.Moment // the last prompt or result: where the next call begins
	Models    Models
	Compacted bool                   // the conversation was, since the last call began
	talk      *messages.Conversation // captured only
}

// Begin begins a call with the first part of its answer. System is that of the agent, if the event names none.
func (t *Thread) Begin(ev *events.DisplayEvent, system string, at clock.Moment) Call {
	c := Call{
		MessageID: strings.Clone(ev.MessageID), answer: ev.Answer, Model: ev.Model, System: cmp.Or(ev.ModelProvider, system), compacted: t.Compacted,
	}
	t.Compacted = false
	c.begin(t, at)
	return c
}

// begin gives a call its times: from what it answers to its first part.
func (c *Call) begin(t *Thread, at clock.Moment) {
	c.Span.Cover(&at)
	if c.Unasked = !t.LastInput.Known() || !t.LastInput.At.Before(at.At); !c.Unasked {
		c.Span.Cover(&t.LastInput)
	}
}

// Say adds what an event says to the conversation, and to the call that it is a part of, if there is one. It returns by how
// many bytes the conversation grew. Contents take at most limit bytes.
func (t *Thread) Say(ev *events.DisplayEvent, c *Call, limit int) int {
	talk := t.conversation()
	before := talk.Size()
	var said **messages.Exchange
	if c.Is(ev) {
		said = &c.said
	}
	talk.Add(ev, limit, said)
	return talk.Size() - before
}

// Skip notes that there is no room for what comes.
func (t *Thread) Skip() { t.conversation().Skip() }

func (t *Thread) conversation() *messages.Conversation {
	if t.talk == nil {
		t.talk = &messages.Conversation{}
	}
	return t.talk
}

// End ends the conversation. It returns how many bytes that had, and what it was for the span of the agent.
func (t *Thread) End(outcome events.Outcome, cause events.Cause) (said *otlp.Messages, size int) {
	if talk := t.talk; talk != nil {
		t.talk = nil
		return talk.Messages(outcome, cause), talk.Size()
	}
	return nil, 0
}

// Models are the models that worked for an agent, in the order of their first events.
type Models struct {
	names []string
	cut   bool // there were more
}

// Add enters a model, and reports whether it is listed: as many as limit allows.
func (m *Models) Add(model string, limit int) bool {
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

// Only is the model of an agent that had one; empty for any other.
func (m *Models) Only() string {
	if len(m.names) == 1 && !m.cut {
		return m.names[0]
	}
	return ""
}

// First is the model that worked first: a run has one in metrics, so that their sum is that of the runs.
func (m *Models) First() string {
	if len(m.names) == 0 {
		return ""
	}
	return m.names[0]
}

// List is the models that are listed, and whether there were more.
func (m *Models) List() (names []string, more bool) { return m.names, m.cut }
