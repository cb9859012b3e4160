package claude

import (
	"bytes"
	"strconv"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/sdkstream"
)

// call is what the parser remembers of a tool call, by its ID.
//
//	state        called  answered
//	open         yes     no        the same body again is a repetition, another body is a new call
//	done         yes     yes       the same body in the same message is a repetition, anything else is a new call
//	early        no      yes       the result came first (seen in sub-agent files of 2.1.30); the call may still come
type call struct {
	body, message    uint64
	name             string
	called, answered bool
}

// use records a call and reports whether it is new.
func (c *call) use(body, message uint64) bool {
	if c.called && c.body == body && (!c.answered || message != 0 && c.message == message) {
		return false
	}
	*c = call{body: body, message: message, called: true, answered: c.answered && !c.called}
	return true
}

// calls holds the tool calls of a stream and their results.
type calls struct {
	*line
	answers    *answers
	sidechains *sidechains
	byID       memory.Table[call]
}

func (cs *calls) toolUse(r *sdkstream.Envelope, b *sdkstream.Block) {
	name := cs.toolName(b.Name)
	if len(b.ID.Body()) > 0 {
		c := cs.byID.Ref(cs.idKey(domainCall, b.ID))
		message := uint64(0)
		if len(r.Message.ID.Body()) > 0 {
			message = cs.messageKey(r.Message.ID, cs.Head.Answer)
		}
		if !c.use(cs.callBody(b), message) {
			return
		}
		c.name = name
	}
	known, ok := tools[name]
	e := cs.Emit(events.KindToolUse)
	t := &e.Tool
	t.ID, t.Name, t.Input, t.ReadOnly = cs.Strings.Text(b.ID), name, b.Input.Raw, known.readOnly
	t.Server = cs.server(r, b, name)
	if ok {
		t.Target = cs.knownTarget(name, known.field, b.Args)
	} else {
		t.Target = lines.FirstText(&cs.Strings, b.Args, events.TargetKeys[:]...)
	}
	if name == "Agent" || name == "Task" {
		e.Tool.AgentType = cs.Strings.Intern(b.Args.Get("subagent_type"))
		cs.sidechains.expectSidechain(b.Args.Get("prompt"), e.Tool.ID)
	}
}

// server returns the MCP server of a tool. Since 2.1.3xx the line names it next to the call; otherwise it is the part
// of mcp__server__tool up to the second double underscore. A server's name may contain single underscores.
func (cs *calls) server(r *sdkstream.Envelope, b *sdkstream.Block, name string) string {
	if b.Server.Kind == scan.KindString {
		return cs.Strings.Intern(b.Server)
	}
	const prefix = "mcp__"
	if len(name) <= len(prefix) || name[:len(prefix)] != prefix {
		return ""
	}
	if meta := r.Rest.Get("tool_use_meta"); meta.Kind == scan.KindArray {
		if v := cs.metaOf(meta, b.ID).Get("server_display_name"); v.Kind == scan.KindString {
			return cs.Strings.Intern(v)
		}
	}
	for i := len(prefix); i+1 < len(name); i++ {
		if name[i] == '_' && name[i+1] == '_' {
			return name[len(prefix):i]
		}
	}
	return ""
}

// metaOf returns the element for a call in tool_use_meta or tool_result_meta.
func (cs *calls) metaOf(array, id scan.Value) scan.Members {
	for m := range scan.Objects(&cs.Inner, array, &cs.Nested) {
		if cs.idKey(domainCall, m.Get("id")) == cs.idKey(domainCall, id) {
			return m
		}
	}
	return nil
}

func (cs *calls) toolResult(r *sdkstream.Envelope, b *sdkstream.Block) {
	if r.Kind.Is("user") {
		cs.answers.turnsOf(r).results++
	}
	name := ""
	if len(b.ToolUseID.Body()) > 0 {
		c := cs.byID.Ref(cs.idKey(domainCall, b.ToolUseID))
		if c.answered {
			return
		}
		c.answered, name = true, c.name
	}
	e := cs.Emit(events.KindToolResult)
	t := &e.Tool
	t.ID, t.Name = cs.Strings.Text(b.ToolUseID), name
	starts := name == "Agent" || name == "Task"
	start := head(b)
	text := cs.resultText(b)
	text.Fill(t)
	t.Truncated = bytes.HasPrefix(start, persisted)
	var said []byte
	if b.IsError.True() || bytes.HasPrefix(start, errorOpen) {
		said = text.All()
	}
	if bytes.HasPrefix(said, errorOpen) {
		said = unwrap(said)
		t.Summary = cs.Output.Summary(said)
	}
	if b.IsError.True() {
		t.Error = true
		t.Err = string(said)
		t.ExitCode, t.HasExitCode = exitCode(said)
	}
	t.Denied = cs.denied(r, b)
	if t.Denied && text.Begins(stoppedByUser) && !bytes.Contains(text.All(), userSaid) {
		t.Denied, t.State = false, events.ToolStateStopped
	}
	if results(r) == 1 { // with several results it is unclear which one is meant
		cs.outcome(e, r.Details)
	}
	if t.AgentID == "" && starts {
		t.AgentID = string(agentInText(text.All()))
	}
	if r.Transcript && !t.Error && r.Rest.Get("toolEndsTurn").True() { // StructuredOutput of --json-schema (2.1.332): no answer follows
		e.Sign.Outcome = events.OutcomeOK
	}
}

