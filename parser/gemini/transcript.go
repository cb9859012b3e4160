package gemini

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/cause"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// message is what is remembered of a transcript's message, by its id.
type message struct {
	said     int    // bytes of its text that came out
	saidHash uint64 // their hash
	thoughts int    // how many came out
	tokens   tokens // what earlier lines had of them
}

// conversation takes the header of a transcript, or a whole document.
func (p *Parser) conversation(r *record) {
	p.session, p.agent = p.Strings.Intern(r.sessionID), ""
	p.copying, p.modelled, p.last = false, false, lastMessage{}
	if r.sessionKind.Is("subagent") {
		p.agent = p.session // a sub-agent starts no session; the parent's id is only in the path
	} else if p.started != p.session { // a resumed session may have its header again
		p.started = p.session
		p.beginObject(r.started)
		p.Head.ItemID = p.session
		p.Emit(events.KindSessionStarted).Session = &events.Session{Recorded: true}
	}
	if r.messages.Kind != scan.KindArray {
		return
	}
	p.document.Reset(r.messages.Raw)
	for p.document.Array(); p.document.Element(); {
		if p.document.Peek() != scan.KindObject {
			p.document.Skip()
			continue
		}
		if p.within.read(&p.document) && p.within.id.Kind == scan.KindString {
			p.message(&p.within)
		}
	}
}

// message takes one message, which may have come before in another state.
func (p *Parser) message(r *record) events.LineStatus {
	p.beginObject(r.timestamp)
	p.Head.ItemID = p.itemID.Text(&p.Strings, r.id)
	switch kind := r.kind.Body(); string(kind) {
	case "gemini":
		return p.modelMessage(r)
	case "user":
		p.last = lastMessage{}
		return p.userMessage(r)
	case "info":
		p.uiNotice(r, events.LevelInfo)
	case "warning":
		p.uiNotice(r, events.LevelWarn)
	case "error":
		p.uiNotice(r, events.LevelError)
	default:
		return p.Unknown("message/", kind)
	}
	return events.LineOK
}

func (p *Parser) modelMessage(r *record) events.LineStatus {
	if r.content.parts && !r.tokens.present && r.model.Kind != scan.KindString && len(r.calls) == 0 {
		p.copying = true // history, recorded again with old tool output masked
		return events.LineIgnored
	}
	p.copying, p.modelled = false, true
	if p.continuesModel(r) { // calls alone: their model message is the one before
		p.Head.MessageID, p.Head.Model, p.Head.Time = p.last.id, p.last.model, p.last.at
		key := p.Keys.ID(domainMessage, r.id.Body())
		for i := range r.calls {
			p.recordedCall(key, i, &r.calls[i])
		}
		return events.LineOK
	}
	id := p.Head.ItemID
	before := len(p.Out)
	p.Head.MessageID, p.Head.Model = id, p.Strings.Intern(r.model)
	key := p.Keys.ID(domainMessage, r.id.Body())
	m := p.messages.Ref(key)
	for ; m.thoughts < len(r.thought); m.thoughts++ {
		p.reasoning(id, m.thoughts, &r.thought[m.thoughts])
	}
	p.wholeText(id, m, r)
	for i := range r.calls {
		p.recordedCall(key, i, &r.calls[i])
	}
	earlier := m.tokens
	if grown, more := m.tokens.max(r.tokens); more {
		e := p.Emit(events.KindUsage)
		e.Usage = grown.usage(events.UsageScopeCall)
		e.ItemID = later(id, int(earlier.input+earlier.output+earlier.thoughts))
	}
	p.last = lastMessage{id: id, model: p.Head.Model, at: p.Head.Time}
	if len(p.Out) > before && len(r.calls) == 0 && m.said > 0 && !m.holdsMore() {
		p.Out[len(p.Out)-1].Sign = events.Sign{Outcome: events.OutcomeOK}
	}
	return events.LineOK
}

// holdsMore reports whether the model wrote more than the text of a message: calls, which are recorded with the message when
// they are over. A token of text has two bytes at the very least, but for few.
func (m *message) holdsMore() bool { return m.tokens.output > int64(m.said/2+8) }

// lastMessage is the model's last message since the user's.
type lastMessage struct {
	id, model string
	at        time.Time
}

// continuesModel reports whether a message holds nothing but calls that the message before it made: so they are recorded
// where the user stopped them (0.61).
func (p *Parser) continuesModel(r *record) bool {
	return p.last.id != "" && len(r.calls) > 0 && !r.tokens.present && len(r.thought) == 0 && blank(p.contentText(&r.content))
}

// later gives the id of a part of a message that came after others.
func later(id string, n int) string {
	if n == 0 {
		return id
	}
	return id + "#" + strconv.Itoa(n)
}

