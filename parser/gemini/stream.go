package gemini

import (
	"strconv"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/cause"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Codes of notices that only Gemini CLI emits.
const (
	noticeLoop          = "loop_detected"
	noticeMaxTurns      = "max_turns"
	noticeEmptyResponse = "empty_response"
	noticeRewind        = "rewind"
)

// maxLead is the maximum length of white space at the beginning of a text that is held back, in bytes.
const maxLead = 4 << 10

// run is the state of a stream-json stream.
type run struct {
	model     string // empty if it is "auto", which names no model
	messageID string // the current model message; empty between two
	messages  int    // model messages so far
	lead      []byte // white space at the beginning of a text, held back until more follows
	speaking  bool   // part of the current text was emitted
	lastError string // text of the last error line, for a result without one
	open      bool   // it lacks the result of what it began
	asked     int    // calls since the last result
	batched   bool   // the results that follow are those of several calls
}

// stream is what --output-format stream-json writes.
type stream struct {
	*line
	calls *calls
	run   run
}

// readLine reads one line of the stream.
func (st *stream) readLine(r *record) events.LineStatus {
	kind := r.kind.Body()
	if string(kind) != "message" || !r.role.Is("assistant") { // anything between two texts separates them
		st.run.lead, st.run.speaking = st.run.lead[:0], false
	}
	st.beginObject(r.timestamp)
	switch string(kind) {
	case "init":
		st.init(r)
	case "message":
		return st.streamMessage(r)
	case "tool_use":
		st.modelWorks(r)
		st.run.open = true
		st.streamUse(r)
	case "tool_result":
		st.run.messageID = ""
		st.streamResult(r)
	case "error":
		st.streamError(r)
	case "result":
		st.result(r)
	default:
		return st.Unknown("", kind)
	}
	return events.LineOK
}

func (st *stream) init(r *record) {
	st.session = st.Strings.Intern(r.session)
	st.run = run{open: true, messages: st.run.messages}
	model := st.Strings.Intern(r.model)
	if !strings.HasPrefix(model, "auto") { // with "auto" or "auto-gemini-3" a router chooses the model, which the stream does not name
		st.run.model = model
	}
	st.Head.SessionID = st.session
	e := st.Emit(events.KindSessionStarted)
	e.Model, e.Session = model, &events.Session{}
}

func (st *stream) streamMessage(r *record) events.LineStatus {
	switch role := r.role.Body(); string(role) {
	case "assistant":
		st.run.open = true
		st.modelWorks(r)
		st.say(r)
	case "user":
		st.run.messageID = ""
		if text := st.Strings.Text(r.content.plain); strings.TrimSpace(text) != "" {
			st.Emit(events.KindPrompt).Text = text
		}
	default:
		return st.Unknown("message/", role)
	}
	return events.LineOK
}

// modelWorks assigns an ID to the current model message, since the stream has none: the session, the time of its first
// line and its number in the stream. The time alone is not unique, since several runs may start together. Everything up to
// the next result of a call is one message.
func (st *stream) modelWorks(r *record) {
	s := &st.run
	if s.messageID == "" {
		s.messages++
		if at := st.Strings.Text(r.timestamp); at != "" {
			s.messageID = st.Head.SessionID + "@" + at + "#" + strconv.Itoa(s.messages)
		}
	}
	st.Head.MessageID, st.Head.Model = s.messageID, s.model
}

// say emits a piece of text. It holds back white space at the beginning: text that is blank throughout is omitted.
func (st *stream) say(r *record) {
	s := &st.run
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
		text, s.lead, s.speaking = st.Strings.Copy(s.lead), s.lead[:0], true
	} else {
		text = st.Strings.Unescape(body)
	}
	e := st.Emit(events.KindText)
	e.Text, e.Delta = text, r.delta.True()
	if !e.Delta {
		s.speaking = false
	}
}

func (st *stream) streamUse(r *record) {
	c := use{id: r.toolID, name: st.calls.toolName(r.toolName), args: r.parameters, members: r.args}
	if len(r.toolID.Body()) > 0 && !st.calls.isNew(st.calls.byID.Ref(st.Keys.ID(domainCall, r.toolID.Body())), &c) {
		return
	}
	st.run.asked++
	st.calls.toolUse(&c)
}

// streamResult emits a result. The results of several calls, which run in parallel, are written one after the other
// when the slowest has ended.
func (st *stream) streamResult(r *record) {
	if st.run.asked > 0 {
		st.run.batched, st.run.asked = st.run.asked > 1, 0
	}
	name := ""
	if len(r.toolID.Body()) > 0 {
		c := st.calls.byID.Ref(st.Keys.ID(domainCall, r.toolID.Body()))
		if c.answered {
			return
		}
		c.answered, name = true, c.name
	}
	output := r.output
	if r.failure.message.Kind == scan.KindString {
		output = r.failure.message // what the model received; the other is a short text for the terminal
	}
	var text lines.Text
	if output.Kind == scan.KindString {
		text = st.Output.Text(output)
	}
	t := &st.Emit(events.KindToolResult).Tool
	t.ID, t.Name, t.Batched = st.calls.callID.Text(&st.Strings, r.toolID), name, st.run.batched
	t.Error = r.status.Is("error") || r.failure.present && !r.status.Is("success")
	st.calls.describe(t, &text, false)
	t.Denied = t.Denied || r.failure.kind.Is("policy_violation")
	if name == "read_file" && text.Begins("Read lines ") {
		t.Truncated = true
	}
}

// streamError emits a warning or an error that does not end the run.
func (st *stream) streamError(r *record) {
	text := st.Strings.Text(r.message)
	if text == "" {
		text = st.Strings.Text(r.failure.message)
	}
	level := events.LevelError
	if r.severity.Is("warning") {
		level = events.LevelWarn
	} else {
		st.run.lastError = text
	}
	st.Notice(level, errorCode(text), text)
}

// errorCode returns a stable code for the text of an error line.
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
func (st *stream) result(r *record) {
	st.streamStats(r.stats)
	e := st.Emit(events.KindSessionEnded)
	end := &events.End{Error: r.status.Is("error"), Code: st.Strings.Intern(r.status)}
	if end.Error {
		end.Err = st.Strings.Text(r.failure.message)
		if end.Err == "" {
			end.Err = st.run.lastError // an error without a text follows an error line (empty responses)
		}
		if code := st.Strings.Intern(r.failure.kind); code != "" {
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
	end.Duration = scan.Millis(st.Members(r.stats).Get("duration_ms"))
	e.End = end
	st.run = run{model: st.run.model, messages: st.run.messages}
}