// results returns the number of results of a line.
func results(r *sdkstream.Envelope) (n int) {
	for i := range r.Message.Blocks {
		if r.Message.Blocks[i].Kind.Is("tool_result") {
			n++
		}
	}
	return n
}

// agentMark precedes the ID of a sub-agent in the text of its result. For calls that a sub-agent itself made, the ID
// appears nowhere else (2.1.332).
var agentMark = []byte("agentId: ")

// agentInText returns the ID in the last line that begins with agentMark.
func agentInText(output []byte) []byte {
	at := bytes.LastIndex(output, agentMark)
	if at < 0 || at > 0 && output[at-1] != '\n' && output[at-1] != ' ' {
		return nil
	}
	id := output[at+len(agentMark):]
	end := 0
	for end < len(id) && (id[end] >= '0' && id[end] <= '9' || id[end] >= 'a' && id[end] <= 'z') {
		end++
	}
	return id[:end]
}

// outcome sets the fields that the structured form of a result contains.
func (cs *calls) outcome(e *events.DisplayEvent, o scan.Members) {
	t := &e.Tool
	if n := o.Get("numLines"); n.Kind == scan.KindNumber {
		t.Lines, t.HasLines = int(n.Int()), true
	}
	t.Truncated = t.Truncated || o.Get("truncated").True() || o.Get("truncatedByTokenCap").True() || o.Get("persistedOutputPath").Kind == scan.KindString
	t.Duration = o.Get("durationSeconds").Duration(time.Second)
	for _, key := range [...]string{"durationMs", "totalDurationMs"} { // the total takes precedence
		if v := o.Get(key); v.Kind == scan.KindNumber {
			t.Duration = scan.Millis(v)
		}
	}
	if o.Get("status").Is("async_launched") || len(o.Get("backgroundTaskId").Body()) > 0 {
		t.State = events.ToolStateBackground
	}
	if id := o.Get("agentId"); id.Kind == scan.KindString {
		t.AgentID = cs.Strings.Intern(id)
	} else if id := o.Get("resumedAgentId"); id.Kind == scan.KindString {
		// Of a SendMessage to an agent that had ended; a running agent receives it meanwhile.
		t.AgentID, t.State = cs.Strings.Intern(id), events.ToolStateBackground
	} else if id := o.Get("runId"); t.Name == "Workflow" && id.Kind == scan.KindString {
		t.AgentID = cs.Strings.Intern(id) // identifies all agents of the workflow; see [Group]
	}
}

// resultText returns the text of a result; the texts of an array are joined by newlines.
func (cs *calls) resultText(b *sdkstream.Block) lines.Text {
	if len(b.Texts) > 0 {
		return cs.Output.Joined(b.Texts...)
	}
	return cs.Output.Text(b.Content)
}

// head returns the beginning of the text of a result, still escaped.
func head(b *sdkstream.Block) []byte {
	if b.Content.Kind == scan.KindString || len(b.Texts) == 0 {
		return b.Content.Body()
	}
	return b.Texts[0].Body()
}

// persisted begins the text of a result that the program saved to a file.
var persisted = []byte("<persisted-output>")

// denied reports whether a call was never run.
func (cs *calls) denied(r *sdkstream.Envelope, b *sdkstream.Block) bool {
	if meta := r.Rest.Get("tool_result_meta"); meta.Kind == scan.KindArray {
		return bytes.Contains(meta.Raw, []byte("non_execution_kind")) && len(cs.metaOf(meta, b.ToolUseID).Get("non_execution_kind").Body()) > 0
	}
	return len(r.Rest.Get("toolDenialKind").Body()) > 0
}

// stoppedByUser begins the result of a call that the user stopped, either while it ran or when asked for permission. If the
// user added a comment, the agent continues, and the call was refused.
const stoppedByUser = "The user doesn't want to proceed with this tool use."

var userSaid = []byte("the user said")

// The wrapper around the text of calls that were never run, and of all errors in 2.0 and before.
var (
	errorOpen  = []byte("<tool_use_error>")
	errorClose = []byte("</tool_use_error>")
)

func unwrap(text []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimPrefix(text, errorOpen), errorClose)
}

// exitCode parses the only form of an exit code: the text of a failed command begins with "Exit code 3".
func exitCode(text []byte) (int, bool) {
	const prefix = "Exit code "
	if !bytes.HasPrefix(text, []byte(prefix)) {
		return 0, false
	}
	digits := text[len(prefix):]
	n := 0
	for n < len(digits) && digits[n] >= '0' && digits[n] <= '9' {
		n++
	}
	code, err := strconv.Atoi(string(digits[:n]))
	return code, err == nil
}
