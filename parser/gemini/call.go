package gemini

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// The domains of hashes, so that the ID of a call never collides with that of a message.
const (
	domainCall byte = iota
	domainBody
	domainMessage
	domainText
)

// mix combines two keys into one; their order matters.
func mix(a, b uint64) uint64 { return (a^a>>32)*0xd6e8feb86659fd93 ^ b }

// call is what the parser remembers of a tool call, by its ID.
//
//	state        called  answered
//	open         yes     no        the same body again is a repetition, another body is a new call
//	done         yes     yes       the same ID again is a new call
//	early        no      yes       the result came first; the call may still come
type call struct {
	body             uint64
	name             string
	called, answered bool
}

// entry is what the parser remembers of an entry of a message's toolCalls, by the IDs of both. A message is rewritten
// with the current state of its calls: the same entry is never a new call, whatever its state and arguments.
type entry struct{ called, answered bool }

// use is the content of a line about a call.
type use struct {
	id        scan.Value
	name      string
	args      scan.Value
	members   scan.Members
	title     scan.Value // displayName
	agentName scan.Value // the sub-agent that it started
}

// use records a call and reports whether it is new.
func (c *call) use(body uint64, name string) bool {
	if c.called && c.body == body && !c.answered {
		return false
	}
	*c = call{body: body, name: name, called: true, answered: c.answered && !c.called}
	return true
}

// calls holds the tool calls of a stream or transcript and their results.
type calls struct {
	*line
	byID    memory.Table[call]
	callID  lines.Again
	entries memory.Table[entry]
}

// isNew reports whether a line has a new call.
func (cs *calls) isNew(c *call, u *use) bool {
	return c.use(cs.Keys.With(cs.Keys.String(domainBody, u.name), u.args.Raw), u.name)
}

func (cs *calls) toolUse(u *use) {
	known := tools[u.name]
	e := cs.Emit(events.KindToolUse)
	e.ItemID = "" // the call's own ID identifies it, in stream and transcript alike
	t := &e.Tool
	t.ID, t.Name, t.Input, t.ReadOnly = cs.callID.Text(&cs.Strings, u.id), u.name, u.args.Raw, known.readOnly
	t.Target, t.Server = cs.target(u.name, known.fields, u.members), cs.server(u)
	switch {
	case u.name == agentTool:
		t.AgentType = cs.Strings.Intern(u.members.Get("agent_name"))
	case known.agent:
		t.AgentType = u.name
	default:
		t.AgentType = cs.Strings.Intern(u.agentName)
	}
}

// toolName returns the name as written, without control sequences.
func (cs *calls) toolName(v scan.Value) string { return events.CleanLine(cs.Strings.Intern(v), 0) }

// server returns the MCP server of a tool. The transcript has it in the tool's title, "forecast (weather MCP Server)".
// Otherwise it is between the first two underscores of mcp_server_tool, as the CLI itself parses such names.
func (cs *calls) server(u *use) string {
	const prefix, suffix = "mcp_", " MCP Server)"
	rest, ok := strings.CutPrefix(u.name, prefix)
	if title, fits := strings.CutSuffix(cs.Strings.Intern(u.title), suffix); fits {
		if i := strings.LastIndex(title, " ("); i >= 0 {
			return title[i+2:]
		}
	}
	if !ok {
		return ""
	}
	if server, tool, fits := strings.Cut(rest, "_"); fits && tool != "" {
		return server
	}
	return ""
}

// recordedCall emits the entry at index i of the toolCalls of a message; message is the key of the message.
func (cs *calls) recordedCall(message uint64, i int, c *toolCall) {
	key := cs.Keys.ID(domainCall, c.id.Body())
	if len(c.id.Body()) == 0 {
		key = mix(message, uint64(i)) // a call without an ID is identified by its index
	}
	known := cs.entries.Ref(mix(message, key))
	if known.called && (known.answered || !c.final()) {
		return // it has nothing new
	}
	of := cs.byID.Ref(key)
	if !known.called {
		known.called = true
		u := use{id: c.id, name: cs.toolName(c.name), args: c.args, members: c.members, title: c.title, agentName: c.agentName}
		if cs.isNew(of, &u) {
			cs.toolUse(&u)
		}
	}
	if c.final() {
		known.answered = true
		if !of.answered {
			of.answered = true
			cs.recordedResult(c, of.name)
		}
	}
}

