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

// Thread is what the model calls of an agent share.
type Thread struct {
	LastInput clock.Moment // the last prompt or result, where the next call begins
	Models    Models
	Compacted bool                   // the conversation was compacted since the last call began
	talk      *messages.Conversation // only when content is captured
}

// Begin begins a call with the first part of its answer. system is that of the agent, for events without one.
func (t *Thread) Begin(ev *events.DisplayEvent, system string, at clock.Moment) Call {
	c := Call{
		MessageID: strings.Clone(ev.MessageID), answer: ev.Answer, Model: ev.Model, System: cmp.Or(ev.ModelProvider, system), compacted: t.Compacted,
	}
	t.Compacted = false
	c.begin(t, at)
	return c
}

// Rest returns a model call that stands for usage which an agent reports of an earlier one, whose span lacks it.
func (t *Thread) Rest(ev *events.DisplayEvent, system string, at clock.Moment) Call {
	c := Call{MessageID: strings.Clone(ev.MessageID), Model: cmp.Or(ev.Model, t.Models.Only()), System: cmp.Or(ev.ModelProvider, system)}
	c.Span.Cover(&at)
	c.use(ev.Usage)
	return c
}

// begin sets the interval of a call: from the input that it answers to its first part.
func (c *Call) begin(t *Thread, at clock.Moment) {
	c.Span.Cover(&at)
	if c.Unasked = !t.LastInput.Known() || !t.LastInput.At.Before(at.At); !c.Unasked {
		c.Span.Cover(&t.LastInput)
	}
}

// Say adds the content of an event to the conversation and to the call c if the event is part of it. Contents take at
// most limit bytes. It returns the number of bytes by which the conversation grew.
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

// Skip records that the following content is omitted for lack of space.
func (t *Thread) Skip() { t.conversation().Skip() }

func (t *Thread) conversation() *messages.Conversation {
	if t.talk == nil {
		t.talk = &messages.Conversation{}
	}
	return t.talk
}

// End ends the conversation. It returns its content for the span of the agent and its size in bytes.
func (t *Thread) End(outcome events.Outcome, cause events.Cause) (said *otlp.Messages, size int) {
	if talk := t.talk; talk != nil {
		t.talk = nil
		return talk.Messages(outcome, cause), talk.Size()
	}
	return nil, 0
}

// Models lists the models that worked for an agent, in the order of their first events.
type Models struct {
	names []string
	cut   bool // there were more
}

// Add adds a model and reports whether it is listed; at most limit models are.
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

// Only returns the model of an agent that used exactly one, else an empty string.
func (m *Models) Only() string {
	if len(m.names) == 1 && !m.cut {
		return m.names[0]
	}
	return ""
}

// First returns the model that worked first. Metrics give a run one model, so that the sum over models is that of the runs.
func (m *Models) First() string {
	if len(m.names) == 0 {
		return ""
	}
	return m.names[0]
}

// List returns the listed models and whether there were more.
func (m *Models) List() (names []string, more bool) { return m.names, m.cut }
