package modelcall

import (
	"cmp"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/otlp/messages"
	"github.com/tailspan/tailspan/session/clock"
)

// Call is an open model call.
type Call struct {
	MessageID     string // of the answer; empty if there was none
	answer        int    // index among the answers with that ID
	Model, System string
	ID            otlp.SpanID // zero until it is known
	Span          clock.Interval
	tokens        events.Tokens
	served        otlp.Service
	said          *messages.Exchange // only when content is captured
	failed        *failure
	usage         usage
	compacted     bool // the conversation was compacted before the call
	// Unasked is true if no input before the call is known: it began with its first block or earlier.
	Unasked bool
}

// failure replaces an answer.
type failure struct{ cause, text string }

// usage is how much is known of the usage of a model call.
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

// Add adds a part of the answer. at is nil if the event does not time the answer.
func (c *Call) Add(ev *events.DisplayEvent, at *clock.Moment) {
	c.Model = cmp.Or(c.Model, ev.Model)
	if at != nil {
		c.Span.Cover(at)
	}
}

// Take adds reported usage to the model call if the usage belongs to it. A message can contain calls of another model,
// such as those of an advisor.
func (c *Call) Take(ev *events.DisplayEvent) bool {
	if !c.Is(ev) || ev.Usage.Scope != events.UsageScopeCall || ev.Model != "" && ev.Model != c.Model {
		return false
	}
	c.use(ev.Usage)
	return true
}

// use adds usage that belongs to the call.
func (c *Call) use(u *events.Usage) {
	c.usage = max(c.usage, usageInput)
	if !u.OutputUnknown {
		c.usage = usageWhole
	}
	c.tokens.Add(u.Tokens)
	c.served.Add(u)
}

// Tokens returns the usage so far, and whether the output is known.
func (c *Call) Tokens() (t events.Tokens, whole bool) { return c.tokens, c.usage == usageWhole }

// LacksOutput reports whether the usage is known except for the output.
func (c *Call) LacksOutput() bool { return c.usage == usageInput }

// Chat returns the span of the call. counted is true if another account of the run already counts its tokens. cause is
// why the run failed.
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

// Failed returns a model call that failed without an answer. The event holds all that is known of it.
func (t *Thread) Failed(ev *events.DisplayEvent, system string, at clock.Moment) Call {
	c := Call{
		Model: cmp.Or(ev.Model, t.Models.Only()), System: cmp.Or(ev.ModelProvider, system),
		failed: &failure{cause: string(ev.Sign.Cause), text: strings.Clone(ev.Text)},
	}
	c.begin(t, at)
	return c
}
