package opencode

import (
	"slices"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
)

// pending is what waits for later lines: the rows of calls for the texts before them, the start of a sub-agent's session for
// its call, and what a message itself has for its parts.
//
//	waits               until                                                            limit
//	rows of calls       the texts of their message that began before have ended          64 messages, 1 MiB
//	start of a session  the first message or part of the session                         64
//	tokens, an error    a part of a later message of the session, or another session     16,384 messages
//	all of them         Flush; the first two and errors: Quiet
type pending struct {
	*line
	drafts   map[uint64]*draft // by message
	starts   []start
	deferred []deferred
	entered  string // the session of the last part
}

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
func (pe *pending) deferMessage(key uint64, info *messageInfo, m *message, now bool) {
	o := deferred{key: key, failure: pe.failure(info.failure)}
	if m.tokens == tokensUnknown && info.tokens.Tokens != (events.Tokens{}) {
		o.usage = info.tokens.usage(info.cost, m.inputHoldsCache)
	}
	if m.end == turnFailed {
		o.failure = failure{}
	}
	if o.usage == nil && o.failure.name == "" {
		return
	}
	o.head = pe.messageHead(info, m)
	if now && o.failure.name != "" {
		pe.emitFailure(&o, m)
		if o.failure = (failure{}); o.usage == nil {
			return
		}
	}
	if m.deferred {
		for i := len(pe.deferred) - 1; i >= 0; i-- {
			if pe.deferred[i].key == key {
				pe.deferred[i] = o
				return
			}
		}
	}
	if len(pe.deferred) >= maxMessages {
		pe.deferred = slices.Delete(pe.deferred, 0, maxMessages/2)
	}
	pe.deferred = append(pe.deferred, o)
	m.deferred = true
}

// messageHead is the identity of events that a message itself has.
func (pe *pending) messageHead(info *messageInfo, m *message) lines.Head {
	head := lines.Head{
		Time:          firstTime(m.completed, m.created),
		SessionID:     pe.sessionID.Text(&pe.Strings, info.sessionID),
		MessageID:     pe.Strings.Text(info.id),
		Model:         m.model,
		ModelProvider: m.provider,
		TurnID:        m.turn,
	}
	head.ItemID = head.MessageID
	if in := pe.sessionOf(head.SessionID); in.call != "" {
		head.ParentID, head.AgentID = in.call, head.SessionID
	}
	return head
}

// enter is called before the events of a part: what earlier messages of its session deferred is due now, and so is all
// that the session deferred whose parts came before. Ids of messages ascend.
func (pe *pending) enter(sessionID, messageID string) {
	if sessionID != pe.entered {
		left := pe.entered
		pe.entered = sessionID
		pe.releaseIf(func(o *deferred) bool { return o.head.SessionID == left })
	}
	for len(pe.deferred) > 0 && pe.deferred[0].head.SessionID == sessionID && pe.deferred[0].head.MessageID < messageID {
		pe.releaseFirst()
	}
}

// releaseIf emits what is in the entries that due picks.
func (pe *pending) releaseIf(due func(o *deferred) bool) {
	kept := pe.deferred[:0]
	for i := range pe.deferred {
		if due(&pe.deferred[i]) {
			pe.release(&pe.deferred[i])
		} else {
			kept = append(kept, pe.deferred[i])
		}
	}
	clear(pe.deferred[len(kept):])
	pe.deferred = kept
}

func (pe *pending) releaseFirst() {
	pe.release(&pe.deferred[0])
	pe.deferred[0] = deferred{}
	pe.deferred = pe.deferred[1:]
}

// release emits what is still pending. The head of the part at hand stays as it is.
func (pe *pending) release(o *deferred) {
	m, _ := pe.messages.Get(o.key)
	m.deferred = false
	head := pe.Head
	if o.usage != nil && m.tokens != tokensOfSteps {
		pe.Head = o.head
		pe.Emit(events.KindUsage).Usage = o.usage
		m.tokens = tokensOfMessage
	}
	if o.failure.name != "" && m.end != turnFailed {
		pe.emitFailure(o, &m)
	}
	pe.Head = head
	pe.messages.Set(o.key, m)
}

// emitFailure ends the turn of a message with its error. A turn that ended otherwise before, as one does whose answer
// was filtered, has a warning.
func (pe *pending) emitFailure(o *deferred, m *message) {
	pe.Head = o.head
	done := m.end != turnOpen
	m.end = turnFailed
	switch {
	case done:
		pe.Notice(events.LevelWarn, o.failure.code(), o.failure.text)
	case o.failure.interrupted():
		pe.Emit(events.KindTurnDone).End = &events.End{Interrupted: true, Code: o.failure.name, Err: o.failure.text}
	default:
		pe.Emit(events.KindTurnDone).End = &events.End{Error: true, Code: o.failure.name, Err: o.failure.text, Cause: o.failure.cause()}
	}
}

// maxStarts limits the starts that are pending. The oldest goes for one without room.
const maxStarts = 64

// start is the start of a sub-agent's session whose call is not known yet. OpenCode makes the session some milliseconds
// before the row of the call has its arguments (1.18, subagent.log), and after a restart the row of the session can be read
// before that of its call, which was written since. The start is pending until the first message of the session: only a
// session that no call made starts something.
type start struct {
	key     uint64 // of the session
	task    uint64 // of the call; see taskKey
	head    lines.Head
	session events.Session
}

// awaitCall keeps the start of a sub-agent's session.
func (pe *pending) awaitCall(s start) {
	if len(pe.starts) >= maxStarts {
		pe.releaseStart(0)
	}
	pe.starts = append(pe.starts, s)
}

// enterSession is called before a message or part of a session is handled.
func (pe *pending) enterSession(key uint64) {
	if i := slices.IndexFunc(pe.starts, func(s start) bool { return s.key == key }); i >= 0 {
		pe.releaseStart(i)
	}
}

// releaseStart gives a start that is pending, unless the call of its session is known by now.
func (pe *pending) releaseStart(i int) {
	s := pe.starts[i]
	pe.starts = slices.Delete(pe.starts, i, i+1)
	in, _ := pe.sessions.Get(s.key)
	if in.call == "" {
		if in.call, _ = pe.tasks.Get(s.task); in.call != "" {
			pe.sessions.Set(s.key, in)
		}
	}
	if in.call == "" {
		pe.Head = s.head
		pe.Emit(events.KindSessionStarted).Session = &s.session
	}
}

// releaseStarts gives all starts that are pending.
func (pe *pending) releaseStarts() {
	for len(pe.starts) > 0 {
		pe.releaseStart(0)
	}
}
