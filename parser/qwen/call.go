package qwen

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/sdkstream"
)

// call is what the parser remembers of a tool call, by its ID. Servers restart their IDs in each run, so in a transcript
// of several runs one ID can identify several calls.
//
//	state  called  answered
//	open   yes     no        the same body again is a repetition, another body is a new call
//	done   yes     yes       the same ID again is a new call
//	early  no      yes       the result came first; the call may still come
type call struct {
	body             uint64
	name             string
	called, answered bool
}

// calls holds the tool calls of a stream or transcript and their results.
type calls struct {
	*line
	session *session
	reports *reports

	byID      memory.Table[call]
	durations memory.Table[outcome] // of calls whose result has not come yet
}

func (cs *calls) toolUse(r *sdkstream.Envelope, b *sdkstream.Block) {
	name := events.CleanLine(cs.Strings.Intern(b.Name), 0)
	if len(b.ID.Body()) > 0 {
		c := cs.byID.Ref(cs.Keys.ID(domainCall, b.ID.Body()))
		body := cs.Keys.With(cs.Keys.String(domainBody, name), b.Input.Raw)
		if c.called && !c.answered && c.body == body {
			return
		}
		*c = call{body: body, name: name, called: true, answered: c.answered && !c.called}
	}
	e := cs.Emit(events.KindToolUse)
	e.Tool = events.Tool{
		ID:       cs.Strings.Text(b.ID),
		Name:     name,
		Target:   cs.target(name, b.Args),
		Input:    b.Input.Raw,
		Server:   server(name),
		ReadOnly: tools[name].readOnly,
	}
	if name == "agent" || name == "task" {
		e.Tool.AgentType = cs.Strings.Intern(b.Args.Get("subagent_type"))
		if r.Transcript {
			cs.delegated(&e.Tool, cs.Strings.Text(r.Rest.Get("version")))
		}
	}
}

// server returns the MCP server of a tool named mcp__server__tool.
func server(name string) string {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok {
		return ""
	}
	server, _, ok := strings.Cut(rest, "__")
	if !ok {
		return ""
	}
	return server
}

// toolResults emits the results of a transcript's line; each call has its own line.
func (cs *calls) toolResults(r *sdkstream.Envelope) {
	cs.session.start(r)
	if cs.Head.AgentID != "" && cs.reports.telemetry.early == (events.Tokens{}) {
		cs.responses.end("")
	}
	for i := range r.Message.Blocks {
		if b := &r.Message.Blocks[i]; b.Response {
			cs.toolResult(r, b)
		}
	}
}

// toolResult emits a result, unless its call has one.
func (cs *calls) toolResult(r *sdkstream.Envelope, b *sdkstream.Block) {
	id := b.ToolUseID
	if b.Response {
		id = b.ID
	}
	var details scan.Members
	if r.Transcript {
		details = r.Details
		if len(id.Body()) == 0 {
			id = details.Get("callId")
		}
	}
	var c call
	if len(id.Body()) > 0 {
		known := cs.byID.Ref(cs.Keys.ID(domainCall, id.Body()))
		if known.answered {
			return
		}
		known.answered = true
		c = *known
	}
	e := cs.Emit(events.KindToolResult)
	t := &e.Tool
	t.ID, t.Name = cs.Strings.Text(id), c.name
	if t.Name == "" {
		t.Name = events.CleanLine(cs.Strings.Intern(b.Name), 0)
	}
	t.Error = b.IsError.True() || b.Failure.Exists() && b.Failure.Kind != scan.KindNull || r.Transcript && failed(details)
	all := cs.resultText(b)
	all.Fill(t)
	var text []byte
	if t.Error || r.Transcript && bytes.HasPrefix(head(b), commandHead) {
		text = all.All()
	}
	if r.Transcript {
		cs.outcome(t, details, c.body, text)
		if c.name == "agent" || c.name == "task" {
			cs.launched(t, r, b)
		}
	}
	if t.Error {
		t.Denied = t.Denied || r.Transcript && details.Get("errorType").Is("execution_denied") || bytes.Contains(text, deniedByRule)
		t.Err = string(text)
		if r.Transcript && details.Get("status").Is("cancelled") || bytes.HasPrefix(text, operationCancelled) {
			t.State = events.ToolStateStopped // 0.24: also after SIGTERM
		}
	}
}

// deniedByRule is in the result of a call that a rule forbids; a transcript also has it as a field (0.24.4).
var deniedByRule = []byte("invocation was denied by permission rules.")

// operationCancelled begins the result of a call that was stopped while it ran.
var operationCancelled = []byte("[Operation Cancelled]")

// failed reports whether the transcript marks a result as failed.
func failed(details scan.Members) bool {
	status := details.Get("status")
	return len(status.Body()) > 0 && !status.Is("success")
}

// outcome sets the fields of a result that the transcript has in addition to the text.
func (cs *calls) outcome(t *events.Tool, details scan.Members, body uint64, text []byte) {
	if code, ok := exitCode(text); ok {
		t.ExitCode, t.HasExitCode = code, true
		t.Error = t.Error || code != 0
	}
	switch display := details.Get("resultDisplay"); display.Kind {
	case scan.KindString: // what was shown, without the frame that the model receives
		shown := cs.Output.Text(display)
		if summary, _ := shown.Summary(); summary != "" {
			t.Summary = summary
		}
	case scan.KindObject:
		cs.Members(cs.Members(display).Get("executionSummary"))
		t.Duration = scan.Millis(cs.Nested.Get("totalDurationMs"))
	}
	if took := details.Get("durationMs"); took.Kind == scan.KindNumber { // in a sub-agent's own transcript
		t.Duration = scan.Millis(took)
	}
	if o, ok := cs.durations.Get(body); ok {
		t.Denied = o.denied
		if o.took > 0 {
			t.Duration = o.took
		}
		cs.durations.Set(body, outcome{})
	}
}

// resultText returns the text of a result; the texts of an array are joined by newlines.
func (cs *calls) resultText(b *sdkstream.Block) lines.Text {
	text := cs.Output.Text()
	for _, v := range [...]scan.Value{b.Content, b.Output, b.Failure} {
		if v.Kind >= scan.KindString { // or an object, or an array
			text.JSON(v)
		}
	}
	for i, v := range b.Texts {
		if i > 0 {
			text.Newline()
		}
		text.Add(v)
	}
	return text
}

// head returns the beginning of the text of a result, still escaped.
func head(b *sdkstream.Block) []byte {
	for _, v := range [...]scan.Value{b.Content, b.Output, b.Failure} {
		if len(v.Body()) > 0 {
			return v.Body()
		}
	}
	if len(b.Texts) > 0 {
		return b.Texts[0].Body()
	}
	return nil
}

// The frame around the output of a shell command, as the model receives it.
var (
	commandHead = []byte("Command: ")
	exitLine    = []byte("\nExit Code: ")
	signalLine  = []byte("\nSignal: ")
)

// exitCode reads the exit code in the frame of a shell command's output.
func exitCode(text []byte) (int, bool) {
	if !bytes.HasPrefix(text, commandHead) {
		return 0, false
	}
	at := bytes.LastIndex(text, signalLine)
	if at < 0 {
		return 0, false
	}
	from := bytes.LastIndex(text[:at], exitLine)
	if from < 0 {
		return 0, false
	}
	code, err := strconv.Atoi(string(text[from+len(exitLine) : at]))
	return code, err == nil
}
