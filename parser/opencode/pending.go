package opencode

import (
	"slices"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
)

// pending holds what waits for later lines: rows of calls that wait for the texts before them, the start of a sub-agent's
// session that waits for its call, and contents of a message that wait for its parts.
//
//	waits               until                                                            limit
//	rows of calls       the texts that began before them in their message have ended     64 messages, 1 MiB
//	start of a session  the first message or part of the session, or its model           64
//	tokens, an error    a part of a later message of the session, or another session     16,384 messages
//	all of them         Flush; rows, starts of sub-agents and errors: Quiet
type pending struct {
	*line
	drafts   map[uint64]*draft // by message
	starts   []start
	deferred []deferred
	entered  string // session of the last part
}

// deferred holds contents of a message that its parts may not have: tokens, if there is no step-finish, and the error
// that ended its turn. In dumps the row of a message comes before its parts and before those of earlier messages, so
// both wait for a part of a later message or another session.
type deferred struct {
	key     uint64
	head    lines.Head
	usage   *events.Usage // nil if it has no tokens
	failure failure
}

// deferMessage records the contents of a message. In a log, and if the message is known, its parts have been seen, so an
// error is emitted at once.
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

// messageHead returns the head of the events of a message itself.
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

// enter is called before the events of a part. It emits what earlier messages of the session deferred, and everything
// that the previous session deferred if the part begins another one. IDs of messages are in ascending order.
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

// releaseIf emits the contents of the entries for which due returns true.
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

// release emits what is still pending. It does not change the head of the current part.
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

// emitFailure ends the turn of a message with its error. If the turn already has another end, as after a filtered
// answer, it emits a warning.
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

// maxStarts limits the pending starts. If there is no room, the oldest is emitted.
const maxStarts = 64

// start is the pending start of a session: of a sub-agent's session whose call is not known yet, or of a session without a model.
//
// A session gets its model with its first prompt, before the message is stored. If the prompt is refused, the model alone
// distinguishes the session from one without a prompt, which programs create (1.18).
//
// OpenCode creates the session of a sub-agent some milliseconds before the row of the call has its arguments (1.18,
// subagent.log). After a restart the row of the session may be read before that of its call, which has been rewritten
// since. The start is pending until the first message of the session: only a session that no call started is emitted.
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

// asked emits the pending start of a session once its agent and model are set.
func (pe *pending) asked(key uint64, agent, model, provider string) {
	if i := slices.IndexFunc(pe.starts, func(s start) bool { return s.key == key && s.isUnasked() }); i >= 0 {
		s := &pe.starts[i]
		s.session.AgentName, s.head.Model, s.head.ModelProvider = agent, model, provider
		pe.releaseStart(i)
	}
}

// isUnasked reports whether the session has had no prompt.
func (s *start) isUnasked() bool { return !s.session.SubAgent && s.head.Model == "" }

// enterSession is called before a message or part of a session is handled.
func (pe *pending) enterSession(key uint64) {
	if i := slices.IndexFunc(pe.starts, func(s start) bool { return s.key == key }); i >= 0 {
		pe.releaseStart(i)
	}
}

// releaseStart emits a pending start, unless the call of its session is known by now.
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
		if !s.session.SubAgent { // in dumps the errors of the session before
			pe.releaseIf(func(o *deferred) bool { return o.head.SessionID != s.head.SessionID })
		}
		pe.Head = s.head
		pe.Emit(events.KindSessionStarted).Session = &s.session
	}
}

// releaseStarts emits the pending starts; those of sessions without a prompt only if all is set.
func (pe *pending) releaseStarts(all bool) {
	for i := 0; i < len(pe.starts); {
		if all || !pe.starts[i].isUnasked() {
			pe.releaseStart(i)
		} else {
			i++
		}
	}
}

// holdsStart reports whether a start is pending that Quiet emits.
func (pe *pending) holdsStart() bool {
	return slices.ContainsFunc(pe.starts, func(s start) bool { return !s.isUnasked() })
}
