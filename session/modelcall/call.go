package modelcall

import (
	"cmp"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/otlp/messages"
	"github.com/tailspan/tailspan/session/clock"
)

// Call is one model call in the making.
type Call struct {
	MessageID     string // of the answer; empty: there was none
	answer        int    // which of several under that id
	Model, System string
	ID            otlp.SpanID // zero until it is known
	Span          clock.Interval
	tokens        events.Tokens
	served        otlp.Service
	said          *messages.Exchange // captured only
	failed        *failure
	usage         usage
	compacted     bool // the conversation was, before it
	// Unasked is set if no input before it is known: it began with its first block, or earlier.
	Unasked bool
}

// failure is what came in the place of an answer.
type failure struct{ cause, text string }

// usage is what is known of what a model call used.
type usage uint8

const (
	usageUnknown usage = iota
	usageInput         // the output is a placeholder
	usageWhole
)

// Is reports whether an event is part of the model call.
func (c *Call) Is(ev *events.DisplayEvent) bool {
	return c != nil && ev.MessageID != "" && c.MessageID == ev.MessageID && c.answer == ev.Answer
}

// Add adds a part of the answer, at its time unless it says nothing of that.
func (c *Call) Add(ev *events.DisplayEvent, at *clock.Moment) {
	c.Model = cmp.Or(c.Model, ev.Model)
	if at != nil {
		c.Span.Cover(at)
	}
}

// Take adds what a usage reports to the model call, if it is this one's. A message can have calls of another model within it,
// such as those of an advisor.
func (c *Call) Take(ev *events.DisplayEvent) bool {
	if !c.Is(ev) || ev.Usage.Scope != events.UsageScopeCall || ev.Model != "" && ev.Model != c.Model {
		return false
	}
	u := ev.Usage
	c.usage = max(c.usage, usageInput)
	if !u.OutputUnknown {
		c.usage = usageWhole
	}
	c.tokens.Add(u.Tokens)
	c.served.Add(u)
	return true
}

// LacksOutput reports whether its usage is known but for the output.
func (c *Call) LacksOutput() bool { return c.usage == usageInput }

// Chat is the span of the call, if another account of the run does not count its tokens already. Cause is what made its run
// fail.
func (c *Call) Chat(of otlp.Span, agent string, cause events.Cause, counted bool) otlp.Chat {
	of.Reason = otlp.CloseReasonResult
	out := otlp.Chat{Span: of, Agent: agent, Model: c.Model, System: c.System, MessageID: c.MessageID, Compacted: c.compacted}
	if c.failed != nil {
		out.ErrorType, out.Error = c.failed.cause, c.failed.text
		return out
	}
	out.Messages = c.said.Messages(cause)
	if c.usage != usageUnknown && !counted {
		out.Usage = &otlp.ChatUsage{Tokens: c.tokens, HasOutput: c.usage == usageWhole, Service: c.served}
	}
	return out
}

// Failed is the model call that failed, as an event shows: nothing came of it but what the event says.
func (t *Thread) Failed(ev *events.DisplayEvent, system string, at clock.Moment) Call {
	c := Call{
		Model: cmp.Or(ev.Model, t.Models.Only()), System: cmp.Or(ev.ModelProvider, system),
		failed: &failure{cause: string(ev.Sign.Cause), text: strings.Clone(ev.Text)},
	}
	c.begin(t, at)
	return c
}