// final reports whether the status of a call is final. An unknown status is final if there is a result.
func (c *toolCall) final() bool {
	switch string(c.status.Body()) {
	case "success", "error", "cancelled":
		return true
	case "validating", "scheduled", "executing", "awaiting_approval":
		return false
	default:
		return c.answered
	}
}

// recordedResult emits the result that is stored with its call.
func (cs *calls) recordedResult(c *toolCall, name string) {
	texts := c.texts
	if len(texts) == 0 && c.display.Kind == scan.KindString {
		texts = []scan.Value{c.display}
	}
	text := cs.Output.Joined(texts...)
	e := cs.Emit(events.KindToolResult)
	e.ItemID, e.MessageID, e.Model = "", "", "" // a result is not part of the model's message
	if c.agentID.Kind == scan.KindString {
		e.Tool.AgentID = cs.Strings.Intern(c.agentID)
	}
	if at := timeOf(c.timestamp); !at.IsZero() {
		e.Time = at
	}
	t := &e.Tool
	t.ID, t.Name = cs.callID.Text(&cs.Strings, c.id), name
	switch string(c.status.Body()) {
	case "success":
		if name == lastTool {
			e.Sign = events.Sign{Outcome: events.OutcomeOK}
		}
	case "cancelled":
		t.Error, t.State = true, events.ToolStateStopped
	case "error":
		t.Error = true
	default:
		t.Error = c.failed
	}
	if name != shellTool {
		cs.describe(t, &text, false)
		return
	}
	end := cs.shellEnd(&text, texts)
	t.ExitCode, t.HasExitCode = end.exitCode, end.hasExitCode
	t.Error = t.Error || end.exitCode != 0 || end.signal != 0
	cs.describe(t, &text, true)
	if t.Error && (t.Err == "" || t.Err == "(empty)") {
		t.Err = end.String()
	}
}

// String describes how a command ended, for a command without output.
func (e shellEnd) String() string {
	if e.signal != 0 {
		return "Signal: " + strconv.Itoa(e.signal)
	}
	return "Exit Code: " + strconv.Itoa(e.exitCode)
}

// Beginnings of the CLI's own messages in place of a tool's output.
const (
	backgrounded = "Command moved to background"
	tooLarge     = "Output too large. Showing first "
	fileCut      = "\nIMPORTANT: The file content has been truncated."
)

// describe sets the fields that depend on the text of a result, without the lines that the CLI adds around it. It removes these from
// the whole text only if that can make a difference: if the call failed, or if the first line may be one that the CLI added at the end.
func (cs *calls) describe(t *events.Tool, text *lines.Text, isShell bool) {
	inner := *text
	before, known := lead(&inner, isShell)
	inner.Skip(before)
	summary, cut := inner.Summary()
	var said []byte
	whole := t.Error || !known || summary == "" || isTail(summary)
	if whole {
		if said = unwrap(text.All()); isShell {
			said, _ = shell(text.All())
		}
		summary = cs.Output.Summary(said)
		cut = strings.HasSuffix(summary, "…")
	}
	begins := func(word string) bool {
		if whole {
			return bytes.HasPrefix(said, []byte(word))
		}
		return inner.Begins(word)
	}
	t.Summary = summary
	text.FillCut(t, cut)
	t.Truncated = begins(tooLarge) || begins(fileCut)
	if !t.Error && t.Name == shellTool && begins(backgrounded) {
		t.State = events.ToolStateBackground
	}
	if t.Error {
		t.Err = string(bytes.TrimSpace(said))
		t.Denied = denied(said)
	}
}

// denied reports whether the text shows that a policy, a hook or the user refused the call.
func denied(said []byte) bool {
	rest, ok := bytes.CutPrefix(said, []byte("Tool execution "))
	switch {
	case !ok:
		return bytes.HasPrefix(said, []byte("[Operation Cancelled] Reason: User denied"))
	case bytes.HasPrefix(rest, []byte("denied by policy")), bytes.HasPrefix(rest, []byte("blocked:")):
		return true
	default: // Tool execution for "FindFiles" requires user confirmation, which is not supported in non-interactive mode.
		return bytes.HasPrefix(rest, []byte(`for "`)) &&
			(bytes.Contains(rest, []byte(`" requires user confirmation`)) || bytes.Contains(rest, []byte(`" denied by policy`)))
	}
}
