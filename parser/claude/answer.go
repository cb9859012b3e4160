package claude

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/sdkstream"
)

// answer is what is known of the model messages under one id in one thread. The API gives each message an id of its own;
// proxies exist that send one id with every answer. All lines of a message have its id, and results of its first calls
// are between them where tools start before the message ends, so what comes after a line of the user is
//
//	another answer   if it has another request id; or without request ids
//	                 if it says anything new, and either its input is of another size, or the user spoke, or it is a text
//	the same answer  else
type answer struct {
	known   bool
	nth     int    // how many others came before under the id
	request uint64 // of the request id; 0 if none
	turns   turns  // of the thread, when its last line came
}

// turns counts what the user's side of a thread sent.
type turns struct {
	results uint32
	prompts uint32
}

// answers are the model messages of a stream.
type answers struct {
	*line
	texts *texts
	calls *calls
	usage *ledger

	known   memory.Table[answer]
	threads memory.Table[turns]
}

// answerOf is the number of the answer that an assistant line is part of, among those with its message id.
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

// beginAnswer takes a message_start, which every answer has once where partial messages are on.
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

// streamedAnswer is the number of the answer that streams under an id.
func (m *answers) streamedAnswer(r *sdkstream.Envelope, id scan.Value) int {
	if a := m.known.Find(m.answerKey(r, id)); a != nil {
		return a.nth
	}
	return 0
}

// answerKey is the key of a message id in the thread of a record.
func (l *line) answerKey(r *sdkstream.Envelope, id scan.Value) uint64 {
	return l.idKey(domainAnswer, id) ^ l.thread(r)
}

// thread is the key of the agent that a record is of.
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
		return false // a repeat of what is known
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

// inputOf are the counts of a message that are known before its first block.
func inputOf(t events.Tokens) events.Tokens {
	return events.Tokens{Input: t.Input, CacheRead: t.CacheRead, CacheWrite: t.CacheWrite}
}

// saysNew reports whether a line has texts, and calls, that the answer did not have before.
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

// messageKey is the key of a message: of its id, and of which answer under it.
func (l *line) messageKey(id scan.Value, nth int) uint64 {
	const odd = 0x9e3779b97f4a7c15
	return l.idKey(domainMessage, id) ^ uint64(nth)*odd
}

// lineKey is the key of a line: of its uuid, and in a message of what it says, since an id alone may be another line's.
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
