package gemini

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/cause"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// message is what the parser remembers of a transcript's message, by its ID.
type message struct {
	said     int    // bytes of its text that were emitted
	saidHash uint64 // their hash
	thoughts int    // number of thoughts that were emitted
	tokens   tokens // counts that were emitted
}

// transcript is the file that the program writes for a session: lines or one document.
type transcript struct {
	*line
	calls    *calls
	document scan.Scanner // over the messages of a document
	within   record       // of a message in a document

	messages memory.Table[message]
	itemID   lines.Again // a message has a line for each of its states
	snapshot uint64      // hash of the last compaction's summary
	copying  bool        // the current lines repeat history
	modelled bool        // the model has said something since the header
	last     lastMessage
}

// conversation reads the header of a transcript, or a whole document.
func (tr *transcript) conversation(r *record) {
	tr.session, tr.agent = tr.Strings.Intern(r.sessionID), ""
	tr.copying, tr.modelled, tr.last = false, false, lastMessage{}
	if r.sessionKind.Is("subagent") {
		tr.agent = tr.session // a sub-agent starts no session; only the path has the parent's ID
	} else if tr.started != tr.session { // a resumed session may repeat its header
		tr.started = tr.session
		tr.beginObject(r.started)
		tr.Head.ItemID = tr.session
		tr.Emit(events.KindSessionStarted).Session = &events.Session{Recorded: true}
	}
	if r.messages.Kind == scan.KindArray && tr.within.fields == nil {
		tr.within.bind()
	}
	for range scan.Elements(&tr.document, r.messages) {
		if tr.document.Peek() != scan.KindObject {
			tr.document.Skip()
			continue
		}
		if tr.within.read(&tr.document) && tr.within.id.Kind == scan.KindString {
			tr.message(&tr.within)
		}
	}
}

// message reads one message, which may be a new state of an earlier one.
func (tr *transcript) message(r *record) events.LineStatus {
	tr.beginObject(r.timestamp)
	tr.Head.ItemID = tr.itemID.Text(&tr.Strings, r.id)
	switch kind := r.kind.Body(); string(kind) {
	case "gemini":
		return tr.modelMessage(r)
	case "user":
		tr.last = lastMessage{}
		return tr.userMessage(r)
	case "info":
		tr.uiNotice(r, events.LevelInfo)
	case "warning":
		tr.uiNotice(r, events.LevelWarn)
	case "error":
		tr.uiNotice(r, events.LevelError)
	default:
		return tr.Unknown("message/", kind)
	}
	return events.LineOK
}

func (tr *transcript) modelMessage(r *record) events.LineStatus {
	if r.content.parts && !r.tokens.present && r.model.Kind != scan.KindString && len(r.calls) == 0 {
		tr.copying = true // history, recorded again with old tool output masked
		return events.LineIgnored
	}
	tr.copying, tr.modelled = false, true
	if tr.continuesModel(r) { // only calls: the previous message made them
		tr.Head.MessageID, tr.Head.Model, tr.Head.Time = tr.last.id, tr.last.model, tr.last.at
		key := tr.Keys.ID(domainMessage, r.id.Body())
		for i := range r.calls {
			tr.calls.recordedCall(key, i, &r.calls[i])
		}
		return events.LineOK
	}
	id := tr.Head.ItemID
	before := len(tr.Out)
	tr.Head.MessageID, tr.Head.Model = id, tr.Strings.Intern(r.model)
	key := tr.Keys.ID(domainMessage, r.id.Body())
	m := tr.messages.Ref(key)
	for ; m.thoughts < len(r.thought); m.thoughts++ {
		tr.reasoning(id, m.thoughts, &r.thought[m.thoughts])
	}
	tr.wholeText(id, m, r)
	for i := range r.calls {
		tr.calls.recordedCall(key, i, &r.calls[i])
	}
	earlier := m.tokens
	if grown, more := m.tokens.max(r.tokens); more {
		e := tr.Emit(events.KindUsage)
		e.Usage = grown.usage(events.UsageScopeCall)
		e.ItemID = later(id, int(earlier.input+earlier.output+earlier.thoughts))
	}
	tr.last = lastMessage{id: id, model: tr.Head.Model, at: tr.Head.Time}
	if len(tr.Out) > before && len(r.calls) == 0 && m.said > 0 && !m.holdsMore() {
		tr.Out[len(tr.Out)-1].Sign = events.Sign{Outcome: events.OutcomeOK}
	}
	return events.LineOK
}

