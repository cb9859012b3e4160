package gemini

import (
	"bytes"
	"hash/maphash"
	"strconv"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// The domains of hashes, so that a call's id never meets a message's.
const (
	domainCall byte = iota
	domainBody
	domainMessage
	domainText
)

// domainStep is how far the domains lie apart.
const domainStep = 0x9e3779b97f4a7c15

// hash makes a key of a byte string. Keys of different domains don't meet. 64 bits make a chance meeting among the
// entries of a memory less likely than one in 10^9.
func (p *Parser) hash(domain byte, b []byte) uint64 {
	return maphash.Bytes(p.seed, b) + uint64(domain)*domainStep
}

// idHash makes a key of an id, however it is spelled.
func (p *Parser) idHash(domain byte, id scan.Value) uint64 {
	return scan.Hash(p.seed, id.Body()) + uint64(domain)*domainStep
}

// mix makes one key of two, whose order counts.
func mix(a, b uint64) uint64 { return (a^a>>32)*0xd6e8feb86659fd93 ^ b }

// call is what is remembered of a tool call, by its id.
//
//	state        called  answered
//	open         yes     no        a repeat with the same body is dropped, one with another body is a new call
//	done         yes     yes       a repeat is a new call
//	early        no      yes       the result came first; the call may still come
type call struct {
	body             uint64
	name             string
	called, answered bool
}

// entry is what is remembered of an entry of a message's toolCalls, by the ids of both. A message is written again with
// its calls as they stand then: the same entry is never a new call, whatever its state and arguments.
type entry struct{ answered bool }

// use is a call as a line tells it.
type use struct {
	id        scan.Value
	name      string
	args      scan.Value
	members   members
	title     scan.Value // displayName
	agentName scan.Value // of the sub-agent that it started
}

// called takes note of a call and reports whether it is one of its own.
func (p *Parser) called(key uint64, u *use) bool {
	c, _ := p.calls.Get(key)
	body := mix(maphash.String(p.seed, u.name), p.hash(domainBody, u.args.Raw))
	if c.called && c.body == body && !c.answered {
		return false
	}
	p.calls.Set(key, call{body: body, name: u.name, called: true, answered: c.answered && !c.called})
	return true
}

// answered takes note of a result. It gives the call's name and whether this is its first result.
func (p *Parser) answered(key uint64) (name string, first bool) {
	c, _ := p.calls.Get(key)
	if c.answered {
		return "", false
	}
	c.answered = true
	p.calls.Set(key, c)
	return c.name, true
}

func (p *Parser) toolUse(u *use) {
	t := tools[u.name]
	e := p.emit(events.KindToolUse)
	e.ItemID = "" // the call's own id names it, in stream and transcript alike
	e.Tool = events.Tool{
		ID:       p.strings.Text(u.id),
		Name:     u.name,
		Target:   p.target(u.name, u.members),
		Input:    u.args.Raw,
		Server:   p.server(u),
		ReadOnly: t.readOnly,
	}
	switch {
	case u.name == agentTool:
		e.Tool.AgentType = p.strings.Intern(u.members.get("agent_name"))
	case t.agent:
		e.Tool.AgentType = u.name
	default:
		e.Tool.AgentType = p.strings.Intern(u.agentName)
	}
}

// toolName is the name as spelled, without control sequences.
func (p *Parser) toolName(v scan.Value) string { return events.CleanLine(p.strings.Intern(v), 0) }

// server finds the MCP server of a tool. The transcript tells it in the tool's title, "forecast (weather MCP Server)";
// else it is what stands between the first two underscores of mcp_server_tool, as the CLI itself reads such names.
func (p *Parser) server(u *use) string {
	const prefix, suffix = "mcp_", " MCP Server)"
	rest, ok := strings.CutPrefix(u.name, prefix)
	if title, fits := strings.CutSuffix(p.strings.Intern(u.title), suffix); fits {
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

// recordedCall gives the entry at index i of a message's toolCalls.
func (p *Parser) recordedCall(r *record, i int, c *toolCall) {
	message := p.idHash(domainMessage, r.id)
	key := p.idHash(domainCall, c.id)
	if len(c.id.Body()) == 0 {
		key = mix(message, uint64(i)) // a call without an id is known by its place
	}
	entryKey := mix(message, key)
	e, known := p.entries.Get(entryKey)
	if !known {
		u := use{id: c.id, name: p.toolName(c.name), args: c.args, members: c.members, title: c.title, agentName: c.agentName}
		if p.called(key, &u) {
			p.toolUse(&u)
		}
	}
	if c.final() && !e.answered {
		e.answered = true
		if name, first := p.answered(key); first {
			p.recordedResult(c, name)
		}
	}
	p.entries.Set(entryKey, e)
}

// final reports whether a call's status is one that it ends with. A status that is not known counts if there is a result.
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

// recordedResult gives the result that stands beside its call.
func (p *Parser) recordedResult(c *toolCall, name string) {
	var text []byte
	if len(c.texts) > 0 {
		text = p.resultText(c.texts...)
	} else if c.display.Kind == scan.KindString {
		text = p.resultText(c.display)
	}
	e := p.emit(events.KindToolResult)
	e.ItemID, e.MessageID, e.Model = "", "", "" // a result is no part of the model's message
	if c.agentID.Kind == scan.KindString {
		e.Tool.AgentID = p.strings.Intern(c.agentID)
	}
	if at := timeOf(c.timestamp); !at.IsZero() {
		e.Time = at
	}
	t := &e.Tool
	t.ID, t.Name = p.strings.Text(c.id), name
	switch string(c.status.Body()) {
	case "success":
	case "cancelled":
		t.Error, t.State = true, events.ToolStateStopped
	case "error":
		t.Error = true
	default:
		t.Error = c.failed
	}
	if name != shellTool {
		p.describe(t, text, unwrap(text))
		return
	}
	said, end := shell(text)
	t.ExitCode, t.HasExitCode = end.exitCode, end.hasExitCode
	t.Error = t.Error || end.exitCode != 0 || end.signal != 0
	p.describe(t, text, said)
	if t.Error && (t.Err == "" || t.Err == "(empty)") {
		t.Err = end.String()
	}
}

// String tells how a command ended, for one that said nothing.
func (e shellEnd) String() string {
	if e.signal != 0 {
		return "Signal: " + strconv.Itoa(e.signal)
	}
	return "Exit Code: " + strconv.Itoa(e.exitCode)
}

// Beginnings of what the CLI says in a tool's place.
var (
	backgrounded = []byte("Command moved to background")
	tooLarge     = []byte("Output too large. Showing first ")
	fileCut      = []byte("\nIMPORTANT: The file content has been truncated.")
)

// describe fills in what the text of a result tells. said is the text without what the CLI wrote around it.
func (p *Parser) describe(t *events.Tool, text, said []byte) {
	t.Output, t.Size = text, len(text)
	t.Summary = p.summary(said)
	t.Truncated = bytes.HasPrefix(said, tooLarge) || bytes.HasPrefix(said, fileCut)
	if bytes.HasPrefix(said, backgrounded) && !t.Error && t.Name == shellTool {
		t.State = events.ToolStateBackground
	}
	if t.Error {
		t.Err = string(bytes.TrimSpace(said))
		t.Denied = denied(said)
	}
}

// denied tells by its words whether a call never ran because a policy, a hook or the user refused it.
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
