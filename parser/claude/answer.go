package claude

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/sdkstream"
)

// answer is what is known about the model messages with one ID in one thread. The API gives each message its own ID, but
// some proxies send the same ID with every answer. All lines of a message have its ID, with results of its first calls
// between them if tools start before the message ends. So an assistant line that follows a line of the user belongs to
//
//	another answer   if it has another request ID; or, without request IDs, if it says anything new and either
//	                 its input has another size, or the user sent a prompt, or it is a text
//	the same answer  otherwise
type answer struct {
	known   bool
	nth     int    // number of earlier answers with the ID
	request uint64 // hash of the request ID; 0 if there is none
	turns   turns  // of the thread, at the last line of the answer
}

// turns counts what the user's side of a thread has sent.
type turns struct {
	results uint32
	prompts uint32
}

// answers holds the model messages of a stream.
type answers struct {
	*line
	texts *texts
	calls *calls
	usage *ledger

	known   memory.Table[answer]
	threads memory.Table[turns]
}

// answerOf returns the number of an assistant line's answer among those with the same message ID.
func (m *answers) answerOf(r *sdkstream.Envelope) int {
	if len(r.Message.ID.Body()) == 0 {
		return 0
	}
	thread := m.thread(r)
	now := *m.threads.Ref(thread)
	a := m.known.Ref(m.idKey(domainAnswer, r.Message.ID) ^ thread)
	request := uint64(0)
	if len(r.RequestID.Body()) > 0 {
		request = m.idKey(domainMessage, r.RequestID)
	}
	if a.known && a.turns != now && m.isOther(r, a, request, now) {
		a.nth++
	}
	a.known, a.turns = true, now
	if request != 0 {
		a.request = request
	}
	return a.nth
}

// beginAnswer handles a message_start. With partial messages on, every answer has exactly one.
func (m *answers) beginAnswer(r *sdkstream.Envelope, id scan.Value) int {
	if len(id.Body()) == 0 {
		return 0
	}
	a := m.known.Ref(m.answerKey(r, id))
	if a.known {
		a.nth++
	}
	*a = answer{known: true, nth: a.nth, turns: *m.turnsOf(r)}
	return a.nth
}

// streamedAnswer returns the number of the answer that is streaming under an ID.
func (m *answers) streamedAnswer(r *sdkstream.Envelope, id scan.Value) int {
	if a := m.known.Find(m.answerKey(r, id)); a != nil {
		return a.nth
	}
	return 0
}

// answerKey returns the key of a message ID in the thread of a record.
func (l *line) answerKey(r *sdkstream.Envelope, id scan.Value) uint64 {
	return l.idKey(domainAnswer, id) ^ l.thread(r)
}

// thread returns the key of the agent that wrote a record.
func (l *line) thread(r *sdkstream.Envelope) uint64 {
	return l.Keys.Pair(domainThread, r.Parent.Body(), r.Agent.Body())
}

func (m *answers) turnsOf(r *sdkstream.Envelope) *turns { return m.threads.Ref(m.thread(r)) }

func (m *answers) isOther(r *sdkstream.Envelope, a *answer, request uint64, now turns) bool {
	if request != 0 && a.request != 0 {
		return request != a.request
	}
	says, calls := m.saysNew(r, a.nth)
	switch {
	case !says && !calls:
		return false // a repetition
	case says || now.prompts != a.turns.prompts:
		return true
	}
	known, ok := m.usage.counted.Get(m.messageKey(r.Message.ID, a.nth))
	if !ok || r.Message.Usage.Kind != scan.KindObject {
		return false
	}
	input := inputOf(m.usage.readUsage(r.Message.Usage).Tokens)
	return input != (events.Tokens{}) && input != inputOf(known.tokens)
}

// inputOf returns the counts of a message that are known before its first block.
func inputOf(t events.Tokens) events.Tokens {
	return events.Tokens{Input: t.Input, CacheRead: t.CacheRead, CacheWrite: t.CacheWrite}
}

// saysNew reports whether a line has texts, or calls, that the answer did not have before.
func (m *answers) saysNew(r *sdkstream.Envelope, nth int) (says, calls bool) {
	for i := range r.Message.Blocks {
		b := &r.Message.Blocks[i]
		switch string(b.Kind.Body()) {
		case "text", "thinking":
			says = says || m.texts.seen.Find(m.saidKey(r, domainText, b.Text, nth)) == nil
		case "tool_use":
			known := m.calls.byID.Find(m.idKey(domainCall, b.ID))
			calls = calls || known == nil || !known.called || known.body != m.callBody(b)
		}
	}
	if r.Message.Text.Kind == scan.KindString {
		says = says || m.texts.seen.Find(m.saidKey(r, domainText, r.Message.Text, nth)) == nil
	}
	return says, calls
}

// messageKey returns the key of a message, from its ID and the number of its answer.
func (l *line) messageKey(id scan.Value, nth int) uint64 {
	const odd = 0x9e3779b97f4a7c15
	return l.idKey(domainMessage, id) ^ uint64(nth)*odd
}

// lineKey returns the key of a line, from its uuid and the content of its message, since lines may share a uuid.
func (l *line) lineKey(r *sdkstream.Envelope) uint64 {
	key := l.idKey(domainLine, r.UUID)
	if r.Message.Text.Kind == scan.KindString {
		key = l.Keys.With(key, r.Message.Text.Raw)
	}
	for i := range r.Message.Blocks {
		b := &r.Message.Blocks[i]
		for _, part := range [...][]byte{b.ID.Raw, b.Text.Raw, b.Input.Raw, b.ToolUseID.Raw} {
			if len(part) > 0 {
				key = l.Keys.With(key, part)
			}
		}
	}
	return key
}
