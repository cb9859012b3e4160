package codex

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// responseItem gives what the model said and called, and what it was answered: the payload of a response_item, or the
// bare item of R1.
func (p *Parser) responseItem(r *record, kind []byte, m scan.Members) events.LineStatus {
	switch string(kind) {
	case "message":
		return p.messageItem(m)
	case "reasoning":
		p.modelItem(m)
		p.reasoningItem(m)
	case "function_call":
		p.modelItem(m)
		p.functionCall(m)
	case "custom_tool_call":
		p.modelItem(m)
		p.customCall(m)
	case "local_shell_call":
		p.modelItem(m)
		p.localShellCall(m)
	case "tool_search_call":
		p.modelItem(m)
		p.toolSearchCall(m)
	case "web_search_call", "image_generation_call":
		p.modelItem(m)
		p.done(string(kind), m)
	case "function_call_output", "custom_tool_call_output":
		p.callOutput(m)
	case "tool_search_output":
		o := outcome{item: m.Get("id")}
		o.status(m.Get("status"))
		if p.callOf(m.Get("call_id")).wasCalled() {
			p.end(m.Get("call_id"), &o)
		}
	case "agent_message":
		p.agentMessage(m)
	case "additional_tools", "compaction", "compaction_summary", "compaction_trigger", "context_compaction", "ghost_snapshot", "other":
		return events.LineIgnored
	default:
		prefix := ""
		if r.hasPayload {
			prefix = "response_item/"
		}
		return p.Unknown(prefix, kind)
	}
	return events.LineOK
}

// modelItem notes an item that is part of a model response. The response's own id comes after its last item only, so the
// id of its first item is used for it; only R4 marks where a response ends.
func (p *Parser) modelItem(m scan.Members) {
	if p.response == "" && p.thread.paginated {
		p.response = p.Strings.Text(m.Get("id"))
	}
}

// messageItem gives a message: what the assistant said, or what was said to it in the user's name.
func (p *Parser) messageItem(m scan.Members) events.LineStatus {
	switch role := m.Get("role"); {
	case role.Is("user"):
		p.userItem(m)
	case role.Is("assistant"):
		p.modelItem(m)
		id := m.Get("id")
		if p.thread.paginated && len(id.Body()) > 0 {
			// The answer to a request for a summary is stored as a message like any other, but never shown.
			if _, shown := p.shown.Get(p.Keys.ID(domainMessage, id.Body())); !shown {
				return events.LineIgnored
			}
		}
		p.text(id, p.joinedText(m.Get("content"), "output_text", ""))
	default:
		return events.LineIgnored
	}
	return events.LineOK
}

// joinedText is the texts of an array of blocks; those of another type than kind are left out.
func (p *Parser) joinedText(content scan.Value, kind, between string) string {
	if content.Kind == scan.KindString {
		return p.Strings.Text(content)
	}
	var joined strings.Builder
	p.eachText(content, func(_ int, block, text scan.Value) {
		if !block.Is(kind) || len(text.Body()) == 0 {
			return
		}
		if joined.Len() > 0 {
			joined.WriteString(between)
		}
		joined.WriteString(p.Strings.Text(text))
	})
	return joined.String()
}

// eachText goes over the blocks of an array that have a text.
func (p *Parser) eachText(content scan.Value, f func(n int, kind, text scan.Value)) {
	if content.Kind != scan.KindArray {
		return
	}
	s := &p.Scanner
	s.Reset(content.Raw)
	s.Array()
	for n := 0; s.Element(); n++ {
		if s.Peek() != scan.KindObject {
			s.Skip()
			continue
		}
		var kind, text scan.Value
		for s.Object(); s.Key(); {
			switch string(s.Name()) {
			case "type":
				kind = s.Value()
			case "text":
				text = s.Value()
			default:
				s.Skip()
			}
		}
		f(n, kind, text)
	}
}

// reasoningItem gives the summary of a reasoning, its parts as the stream joins them, and the raw thinking where it is
// there. Most reasoning is encrypted and gives nothing.
func (p *Parser) reasoningItem(m scan.Members) {
	p.reasoning(m.Get("id"), p.joinedText(m.Get("summary"), "summary_text", "\n"))
	p.reasoning(m.Get("id"), p.joinedText(m.Get("content"), "reasoning_text", "\n"))
}

// functionCall gives a call whose arguments are JSON in a string, at times broken.
func (p *Parser) functionCall(m scan.Members) {
	inv := invocation{id: m.Get("call_id"), item: m.Get("id"), name: p.toolName(m.Get("name"))}
	arguments := m.Get("arguments")
	inv.body = arguments.Raw
	inv.input = p.decodeArguments(arguments)
	if inv.server = p.server(inv.name, m.Get("namespace")); inv.server != "" {
		inv.target = p.generalTarget(p.args)
	} else {
		inv.target = p.target(inv.name, p.args)
		inv.readOnly = tools[inv.name].readOnly
	}
	inv.asks = p.args.Get("sandbox_permissions").Is("require_escalated")
	if inv.name == "spawn_agent" {
		inv.agentType = p.Strings.Text(p.args.AnyOf("agent_type", "task_name"))
	}
	p.begin(&inv)
}

