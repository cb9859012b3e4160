package telemetry

import (
	"cmp"
	"strconv"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/otlp/messages"
	"github.com/tailspan/tailspan/otlp/metrics"
	"github.com/tailspan/tailspan/session/clock"
)

// chat is one model call in the making.
type chat struct {
	messageID string
	answer    int  // which of several under that id
	elsewhere bool // the first account of the run exported its span
	model     string
	system    string
	spanID    otlp.SpanID
	span      clock.Interval
	tokens    events.Tokens
	served    otlp.Service
	said      *messages.Exchange // captured only
	failed    *failedAnswer
	wording   *wording // where another account may say the same
	hasUsage  bool
	hasOutput bool // the output is known, and no placeholder
	compacted bool // the conversation was, before it
	// unasked is set if no input before it is known: it began with its first block, or earlier.
	unasked bool
}

// is reports whether an event is part of the model call.
func (c *chat) is(ev *events.DisplayEvent) bool {
	return c != nil && ev.MessageID != "" && c.messageID == ev.MessageID && c.answer == ev.Answer
}

// modelWorks notes a part of a model message: it belongs to the agent's model call, or begins the next one.
func (s *Stream) modelWorks(a *agent, ev *events.DisplayEvent, at clock.Moment) {
	if a.call == nil {
		a.run.shape.message = true
	}
	if ev.MessageID == "" || ev.Synthetic || a.closed {
		return
	}
	if a.chat.is(ev) {
		s.nameChat(a, ev)
		a.chat.model = cmp.Or(a.chat.model, ev.Model)
		if !s.afterCalls(a, ev) {
			a.chat.span.Cover(&at)
		}
		return
	}
	r := a.run
	answer := strconv.Itoa(ev.Answer)
	if s.seen.nth(&s.seen.messages, string(a.spanID[:]), r.key, ev.MessageID, answer) > 0 {
		return // a late part of a message whose span is out
	}
	s.closeChat(a)
	a.chat = &chat{
		compacted: a.compacted, messageID: ev.MessageID, answer: ev.Answer, model: ev.Model, system: cmp.Or(ev.ModelProvider, s.settings.Agent.System),
	}
	own(&a.chat.messageID)
	s.nameChat(a, ev)
	a.compacted = false
	a.chat.span.Cover(&at)
	if a.lastInput.Known() && a.lastInput.At.Before(at.At) {
		a.chat.span.Cover(&a.lastInput)
	} else {
		a.chat.unasked = true
	}
}

// afterCalls reports whether ev is the usage of the agent's model call, reported after the model's work and the calls that it
// asked for.
func (s *Stream) afterCalls(a *agent, ev *events.DisplayEvent) bool {
	return ev.Kind == events.KindUsage && s.settings.Agent.UsageAfterCalls && a.chat.span.End.At.Before(a.lastInput.At)
}

// nameChat gives the model call its id once it is known what it says first; with a nil event, what it is without.
func (s *Stream) nameChat(a *agent, ev *events.DisplayEvent) {
	c, r, kind, what, detail := a.chat, a.run, "", "", ""
	switch {
	case !c.spanID.IsEmpty():
		return
	case s.settings.Agent.OwnMessageIDs || a != r.top || r.subAgent: // a stream may have only the calls of a sub-agent
	case ev != nil && !speaks(ev.Kind):
		return // it begins with its usage
	case ev != nil:
		kind = ev.Kind.String()
		what, detail = saidBy(ev)
	}
	occurrence := s.seen.nth(&s.seen.chats, r.key, c.messageID, kind, what, detail)
	c.spanID = otlp.NewSpanID(otlp.DomainChat, occurrence, s.settings.Agent.Provider, r.idSession, r.key, c.messageID, kind, what, detail)
	c.elsewhere = r.isJoined() && (s.registry.spanIsOut(r.traceID, c.spanID) || r.standing == standingTwin && (ev == nil || s.hasSign(r, ev)))
}

// closeChat closes the model call that the agent has open. The first of a run whose start is unknown is written when the
// run is over, since only its duration shows when both began; but not where all times are the file's, since then nobody
// knows how long anything took.
func (s *Stream) closeChat(a *agent) {
	c := a.chat
	if c == nil {
		return
	}
	s.nameChat(a, nil)
	s.settleWording(a)
	a.chat = nil
	if c.hasUsage && !c.hasOutput {
		a.ledger.UnknownOutputs++
		if a != a.run.top {
			a.run.top.ledger.UnknownOutputs++
		}
	}
	a.cover(&c.span.Start, &c.span.End)
	s.finishChat(a, c)
	if a == a.run.top {
		a.run.chats++
	}
}

// finishChat writes a model call that is over, or lets it wait for the end of its run.
func (s *Stream) finishChat(a *agent, c *chat) {
	if r := a.run; a == r.top && c.unasked && !r.begin.known && r.first == nil && r.chats == 0 && c.span.End.Source != clock.SourceFile {
		r.first = c
		return
	}
	a.inside.CoverAll(&c.span)
	s.writeChat(a, c)
}

// writeFirst writes the model call that waited for the end of its run.
func (s *Stream) writeFirst(r *run) {
	if c := r.first; c != nil {
		r.first = nil
		s.writeChat(r.top, c)
	}
}

func (s *Stream) writeChat(a *agent, c *chat) {
	if c.elsewhere {
		return
	}
	of := s.span(a, c.spanID, a.spanID, &c.span)
	if of.Trace.IsEmpty() {
		return
	}
	of.Reason = otlp.CloseReasonResult
	out := otlp.Chat{Span: of, Agent: a.name, Model: c.model, System: c.system, MessageID: c.messageID, Compacted: c.compacted}
	if c.failed != nil {
		out.ErrorType, out.Error = c.failed.cause, c.failed.text
	} else {
		var cause events.Cause
		if a == a.run.top { // of its last model call, since work takes a sign back
			cause = a.run.signs.Last().Cause
		}
		out.Messages = c.said.Messages(cause)
		if c.hasUsage && !s.counted(a.run) { // else the first account has it
			out.Usage = &otlp.ChatUsage{Tokens: c.tokens, HasOutput: c.hasOutput, Service: c.served}
		}
	}
	s.sink.AddChat(a.run.resource, &out)
	measureSpan(&s.meter, metrics.Key{
		Instrument: metrics.InstrumentInference, Model: c.model, Agent: a.name, ErrorType: out.ErrorType,
	}, &c.span, out.Ref())
}

// takes adds what a Usage event reports to the model call, if it is this one's. A message can have calls of another model
// within it, such as those of an advisor.
func (c *chat) takes(ev *events.DisplayEvent) bool {
	if !c.is(ev) || ev.Usage.Scope != events.UsageScopeCall || ev.Model != "" && ev.Model != c.model {
		return false
	}
	u := ev.Usage
	c.hasUsage, c.hasOutput = true, c.hasOutput || !u.OutputUnknown
	c.tokens.Add(u.Tokens)
	c.served.Add(u)
	return true
}
