package telemetry

import (
	"cmp"
	"strconv"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/otlp/messages"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/modelcall"
)

// chat is a model call of an agent, with what other accounts of the run have of it.
type chat struct {
	modelcall.Call
	elsewhere bool     // the first account of the run exported its span
	wording   *wording // nil unless another account may say the same
}

// talk follows what the model says, and counts its tokens.
type talk struct{ writing }

// is reports whether an event is part of the model call.
func (c *chat) is(ev *events.DisplayEvent) bool { return c != nil && c.Is(ev) }

// isNamed reports whether an event is part of the model call and the call has an ID.
func (c *chat) isNamed(ev *events.DisplayEvent) bool { return c.is(ev) && !c.ID.IsEmpty() }

// modelWorks handles part of a model message: it belongs to the agent's open model call or begins the next one.
func (s *talk) modelWorks(a *agent, ev *events.DisplayEvent, at clock.Moment) {
	if a.call == nil {
		a.run.shape.message = true
	}
	if ev.MessageID == "" || ev.Synthetic || a.closed && a.call == nil && !a.run.subAgent {
		return
	}
	if a.chat.is(ev) {
		s.nameChat(a, ev)
		if s.afterCalls(a, ev) {
			a.chat.Add(ev, nil)
		} else {
			a.chat.Add(ev, &at)
		}
		return
	}
	r := a.run
	answer := strconv.Itoa(ev.Answer)
	if s.seen.Nth(&s.seen.Messages, string(a.spanID[:]), r.key, ev.MessageID, answer) > 0 {
		return // a late part of a message whose span was written
	}
	s.closeChat(a)
	a.chat = &chat{Call: a.thread.Begin(ev, s.settings.Agent.System, at)}
	if a.closed {
		s.open.late = append(s.open.late, a)
	}
	s.nameChat(a, ev)
}

// afterCalls reports whether ev is usage of the agent's model call that was reported only after the calls which the
// model requested.
func (s *talk) afterCalls(a *agent, ev *events.DisplayEvent) bool {
	return ev.Kind == events.KindUsage && s.settings.Agent.UsageAfterCalls && a.chat.Span.End.At.Before(a.thread.LastInput.At)
}

// nameChat sets the model call's ID once its first content is known. With a nil event, it sets the ID of a call without content.
func (s *talk) nameChat(a *agent, ev *events.DisplayEvent) {
	c, r, kind, what, detail := a.chat, a.run, "", "", ""
	switch {
	case !c.ID.IsEmpty():
		return
	case s.settings.Agent.OwnMessageIDs || a != r.top || r.subAgent: // a stream may have only the calls of a sub-agent
	case ev != nil && !content.Speaks(ev.Kind):
		return // it begins with its usage
	case ev != nil:
		kind = ev.Kind.String()
		what, detail = content.Said(ev)
	}
	occurrence := s.seen.Nth(&s.seen.Chats, r.key, c.MessageID, kind, what, detail)
	c.ID = r.chatID(s.settings.Agent.Provider, occurrence, c.MessageID, kind, what, detail)
	c.elsewhere = a.isJoined() && (s.registry.ids.HasSpan(otlp.SpanRef{Trace: r.traceID, Span: c.ID}) || r.standing == account.Twin && !r.account.Run().Unused() && (ev == nil || s.hasSign(r, ev)))
}

// closeChat closes the agent's open model call. The first call of a run with unknown start is written at the end of the
// run, because only the run's duration shows when both began. If all times are the file's, it is written at once,
// because no durations are known.
func (s *talk) closeChat(a *agent) {
	c := a.chat
	if c == nil {
		return
	}
	s.nameChat(a, nil)
	s.settleWording(a)
	a.chat = nil
	if a.closed {
		remove(&s.open.late, a)
	}
	if c.LacksOutput() {
		a.ledger.UnknownOutputs++
		if a != a.run.top {
			a.run.top.ledger.UnknownOutputs++
		}
		if !s.recorded && !a.run.isChild() {
			a.lacksCall(c)
		}
	}
	a.cover(&c.Span.Start, &c.Span.End)
	s.finishChat(a, c)
	if a == a.run.top {
		a.run.chats++
	}
}

// finishChat writes a finished model call or stores it until the end of its run.
func (s *talk) finishChat(a *agent, c *chat) {
	if r := a.run; a == r.top && c.Unasked && !r.closed && !r.begin.known && r.first == nil && r.chats == 0 && c.Span.End.Source != clock.SourceFile {
		r.first = c
		return
	}
	a.inside.CoverAll(&c.Span)
	s.writeChat(a, c)
}

// failedCall writes a model call that failed according to an event. The model said nothing, so no other span has it. It
// lasted from the input it should have answered, including retries.
func (s *talk) failedCall(a *agent, ev *events.DisplayEvent, at clock.Moment) {
	id := cmp.Or(ev.MessageID, ev.ItemID)
	if !ev.Sign.ModelCall || id == "" || a.closed {
		return
	}
	s.closeChat(a)
	c, r := &chat{Call: a.thread.Failed(ev, s.settings.Agent.System, at)}, a.run
	a.cover(&c.Span.Start, &c.Span.End)
	occurrence := s.seen.Nth(&s.seen.Chats, r.key, id, domainFailed)
	c.ID = r.chatID(s.settings.Agent.Provider, occurrence, id, domainFailed)
	s.finishChat(a, c)
}

// domainFailed separates the ID of a failed call from that of an answer with the same ID.
const domainFailed = "failed"

// converse adds the content of an event to the agent's conversation and to the model call that it is part of.
func (s *talk) converse(a *agent, ev *events.DisplayEvent) {
	settings := &s.registry.settings
	if !settings.Capture.Messages || a.closed || a.role == roleDuplicate || !messages.Says(ev) {
		return
	}
	if s.open.arguments >= settings.Limits.PendingBytes {
		a.thread.Skip()
		s.count().DroppedArguments++
		return
	}
	var c *modelcall.Call
	if a.chat != nil {
		c = &a.chat.Call
	}
	s.open.arguments += a.thread.Say(ev, c, settings.Limits.ContentBytes)
}

// settleWording writes the pending texts of a model call unless the first account contains all that the call said.
func (s *talk) settleWording(a *agent) {
	w := a.chat.wording
	if w == nil {
		return
	}
	for _, what := range w.waiting {
		kind := what.ev.Kind
		if s.hasAnySign(a.run, s.signOfWords(a.run, kind, &w.joined[kindOfWords(kind)])) {
			s.dropped(a.run)
		} else {
			s.writeRecord(a, nil, what)
		}
	}
	a.chat.wording = nil
}