// holdsMore reports whether the model wrote more than the text of a message: calls, which are recorded with the message
// after they end. With few exceptions a token of text has at least two bytes.
func (m *message) holdsMore() bool { return m.tokens.output > int64(m.said/2+8) }

// lastMessage is the model's last message since the user's last one.
type lastMessage struct {
	id, model string
	at        time.Time
}

// continuesModel reports whether a message holds only calls, made by the previous message. They are recorded that way if
// the user stopped them (0.61).
func (tr *transcript) continuesModel(r *record) bool {
	return tr.last.id != "" && len(r.calls) > 0 && !r.tokens.present && len(r.thought) == 0 && blank(tr.contentText(&r.content))
}

// later returns the ID of a later part of a message.
func later(id string, n int) string {
	if n == 0 {
		return id
	}
	return id + "#" + strconv.Itoa(n)
}

func (tr *transcript) reasoning(id string, i int, t *thought) {
	subject, description := tr.Strings.Text(t.subject), tr.Strings.Text(t.description)
	text := description
	if strings.TrimSpace(subject) != "" { // heading of the thought
		text = subject
		if description != "" {
			text += "\n" + description
		}
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	e := tr.Emit(events.KindReasoning)
	e.Text, e.ItemID = text, later(id, i)
	if at := timeOf(t.timestamp); !at.IsZero() {
		e.Time = at
	}
}

// wholeText emits the text of a message once. If the text grows, it emits the added part.
func (tr *transcript) wholeText(id string, m *message, r *record) {
	if m.said == 0 { // allocated once, as the text of the event
		text := tr.contentString(&r.content)
		if lines.Blank(text) {
			return
		}
		tr.Emit(events.KindText).Text = text
		m.said, m.saidHash = len(text), tr.Keys.String(domainText, text)
		return
	}
	text := tr.contentText(&r.content)
	if blank(text) || len(text) <= m.said || tr.Keys.Bytes(domainText, text[:m.said]) != m.saidHash || blank(text[m.said:]) {
		return
	}
	e := tr.Emit(events.KindText)
	e.Text, e.ItemID = tr.Strings.Copy(text[m.said:]), later(id, m.said)
	m.said, m.saidHash = len(text), tr.Keys.Bytes(domainText, text)
}

// contentString returns the text of a content.
func (tr *transcript) contentString(c *content) string {
	if len(c.texts) == 0 {
		return tr.Strings.Text(c.plain)
	}
	if len(c.texts) == 1 { // c.plain is unset, the content is an array
		return tr.Strings.Text(c.texts[0])
	}
	return tr.Strings.Copy(tr.contentText(c))
}

// contentText returns the text of a content, with its parts joined, in memory that the next call reuses.
func (tr *transcript) contentText(c *content) []byte {
	tr.Scratch = scan.AppendString(tr.Scratch[:0], c.plain.Body())
	for _, text := range c.texts {
		tr.Scratch = scan.AppendString(tr.Scratch, text.Body())
	}
	return tr.Scratch
}

// sessionContext begins the CLI's description of the workspace, the first message of each history.
var sessionContext = []byte("<session_context>")

func (tr *transcript) userMessage(r *record) events.LineStatus {
	key := tr.Keys.ID(domainMessage, r.id.Body())
	text := tr.contentText(&r.content)
	if tr.modelled && bytes.HasPrefix(text, sessionContext) {
		tr.copying = true // history begins anew
	}
	if tr.copying {
		return events.LineIgnored
	}
	if !tr.messages.Add(key) {
		return events.LineOK
	}
	synthetic := r.content.responses || isEnvelope(text)
	if r.display.Exists() { // the text as typed, before files and commands in it were expanded
		text = tr.displayed(r.display)
	}
	if blank(text) { // results of calls
		return events.LineOK
	}
	e := tr.Emit(events.KindPrompt)
	e.Text, e.Synthetic = tr.Strings.Copy(text), synthetic
	return events.LineOK
}

// displayed returns the text of displayContent, which has the forms of content.
func (tr *transcript) displayed(v scan.Value) []byte {
	if v.Kind == scan.KindString {
		tr.Scratch = scan.AppendString(tr.Scratch[:0], v.Body())
		return tr.Scratch
	}
	tr.Scratch = tr.Scratch[:0]
	tr.Inner.Reset(v.Raw)
	if v.Kind == scan.KindObject {
		text, _ := readPart(&tr.Inner)
		tr.Scratch = scan.AppendString(tr.Scratch, text.Body())
		return tr.Scratch
	}
	for range scan.Elements(&tr.Inner, v) {
		text, _ := readPart(&tr.Inner)
		tr.Scratch = scan.AppendString(tr.Scratch, text.Body())
	}
	return tr.Scratch
}

// envelopes are the beginnings of texts that the CLI sends in the user's name.
var envelopes = [...][]byte{
	sessionContext, stateSnapshot, []byte("<hook_context>"), []byte("System: Potential loop detected"),
}

func isEnvelope(text []byte) bool {
	for _, begin := range envelopes {
		if bytes.HasPrefix(text, begin) {
			return true
		}
	}
	return false
}

// requestCancelled is shown in the terminal when the user stopped a run.
const requestCancelled = "Request cancelled."

// uiNotice emits a message that an interactive session showed to its user.
func (tr *transcript) uiNotice(r *record, level events.Level) {
	key := tr.Keys.ID(domainMessage, r.id.Body())
	if !tr.messages.Add(key) {
		return
	}
	text := tr.contentText(&r.content)
	if blank(text) {
		return
	}
	e := tr.Notice(level, events.NoticeInformational, tr.Strings.Copy(text))
	switch {
	case level == events.LevelError:
		e.Sign = events.Sign{Outcome: events.OutcomeError, Cause: cause.Of(0, e.Text)}
	case e.Text == requestCancelled:
		e.Sign.Outcome = events.OutcomeInterrupted
	}
}

// patch handles $set. Its messages copy earlier ones; only a compaction is new.
func (tr *transcript) patch(r *record) events.LineStatus {
	if r.set.sessionID.Kind == scan.KindString {
		if id := tr.Strings.Intern(r.set.sessionID); tr.agent == "" {
			tr.session = id
		}
	}
	if r.set.messages.Kind != scan.KindArray {
		return events.LineIgnored
	}
	tr.copying = false
	id, hash := tr.findSnapshot(r.set.messages)
	if hash == 0 || hash == tr.snapshot {
		return events.LineIgnored
	}
	tr.snapshot = hash
	tr.beginObject(r.set.updated)
	tr.Head.ItemID = id
	tr.Notice(events.LevelInfo, events.NoticeCompaction, "conversation compacted")
	return events.LineOK
}

// stateSnapshot begins the summary that replaces a compacted history.
var stateSnapshot = []byte("<state_snapshot>")

// maxSnapshotMessages is the number of messages at the beginning of a history among which a summary is searched.
const maxSnapshotMessages = 4

// findSnapshot searches for the summary of a compaction at the beginning of a history.
func (tr *transcript) findSnapshot(messages scan.Value) (id string, hash uint64) {
	s := &tr.Inner
	s.Reset(messages.Raw)
	s.Array()
	for range maxSnapshotMessages {
		if !s.Element() {
			break
		}
		if s.Peek() != scan.KindObject {
			s.Skip()
			continue
		}
		raw := scan.Value{}
		for s.Object(); s.Key(); {
			switch string(s.Name()) {
			case "id":
				raw = s.Value()
			case "content":
				if text := findText(s, stateSnapshot); text.Kind == scan.KindString {
					hash = tr.Keys.Bytes(domainText, text.Body())
				}
			default:
				s.Skip()
			}
		}
		if hash != 0 {
			return tr.Strings.Text(raw), hash
		}
	}
	return "", 0
}

// findText reads a content and returns the first of its texts that starts with begin.
func findText(s *scan.Scanner, begin []byte) (found scan.Value) {
	if s.Peek() != scan.KindArray {
		if v := s.Value(); bytes.HasPrefix(v.Body(), begin) {
			found = v
		}
		return found
	}
	for s.Array(); s.Element(); {
		if text, _ := readPart(s); !found.Exists() && bytes.HasPrefix(text.Body(), begin) {
			found = text
		}
	}
	return found
}

// rewind reports messages that were dropped from the history. Their content happened nevertheless.
func (tr *transcript) rewind(*record) {
	tr.beginObject(scan.Value{})
	tr.Notice(events.LevelInfo, noticeRewind, "conversation rewound")
}
