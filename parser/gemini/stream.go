package gemini

import (
	"strconv"
	"strings"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/cause"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Codes of notices that only Gemini CLI gives.
const (
	noticeLoop          = "loop_detected"
	noticeMaxTurns      = "max_turns"
	noticeEmptyResponse = "empty_response"
	noticeRewind        = "rewind"
)

// maxLead is how much white space a text may begin with before it comes out all the same, in bytes.
const maxLead = 4 << 10

// stream is where a stream-json stream stands.
type stream struct {
	model     string // empty while it is "auto", which names none
	messageID string // of the model message at work; empty between two
	messages  int    // model messages so far
	lead      []byte // white space that a text began with; it comes out with what follows it
	speaking  bool   // the text at work has come out in part
	lastError string // of the last error line, for a result without one
	open      bool   // it lacks the result of what it began
	asked     int    // calls since the last result
	batched   bool   // the results at hand are those of several calls
}

// line takes one line of the stream.
func (p *Parser) line(r *record) events.LineStatus {
	kind := r.kind.Body()
	if string(kind) != "message" || !r.role.Is("assistant") { // whatever comes between two texts parts them
		p.stream.lead, p.stream.speaking = p.stream.lead[:0], false
	}
	p.beginObject(r.timestamp)
	switch string(kind) {
	case "init":
		p.init(r)
	case "message":
		return p.streamMessage(r)
	case "tool_use":
		p.modelWorks(r)
		p.stream.open = true
		p.streamUse(r)
	case "tool_result":
		p.stream.messageID = ""
		p.streamResult(r)
	case "error":
		p.streamError(r)
	case "result":
		p.result(r)
	default:
		return p.Unknown("", kind)
	}
	return events.LineOK
}

func (p *Parser) init(r *record) {
	p.session = p.Strings.Intern(r.session)
	p.stream = stream{open: true, messages: p.stream.messages}
	model := p.Strings.Intern(r.model)
	if !strings.HasPrefix(model, "auto") { // "auto", "auto-gemini-3": a router chooses, and the stream does not say what
		p.stream.model = model
	}
	p.Head.SessionID = p.session
	e := p.Emit(events.KindSessionStarted)
	e.Model, e.Session = model, &events.Session{}
}

func (p *Parser) streamMessage(r *record) events.LineStatus {
	switch role := r.role.Body(); string(role) {
	case "assistant":
		p.stream.open = true
		p.modelWorks(r)
		p.say(r)
	case "user":
		p.stream.messageID = ""
		if text := p.Strings.Text(r.content.plain); strings.TrimSpace(text) != "" {
			p.Emit(events.KindPrompt).Text = text
		}
	default:
		return p.Unknown("message/", role)
	}
	return events.LineOK
}

// modelWorks gives the model message at work an id, since the stream has none: the session, the time of its first line and
// its number in the stream. Runs that were started together have times in common, so the time alone would make one of two.
// All up to the next result of a call is one message.
func (p *Parser) modelWorks(r *record) {
	s := &p.stream
	if s.messageID == "" {
		s.messages++
		if at := p.Strings.Text(r.timestamp); at != "" {
			s.messageID = p.Head.SessionID + "@" + at + "#" + strconv.Itoa(s.messages)
		}
	}
	p.Head.MessageID, p.Head.Model = s.messageID, s.model
}

// say gives a piece of text. What begins with white space waits: a text that is blank to its end is none.
func (p *Parser) say(r *record) {
	s := &p.stream
	body := r.content.plain.Body()
	if len(body) == 0 {
		return
	}
	var text string
	if !s.speaking {
		s.lead = scan.AppendString(s.lead, body)
		if blank(s.lead) && len(s.lead) <= maxLead {
			return
		}
		text, s.lead, s.speaking = p.Strings.Copy(s.lead), s.lead[:0], true
	} else {
		text = p.Strings.Unescape(body)
	}
	e := p.Emit(events.KindText)
	e.Text, e.Delta = text, r.delta.True()
	if !e.Delta {
		s.speaking = false
	}
}

func (p *Parser) streamUse(r *record) {
	c := use{id: r.toolID, name: p.toolName(r.toolName), args: r.parameters, members: r.args}
	if len(r.toolID.Body()) > 0 && !p.isNew(p.calls.Ref(p.Keys.ID(domainCall, r.toolID.Body())), &c) {
		return
	}
	p.stream.asked++
	p.toolUse(&c)
}

// streamResult takes a result. Those of several calls, which run side by side, are written one after the other when the
// slowest has ended.
func (p *Parser) streamResult(r *record) {
	if p.stream.asked > 0 {
		p.stream.batched, p.stream.asked = p.stream.asked > 1, 0
	}
	name := ""
	if len(r.toolID.Body()) > 0 {
		c := p.calls.Ref(p.Keys.ID(domainCall, r.toolID.Body()))
		if c.answered {
			return
		}
		c.answered, name = true, c.name
	}
	output := r.output
	if r.failure.message.Kind == scan.KindString {
		output = r.failure.message // what the model saw; the other is a short text for the terminal
	}
	var text lines.Text
	if output.Kind == scan.KindString {
		text = p.Output.Text(output)
	}
	t := &p.Emit(events.KindToolResult).Tool
	t.ID, t.Name, t.Batched = p.callID.Text(&p.Strings, r.toolID), name, p.stream.batched
	t.Error = r.status.Is("error") || r.failure.present && !r.status.Is("success")
	p.describe(t, &text, false)
	t.Denied = t.Denied || r.failure.kind.Is("policy_violation")
	if name == "read_file" && text.Begins("Read lines ") {
		t.Truncated = true
	}
}

// streamError is a warning or an error that does not end the run.
func (p *Parser) streamError(r *record) {
	text := p.Strings.Text(r.message)
	if text == "" {
		text = p.Strings.Text(r.failure.message)
	}
	level := events.LevelError
	if r.severity.Is("warning") {
		level = events.LevelWarn
	} else {
		p.stream.lastError = text
	}
	p.Notice(level, errorCode(text), text)
}

// errorCode returns a stable code of the messages that the CLI has for its error lines.
func errorCode(text string) string {
	switch {
	case strings.HasPrefix(text, "Loop detected"):
		return noticeLoop
	case strings.HasPrefix(text, "Maximum session turns exceeded"):
		return noticeMaxTurns
	case strings.HasPrefix(text, "The model returned an empty response"):
		return noticeEmptyResponse
	case strings.HasPrefix(text, "Agent execution blocked"), strings.HasPrefix(text, "Agent execution stopped"):
		return events.NoticeHook
	default:
		return events.NoticeInformational
	}
}

// result ends a run.
func (p *Parser) result(r *record) {
	p.streamStats(r.stats)
	e := p.Emit(events.KindSessionEnded)
	end := &events.End{Error: r.status.Is("error"), Code: p.Strings.Intern(r.status)}
	if end.Error {
		end.Err = p.Strings.Text(r.failure.message)
		if end.Err == "" {
			end.Err = p.stream.lastError // an error without words follows an error line (empty responses)
		}
		if code := p.Strings.Intern(r.failure.kind); code != "" {
			end.Code = code
		}
		end.Interrupted = end.Code == "FatalCancellationError"
		if end.Err == "" {
			end.Err = end.Code
		}
		if !end.Interrupted {
			end.Cause = cause.Of(0, end.Err, end.Code)
		}
	}
	p.Inner.Reset(r.stats.Raw)
	if r.stats.Kind == scan.KindObject {
		for p.Inner.Object(); p.Inner.Key(); {
			if string(p.Inner.Name()) == "duration_ms" {
				end.Duration = millis(p.Inner.Value())
			} else {
				p.Inner.Skip()
			}
		}
	}
	e.End = end
	p.stream = stream{model: p.stream.model, messages: p.stream.messages}
}

// millis reads a number of milliseconds; negative ones, which clocks that were set back can make, are 0.
func millis(v scan.Value) time.Duration { return v.Duration(time.Millisecond) }
