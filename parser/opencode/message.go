package opencode

import (
	"strconv"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// role is the author of a part's message. Only the message names it, never the part.
type role uint8

const (
	roleUnknown role = iota
	roleUser
	roleAssistant
)

// message is what the parser remembers of a message for its parts.
type message struct {
	role            role
	summary         bool // the model summarizes the conversation for a compaction
	inputHoldsCache bool
	deferred        bool // an entry of pending.deferred is waiting
	tokens          tokenSource
	end             turnEnd
	model, provider string // of an assistant's message
	turn            string
	created         time.Time
	completed       time.Time
}

// tokenSource says what the emitted tokens of a message were read from.
type tokenSource uint8

const (
	tokensUnknown   tokenSource = iota
	tokensOfSteps               // its step-finish parts
	tokensOfMessage             // the message itself, if there is no step-finish
)

// turnEnd says what was emitted about the end of a message's turn.
type turnEnd uint8

const (
	turnOpen   turnEnd = iota
	turnDone           // its end
	turnFailed         // its error, which is its end unless there was one before
)

// session is what the parser remembers of a session for its messages.
type session struct {
	call    string // ID of the tool call that started it; empty if the user did
	turn    string // ID of the last user message
	version string
	created time.Time
	started bool
}

// origin is the form of a part, where forms differ.
type origin uint8

const (
	originStream   origin = iota // a line of run --format json: a complete part of the model
	originSnapshot               // a row, a file or an export: the current state of a part
	originLog                    // the event log or the server: every state of a part, in order
)

func (l *line) sessionOf(id string) session {
	s, _ := l.sessions.Get(l.Keys.String(domainSession, id))
	return s
}

// conversation emits the events of sessions, messages and parts of all forms.
type conversation struct {
	*line
	calls   *calls
	pending *pending
}

// messageEvents handles a message without its parts. Its tokens and its error are usually on other lines too;
// otherwise they are emitted later, see deferred.
func (cv *conversation) messageEvents(info *messageInfo, from origin) events.LineStatus {
	if len(info.id.Body()) == 0 {
		return events.LineIgnored
	}
	key := cv.Keys.ID(domainMessage, info.id.Body())
	sessionKey := cv.Keys.ID(domainSession, info.sessionID.Body())
	cv.pending.enterSession(sessionKey)
	in, _ := cv.sessions.Get(sessionKey)
	m, known := cv.messages.Get(key)
	m.created = firstTime(millis(info.created), m.created)
	m.completed = firstTime(millis(info.completed), m.completed)
	switch string(info.role.Body()) {
	case "user":
		m.role = roleUser
		m.turn = cv.Strings.Text(info.id)
		in.turn = m.turn
		cv.sessions.Set(sessionKey, in)
	case "assistant":
		m.role = roleAssistant
		m.summary = info.summary.True()
		m.model, m.provider = cv.Strings.Intern(info.model), cv.Strings.Intern(info.provider)
		if m.turn = cv.Strings.Text(info.parentID); m.turn == "" { // up to 0.5
			m.turn = in.turn
		}
		m.inputHoldsCache = holdsCache(in.version, m.provider)
		cv.pending.deferMessage(key, info, &m, known || from == originLog)
	}
	cv.messages.Set(key, m)
	return events.LineOK
}

// sessionEvents handles a session. If its call is known, the session belongs to the call and starts nothing.
func (cv *conversation) sessionEvents(info *sessionInfo) events.LineStatus {
	if len(info.id.Body()) == 0 {
		return events.LineIgnored
	}
	key := cv.Keys.ID(domainSession, info.id.Body())
	in, _ := cv.sessions.Get(key)
	in.created = firstTime(in.created, millis(info.created))
	if in.version == "" {
		in.version = cv.Strings.Intern(info.version)
	}
	child := len(info.parentID.Body()) > 0
	task := uint64(0)
	if child && in.call == "" {
		task = cv.taskKey(info.parentID, cv.Strings.Text(info.title))
		in.call, _ = cv.tasks.Get(task)
	}
	started := in.started
	in.started = true
	cv.sessions.Set(key, in)
	model, provider := cv.modelName(info.model)
	if started && model != "" {
		cv.pending.asked(key, cv.agentName(info), model, provider)
	}
	if in.call != "" || started {
		return events.LineOK
	}
	s := start{key: key, task: task, head: lines.Head{
		Time:      in.created,
		SessionID: cv.sessionID.Text(&cv.Strings, info.id),
		ItemID:    cv.sessionID.Text(&cv.Strings, info.id),
	}, session: events.Session{
		Version:    cv.Strings.Text(info.version),
		WorkingDir: cv.Strings.Text(info.directory),
		AgentName:  cv.agentName(info),
		ParentID:   cv.Strings.Text(info.parentID),
		SubAgent:   child,
		Recorded:   true,
	}}
	s.head.Model, s.head.ModelProvider = model, provider
	cv.pending.awaitCall(s)
	if !child && model != "" {
		cv.pending.enterSession(key)
	}
	return events.LineOK
}

// agentName returns the name of the agent of a session.
func (cv *conversation) agentName(info *sessionInfo) string {
	return events.CleanLine(cv.Strings.Intern(info.agent), 0)
}

// modelName reads {"id","providerID"}, which is text in columns.
func (l *line) modelName(v scan.Value) (model, provider string) {
	if v.Kind == scan.KindString {
		v = scan.Value{Kind: scan.KindObject, Raw: l.column(v)}
	}
	l.Nested = l.small.MembersOf(v, l.Nested[:0])
	return l.Strings.Intern(l.Nested.Get("id")), l.Strings.Intern(l.Nested.Get("providerID"))
}

// partEvents emits the events of a part. at is when its line or row was written; zero if unknown.
func (cv *conversation) partEvents(pt *part, from origin, at time.Time) events.LineStatus {
	m, _ := cv.messages.Get(cv.Keys.ID(domainMessage, pt.messageID.Body()))
	if from == originStream && m.role == roleUnknown && !pt.synthetic.True() {
		m.role = roleAssistant
	}
	if from != originStream {
		cv.pending.enterSession(cv.Keys.ID(domainSession, pt.sessionID.Body()))
	}
	if id := cv.identify(pt, &m, at); from != originStream {
		cv.pending.enter(cv.Head.SessionID, id)
	}
	switch string(pt.kind.Body()) {
	case "text":
		cv.text(pt, &m, from)
	case "reasoning":
		cv.reasoning(pt, from)
	case "tool":
		cv.calls.toolPart(pt)
	case "step-finish":
		cv.stepFinish(pt, &m, from)
	case "subtask":
		if text := cv.Strings.Text(pt.prompt); !lines.Blank(text) && cv.first(pt) {
			cv.Emit(events.KindPrompt).Text = text
		}
	case "compaction":
		if cv.first(pt) {
			cv.compaction(pt)
		}
	case "retry":
		if cv.first(pt) {
			cv.retry(pt)
		}
	case "step-start", "patch", "file", "agent", "snapshot":
	default:
		return cv.Unknown("part/", pt.kind.Body())
	}
	return events.LineOK
}

// identify sets the head of a part's events and returns the ID of its message.
func (cv *conversation) identify(pt *part, m *message, at time.Time) (messageID string) {
	messageID = cv.messageID.Text(&cv.Strings, pt.messageID)
	cv.Head = lines.Head{
		SessionID:     cv.sessionID.Text(&cv.Strings, pt.sessionID),
		MessageID:     messageID,
		ItemID:        cv.Strings.Text(pt.id),
		Model:         m.model,
		ModelProvider: m.provider,
		TurnID:        m.turn,
	}
	if m.role == roleUser || pt.synthetic.True() {
		cv.Head.MessageID, cv.Head.Model, cv.Head.ModelProvider = "", "", "" // not a model call
	}
	in := cv.sessionOf(cv.Head.SessionID)
	if in.call != "" {
		cv.Head.ParentID, cv.Head.AgentID = in.call, cv.Head.SessionID
	}
	if at.IsZero() {
		at = idTime(pt.id.Body(), firstTime(m.created, in.created))
	}
	if at.IsZero() {
		at = m.created
	}
	cv.Head.Time = at
	return messageID
}

// idTime returns the creation time of an ID in milliseconds. After the prefix come 12 hexadecimal digits: the low 48
// bits of the time in milliseconds times 4096, plus a counter. The higher bits are taken from near, a time close to
// it. Files and exports have no other time for some parts.
func idTime(id []byte, near time.Time) time.Time {
	const prefix, digits = len("prt_"), 12
	if len(id) < prefix+digits || near.IsZero() {
		return time.Time{}
	}
	low, err := strconv.ParseInt(string(id[prefix:prefix+digits]), 16, 64)
	if err != nil || low < 0 {
		return time.Time{}
	}
	const period = 1 << 36 // milliseconds, about two years
	ms := near.UnixMilli()&^(period-1) | low>>12
	switch d := ms - near.UnixMilli(); {
	case d > period/2:
		ms -= period
	case d < -period/2:
		ms += period
	}
	return time.UnixMilli(ms).UTC()
}

func (cv *conversation) text(pt *part, m *message, from origin) {
	if from == originLog && pt.time.Kind == scan.KindObject && !pt.end.Exists() {
		return // still being written
	}
	text := cv.Strings.Text(pt.text)
	if lines.Blank(text) || !cv.first(pt) {
		return
	}
	cv.dated(pt)
	switch {
	case pt.ignored.True(): // shown to the user, not to the model
		cv.Notice(events.LevelInfo, events.NoticeInformational, text)
	case pt.synthetic.True():
		if from == originStream && pt.continued.True() { // the only trace of a compaction in the stream
			cv.Notice(events.LevelInfo, events.NoticeCompaction, "conversation compacted")
		}
		cv.prompt(text, true)
	case m.summary:
		cv.prompt(text, true)
	case m.role == roleUser, m.role == roleUnknown && pt.time.Kind != scan.KindObject: // a user's text has no time
		cv.prompt(text, false)
	default:
		cv.Emit(events.KindText).Text = text
	}
}

func (cv *conversation) prompt(text string, synthetic bool) {
	e := cv.Emit(events.KindPrompt)
	e.Text, e.Synthetic = text, synthetic
}

func (cv *conversation) reasoning(pt *part, from origin) {
	if from == originLog && !pt.end.Exists() {
		return
	}
	text := cv.Strings.Text(pt.text)
	if lines.Blank(text) || !cv.first(pt) { // encrypted
		return
	}
	cv.dated(pt)
	cv.Emit(events.KindReasoning).Text = text
}

// dated sets the time of a part's events to the part's own time.
func (cv *conversation) dated(pt *part) {
	cv.Head.Time = firstTime(millis(pt.end), millis(pt.start), cv.Head.Time)
}

// stepFinish emits the usage of a model call, once, and in stores the end of a turn. See stream for the end of a stream.
func (cv *conversation) stepFinish(pt *part, m *message, from origin) {
	if !cv.first(pt) {
		return
	}
	if m.tokens != tokensOfMessage {
		cv.Emit(events.KindUsage).Usage = pt.tokens.usage(pt.cost, m.inputHoldsCache)
	}
	if from == originStream {
		return
	}
	if m.tokens == tokensUnknown {
		m.tokens = tokensOfSteps
	}
	if endsTurn(pt.reason) && m.role != roleUser && !m.summary && m.end == turnOpen {
		m.end = turnDone
		reason := cv.Strings.Intern(pt.reason)
		end := endOf(reason)
		cv.Emit(events.KindTurnDone).End = &end
	}
	cv.messages.Set(cv.Keys.ID(domainMessage, pt.messageID.Body()), *m)
}

// endsTurn reports whether a step that finished for this reason is the last one. Up to 0.5 there is no reason.
func endsTurn(reason scan.Value) bool { return len(reason.Body()) > 0 && !reason.Is("tool-calls") }

// endOf returns the end of a turn whose last step finished for this reason. An unspecific reason does not show success.
func endOf(reason string) events.End {
	switch reason {
	case "stop", "length":
		return events.End{Code: reason}
	case "error":
		return events.End{Error: true, Code: reason, Cause: events.CauseOther}
	case "content-filter": // the program itself continues as after any other answer
		return events.End{Code: reason, Cause: events.CauseContentFilter}
	default:
		return events.End{Code: reason, Unjudged: true}
	}
}

func (cv *conversation) compaction(pt *part) {
	text := "conversation compacted"
	switch {
	case pt.overflow.True():
		text += " (overflow)"
	case pt.auto.True():
		text += " (auto)"
	}
	cv.Notice(events.LevelInfo, events.NoticeCompaction, text)
}

func (cv *conversation) retry(pt *part) {
	cv.Head.Time = firstTime(millis(pt.created), cv.Head.Time)
	cv.Notice(events.LevelWarn, events.NoticeAPIRetry, retryText(cv.failure(pt.failure).text, pt.attempt))
}