func (p *Parser) reasoning(id string, i int, t *thought) {
	subject, description := p.Strings.Text(t.subject), p.Strings.Text(t.description)
	text := description
	if strings.TrimSpace(subject) != "" { // the heading of the thought
		text = subject
		if description != "" {
			text += "\n" + description
		}
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	e := p.Emit(events.KindReasoning)
	e.Text, e.ItemID = text, later(id, i)
	if at := timeOf(t.timestamp); !at.IsZero() {
		e.Time = at
	}
}

// wholeText gives the text of a message once. Should it grow, what was added comes out.
func (p *Parser) wholeText(id string, m *message, r *record) {
	if m.said == 0 { // made where it stays
		text := p.contentString(&r.content)
		if lines.Blank(text) {
			return
		}
		p.Emit(events.KindText).Text = text
		m.said, m.saidHash = len(text), p.Keys.String(domainText, text)
		return
	}
	text := p.contentText(&r.content)
	if blank(text) || len(text) <= m.said || p.Keys.Bytes(domainText, text[:m.said]) != m.saidHash || blank(text[m.said:]) {
		return
	}
	e := p.Emit(events.KindText)
	e.Text, e.ItemID = p.Strings.Copy(text[m.said:]), later(id, m.said)
	m.said, m.saidHash = len(text), p.Keys.Bytes(domainText, text)
}

// contentString gives the text of a content.
func (p *Parser) contentString(c *content) string {
	if len(c.texts) == 0 {
		return p.Strings.Text(c.plain)
	}
	if len(c.texts) == 1 { // then the content is an array
		return p.Strings.Text(c.texts[0])
	}
	return p.Strings.Copy(p.contentText(c))
}

// contentText gives the text of a content, all its parts as one, in memory that the next call uses again.
func (p *Parser) contentText(c *content) []byte {
	p.Scratch = scan.AppendString(p.Scratch[:0], c.plain.Body())
	for _, text := range c.texts {
		p.Scratch = scan.AppendString(p.Scratch, text.Body())
	}
	return p.Scratch
}

// sessionContext is how the CLI's own description of the workspace begins, which is the first message of each history.
var sessionContext = []byte("<session_context>")

func (p *Parser) userMessage(r *record) events.LineStatus {
	key := p.Keys.ID(domainMessage, r.id.Body())
	text := p.contentText(&r.content)
	if p.modelled && bytes.HasPrefix(text, sessionContext) {
		p.copying = true // history begins anew
	}
	if p.copying {
		return events.LineIgnored
	}
	if !p.messages.Add(key) {
		return events.LineOK
	}
	synthetic := r.content.responses || isEnvelope(text)
	if r.display.Exists() { // what was typed, before files and commands in it were expanded
		text = p.displayed(r.display)
	}
	if blank(text) { // results of calls
		return events.LineOK
	}
	e := p.Emit(events.KindPrompt)
	e.Text, e.Synthetic = p.Strings.Copy(text), synthetic
	return events.LineOK
}

// displayed gives the text of displayContent, which has the forms of content.
func (p *Parser) displayed(v scan.Value) []byte {
	if v.Kind == scan.KindString {
		p.Scratch = scan.AppendString(p.Scratch[:0], v.Body())
		return p.Scratch
	}
	p.Scratch = p.Scratch[:0]
	p.Inner.Reset(v.Raw)
	if v.Kind == scan.KindObject {
		text, _ := readPart(&p.Inner)
		p.Scratch = scan.AppendString(p.Scratch, text.Body())
		return p.Scratch
	}
	if v.Kind == scan.KindArray {
		for p.Inner.Array(); p.Inner.Element(); {
			text, _ := readPart(&p.Inner)
			p.Scratch = scan.AppendString(p.Scratch, text.Body())
		}
	}
	return p.Scratch
}

// envelopes are the beginnings of what the CLI sends in the user's name.
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

// requestCancelled is what the terminal shows when the user stopped a run.
const requestCancelled = "Request cancelled."

// uiNotice is a message of an interactive session to its user.
func (p *Parser) uiNotice(r *record, level events.Level) {
	key := p.Keys.ID(domainMessage, r.id.Body())
	if !p.messages.Add(key) {
		return
	}
	text := p.contentText(&r.content)
	if blank(text) {
		return
	}
	e := p.Notice(level, events.NoticeInformational, p.Strings.Copy(text))
	switch {
	case level == events.LevelError:
		e.Sign = events.Sign{Outcome: events.OutcomeError, Cause: cause.Of(0, e.Text)}
	case e.Text == requestCancelled:
		e.Sign.Outcome = events.OutcomeInterrupted
	}
}

// patch handles $set. Its messages are a copy of earlier ones; of them only a compaction is new.
func (p *Parser) patch(r *record) events.LineStatus {
	if r.set.sessionID.Kind == scan.KindString {
		if id := p.Strings.Intern(r.set.sessionID); p.agent == "" {
			p.session = id
		}
	}
	if r.set.messages.Kind != scan.KindArray {
		return events.LineIgnored
	}
	p.copying = false
	id, hash := p.findSnapshot(r.set.messages)
	if hash == 0 || hash == p.snapshot {
		return events.LineIgnored
	}
	p.snapshot = hash
	p.beginObject(r.set.updated)
	p.Head.ItemID = id
	p.Notice(events.LevelInfo, events.NoticeCompaction, "conversation compacted")
	return events.LineOK
}

// stateSnapshot is how the summary begins that replaces a compacted history.
var stateSnapshot = []byte("<state_snapshot>")

// maxSnapshotMessages is how far a summary may be from the beginning of a history.
const maxSnapshotMessages = 4

// findSnapshot looks for the summary of a compaction at the beginning of a history.
func (p *Parser) findSnapshot(messages scan.Value) (id string, hash uint64) {
	s := &p.Inner
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
					hash = p.Keys.Bytes(domainText, text.Body())
				}
			default:
				s.Skip()
			}
		}
		if hash != 0 {
			return p.Strings.Text(raw), hash
		}
	}
	return "", 0
}

// findText takes a content and gives the first of its texts with a beginning.
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

// rewind reports messages that were dropped from the history. What they contained has happened all the same.
func (p *Parser) rewind(*record) {
	p.beginObject(scan.Value{})
	p.Notice(events.LevelInfo, noticeRewind, "conversation rewound")
}