// decodeArguments reads the arguments of a call into p.args and gives their JSON: the object that they are or that the
// string holds. Of a string that holds none, the string itself. Where arguments are dropped, an object in a string gives no
// JSON, and of its members only those that isArgument picks.
func (p *Parser) decodeArguments(v scan.Value) scan.Value {
	p.args = p.args[:0]
	if v.Kind != scan.KindString {
		p.args = p.Scanner.MembersOf(v, p.args[:0])
		return v
	}
	if p.DropInput {
		var whole bool
		if p.args, p.input, whole = p.quoted.Members(p.args, p.input, v.Body(), isArgument); whole {
			return scan.Value{}
		}
	}
	start := len(p.input)
	p.input = scan.AppendString(p.input, v.Body())
	decoded := p.input[start:len(p.input):len(p.input)]
	s := &p.Scanner
	s.Reset(decoded)
	if s.Peek() != scan.KindObject {
		return v
	}
	for s.Object(); s.Key(); {
		p.args = s.Keep(p.args)
	}
	if s.Err() != nil || len(s.Rest()) > 0 {
		p.args = p.args[:0]
		return v
	}
	return scan.Value{Kind: scan.KindObject, Raw: decoded}
}

// server finds the MCP server of a tool: in its namespace (mcp__tally, in 0.125 mcp__tally__), else in its name up to the
// second double underscore (mcp__tally__add, 0.34 to 0.58). A server's name may hold single ones.
func (p *Parser) server(name string, namespace scan.Value) string {
	if rest, ok := strings.CutPrefix(p.Strings.Intern(namespace), "mcp__"); ok {
		return strings.TrimSuffix(rest, "__")
	}
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok {
		server, _, _ := strings.Cut(rest, "__")
		return server
	}
	return ""
}

// customCall gives a call whose input is plain text: a patch, or the script of code mode.
func (p *Parser) customCall(m scan.Members) {
	inv := invocation{id: m.Get("call_id"), item: m.Get("id"), name: p.toolName(m.Get("name")), input: m.Get("input")}
	inv.body = inv.input.Raw
	if tools[inv.name].kind == toolPatch {
		inv.target = lines.PatchFile(&p.Strings, &p.Scratch, inv.input)
	} else {
		inv.target = p.Strings.Text(inv.input)
	}
	p.begin(&inv)
}

// localShellCall gives a call of the API's own shell tool. Its call_id may be null, then the item's id stands for it.
func (p *Parser) localShellCall(m scan.Members) {
	inv := invocation{id: m.AnyOf("call_id", "id"), item: m.Get("id"), name: "local_shell", input: m.Get("action")}
	p.args = p.Scanner.MembersOf(inv.input, p.args[:0])
	inv.body = inv.input.Raw
	inv.target = p.command(p.args.Get("command"))
	p.begin(&inv)
}

func (p *Parser) toolSearchCall(m scan.Members) {
	inv := invocation{id: m.AnyOf("call_id", "id"), item: m.Get("id"), name: "tool_search", readOnly: true}
	inv.input = p.decodeArguments(m.Get("arguments"))
	inv.body = inv.input.Raw
	inv.target = p.target(inv.name, p.args)
	p.begin(&inv)
}

// callOutput emits the result of a call, unless an item had it before. An output without a call answers none: the
// objective of a goal comes so.
func (p *Parser) callOutput(m scan.Members) {
	id := m.Get("call_id")
	c := p.callOf(id)
	if !c.wasCalled() || c.answered {
		return
	}
	o, output := outcome{item: m.Get("id")}, m.Get("output")
	o.text, o.from[0] = p.contentText(output), output
	var object []byte // the text, if it begins like one
	if o.text.Begins("{") {
		object = o.text.All()
	}
	p.judge(c.name, object, &o)
	p.agentOutput(c.name, id, object)
	if c.name == "spawn_agent" && !o.failed {
		o.state = events.ToolStateBackground
	}
	p.endCall(c, id, &o)
}

// agentMessage gives what one agent of a thread tree said to another, which is in both their rollouts. It went to the
// model like a prompt, and no user wrote it.
func (p *Parser) agentMessage(m scan.Members) {
	if text := p.joinedText(m.Get("content"), "input_text", ""); !lines.Blank(text) {
		e := p.Emit(events.KindPrompt)
		e.ItemID, e.Text, e.Synthetic = p.Strings.Text(m.Get("id")), text, true
	}
}
