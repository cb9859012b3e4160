package opencode

import (
	"slices"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
)

// owed is what a message tells of itself and no part may tell: tokens, where it has no step-finish, and the error that
// ended its turn. In dumps the row of a message stands before its parts and those of the messages before it, so both
// wait until a later message or another session has its say.
type owed struct {
	key     uint64
	head    lines.Head
	usage   *events.Usage // nil if it told no tokens
	failure failure
}

// owe notes what a message tells. In a log, and where the message is no news, its parts have been seen: an error is told
// at once.
func (p *Parser) owe(key uint64, info *messageInfo, m *message, now bool) {
	o := owed{key: key, failure: p.failure(info.failure)}
	if !m.stepped && !m.told && info.tokens.Tokens != (events.Tokens{}) {
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
		p.tellFailure(&o, m)
		if o.failure = (failure{}); o.usage == nil {
			return
		}
	}
	if m.owed {
		for i := len(p.owed) - 1; i >= 0; i-- {
			if p.owed[i].key == key {
				p.owed[i] = o
				return
			}
		}
	}
	if len(p.owed) >= maxMessages {
		p.owed = slices.Delete(p.owed, 0, maxMessages/2)
	}
	p.owed = append(p.owed, o)
	m.owed = true
}

// messageHead is the identity of events that a message tells itself.
func (p *Parser) messageHead(info *messageInfo, m *message) lines.Head {
	head := lines.Head{
		Time:          firstTime(m.completed, m.created),
		SessionID:     p.sessionID.Text(&p.strings, info.sessionID),
		MessageID:     p.strings.Text(info.id),
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

// enter is called before the events of a part: what earlier messages of its session owe is due now, and so is all that
// the session owes whose parts came before. Ids of messages ascend.
func (p *Parser) enter(sessionID, messageID string) {
	if sessionID != p.entered {
		left := p.entered
		p.entered = sessionID
		p.releaseIf(func(o *owed) bool { return o.head.SessionID == left })
	}
	for len(p.owed) > 0 && p.owed[0].head.SessionID == sessionID && p.owed[0].head.MessageID < messageID {
		p.releaseFirst()
	}
}

// releaseIf tells what the entries owe that due picks.
func (p *Parser) releaseIf(due func(o *owed) bool) {
	kept := p.owed[:0]
	for i := range p.owed {
		if due(&p.owed[i]) {
			p.release(&p.owed[i])
		} else {
			kept = append(kept, p.owed[i])
		}
	}
	clear(p.owed[len(kept):])
	p.owed = kept
}

func (p *Parser) releaseFirst() {
	p.release(&p.owed[0])
	p.owed[0] = owed{}
	p.owed = p.owed[1:]
}

// release tells what is still owed. The head of the part at hand stays as it is.
func (p *Parser) release(o *owed) {
	m, _ := p.messages.Get(o.key)
	m.owed = false
	head := p.head
	if o.usage != nil && !m.stepped {
		p.head = o.head
		p.emit(events.KindUsage).Usage = o.usage
		m.told = true
	}
	if o.failure.name != "" && !m.failed {
		p.tellFailure(o, &m)
	}
	p.head = head
	p.messages.Set(o.key, m)
}

// tellFailure ends the turn of a message with its error. A turn that ended otherwise before, as one does whose answer
// was filtered, has a warning.
func (p *Parser) tellFailure(o *owed, m *message) {
	p.head = o.head
	done := m.done
	m.failed, m.done = true, true
	switch {
	case done:
		p.notice(events.LevelWarn, o.failure.code(), o.failure.text)
	case o.failure.interrupted():
		p.emit(events.KindTurnDone).End = &events.End{Interrupted: true, Code: o.failure.name, Err: o.failure.text}
	default:
		p.emit(events.KindTurnDone).End = &events.End{Error: true, Code: o.failure.name, Err: o.failure.text, Cause: o.failure.cause()}
	}
}
