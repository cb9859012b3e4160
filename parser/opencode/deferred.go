package opencode

import (
	"slices"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
)

// deferred is what a message itself has and perhaps no part has: tokens, where it has no step-finish, and the error that
// ended its turn. In dumps the row of a message is before its parts and those of the messages before it, so both
// wait until a later message or another session has its say.
type deferred struct {
	key     uint64
	head    lines.Head
	usage   *events.Usage // nil if it has no tokens
	failure failure
}

// deferMessage notes what a message has. In a log, and where the message is known, its parts have been seen: an error is
// emitted at once.
func (p *Parser) deferMessage(key uint64, info *messageInfo, m *message, now bool) {
	o := deferred{key: key, failure: p.failure(info.failure)}
	if !m.stepped && !m.counted && info.tokens.Tokens != (events.Tokens{}) {
		o.usage = info.tokens.usage(info.cost, m.inputHoldsCache)
	}
	if m.failed {
		o.failure = failure{}
	}
	if o.usage == nil && o.failure.name == "" {
		return
	}
	o.head = p.messageHead(info, m)
	if now && o.failure.name != "" {
		p.emitFailure(&o, m)
		if o.failure = (failure{}); o.usage == nil {
			return
		}
	}
	if m.deferred {
		for i := len(p.deferred) - 1; i >= 0; i-- {
			if p.deferred[i].key == key {
				p.deferred[i] = o
				return
			}
		}
	}
	if len(p.deferred) >= maxMessages {
		p.deferred = slices.Delete(p.deferred, 0, maxMessages/2)
	}
	p.deferred = append(p.deferred, o)
	m.deferred = true
}

// messageHead is the identity of events that a message itself has.
func (p *Parser) messageHead(info *messageInfo, m *message) lines.Head {
	head := lines.Head{
		Time:          firstTime(m.completed, m.created),
		SessionID:     p.sessionID.Text(&p.Strings, info.sessionID),
		MessageID:     p.Strings.Text(info.id),
		Model:         m.model,
		ModelProvider: m.provider,
		TurnID:        m.turn,
	}
	head.ItemID = head.MessageID
	if in := p.sessionOf(head.SessionID); in.call != "" {
		head.ParentID, head.AgentID = in.call, head.SessionID
	}
	return head
}

// enter is called before the events of a part: what earlier messages of its session deferred is due now, and so is all
// that the session deferred whose parts came before. Ids of messages ascend.
func (p *Parser) enter(sessionID, messageID string) {
	if sessionID != p.entered {
		left := p.entered
		p.entered = sessionID
		p.releaseIf(func(o *deferred) bool { return o.head.SessionID == left })
	}
	for len(p.deferred) > 0 && p.deferred[0].head.SessionID == sessionID && p.deferred[0].head.MessageID < messageID {
		p.releaseFirst()
	}
}

// releaseIf emits what is in the entries that due picks.
func (p *Parser) releaseIf(due func(o *deferred) bool) {
	kept := p.deferred[:0]
	for i := range p.deferred {
		if due(&p.deferred[i]) {
			p.release(&p.deferred[i])
		} else {
			kept = append(kept, p.deferred[i])
		}
	}
	clear(p.deferred[len(kept):])
	p.deferred = kept
}

func (p *Parser) releaseFirst() {
	p.release(&p.deferred[0])
	p.deferred[0] = deferred{}
	p.deferred = p.deferred[1:]
}

// release emits what is still pending. The head of the part at hand stays as it is.
func (p *Parser) release(o *deferred) {
	m, _ := p.messages.Get(o.key)
	m.deferred = false
	head := p.Head
	if o.usage != nil && !m.stepped {
		p.Head = o.head
		p.Emit(events.KindUsage).Usage = o.usage
		m.counted = true
	}
	if o.failure.name != "" && !m.failed {
		p.emitFailure(o, &m)
	}
	p.Head = head
	p.messages.Set(o.key, m)
}

// emitFailure ends the turn of a message with its error. A turn that ended otherwise before, as one does whose answer
// was filtered, has a warning.
func (p *Parser) emitFailure(o *deferred, m *message) {
	p.Head = o.head
	done := m.done
	m.failed, m.done = true, true
	switch {
	case done:
		p.Notice(events.LevelWarn, o.failure.code(), o.failure.text)
	case o.failure.interrupted():
		p.Emit(events.KindTurnDone).End = &events.End{Interrupted: true, Code: o.failure.name, Err: o.failure.text}
	default:
		p.Emit(events.KindTurnDone).End = &events.End{Error: true, Code: o.failure.name, Err: o.failure.text, Cause: o.failure.cause()}
	}
}
