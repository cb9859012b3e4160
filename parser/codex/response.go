package codex

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/command"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// responses handles the items of the API's responses, which every version of a rollout has.
type responses struct {
	*line
	calls     *calls
	arguments *arguments
	outputs   *outputs
	agents    *agents
	prompts   *prompts
}

// responseItem emits what the model said and called, and the results: it reads the payload of a response_item, or the
// bare item of R1.
func (re *responses) responseItem(r *record, kind []byte, m scan.Members) events.LineStatus {
	switch string(kind) {
	case "message":
		return re.messageItem(m)
	case "reasoning":
		re.modelItem(m)
		re.reasoningItem(m)
	case "function_call":
		re.modelItem(m)
		re.functionCall(m)
	case "custom_tool_call":
		re.modelItem(m)
		re.customCall(m)
	case "local_shell_call":
		re.modelItem(m)
		re.localShellCall(m)
	case "tool_search_call":
		re.modelItem(m)
		re.toolSearchCall(m)
	case "web_search_call", "image_generation_call":
		re.modelItem(m)
		re.calls.done(string(kind), m)
	case "function_call_output", "custom_tool_call_output":
		re.callOutput(m)
	case "tool_search_output":
		o := outcome{item: m.Get("id")}
		o.status(m.Get("status"))
		if re.calls.callOf(m.Get("call_id")).wasCalled() {
			re.calls.end(m.Get("call_id"), &o)
		}
	case "agent_message":
		re.agentMessage(m)
	case "additional_tools", "compaction", "compaction_summary", "compaction_trigger", "context_compaction", "ghost_snapshot", "other":
		return events.LineIgnored
	default:
		prefix := ""
		if r.hasPayload {
			prefix = "response_item/"
		}
		return re.Unknown(prefix, kind)
	}
	return events.LineOK
}

// modelItem records an item as part of a model response. The response's own ID follows its last item, so the ID of its
// first item is used instead. Only R4 marks where a response ends.
func (l *line) modelItem(m scan.Members) {
	if l.response == "" && l.thread.paginated {
		l.response = l.Strings.Text(m.Get("id"))
	}
}

// messageItem emits a message: what the assistant said, or what was said to it in the user's name.
func (re *responses) messageItem(m scan.Members) events.LineStatus {
	switch role := m.Get("role"); {
	case role.Is("user"):
		re.prompts.userItem(m)
	case role.Is("assistant"):
		re.modelItem(m)
		id := m.Get("id")
		if re.thread.paginated && len(id.Body()) > 0 {
			// The answer to a request for a summary is stored like any other message but was never shown.
			if _, shown := re.shown.Get(re.Keys.ID(domainMessage, id.Body())); !shown {
				return events.LineIgnored
			}
		}
		re.text(id, re.joinedText(m.Get("content"), "output_text", ""))
	default:
		return events.LineIgnored
	}
	return events.LineOK
}

// joinedText returns the texts of the blocks of an array that have the given kind, joined.
func (l *line) joinedText(content scan.Value, kind, between string) string {
	if content.Kind == scan.KindString {
		return l.Strings.Text(content)
	}
	var joined strings.Builder
	l.eachText(content, func(_ int, block, text scan.Value) {
		if !block.Is(kind) || len(text.Body()) == 0 {
			return
		}
		if joined.Len() > 0 {
			joined.WriteString(between)
		}
		joined.WriteString(l.Strings.Text(text))
	})
	return joined.String()
}

// eachText calls f for each block of an array that has a text.
func (l *line) eachText(content scan.Value, f func(n int, kind, text scan.Value)) {
	if content.Kind != scan.KindArray {
		return
	}
	s := &l.Scanner
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

// reasoningItem emits the summary of a reasoning, with its parts joined as in the stream, and the raw reasoning if it
// is present. Most reasoning is encrypted and yields nothing.
func (re *responses) reasoningItem(m scan.Members) {
	re.reasoning(m.Get("id"), re.joinedText(m.Get("summary"), "summary_text", "\n"))
	re.reasoning(m.Get("id"), re.joinedText(m.Get("content"), "reasoning_text", "\n"))
}

// functionCall emits a call whose arguments are JSON in a string, which is sometimes broken.
func (re *responses) functionCall(m scan.Members) {
	inv := invocation{id: m.Get("call_id"), item: m.Get("id"), name: re.toolName(m.Get("name"))}
	arguments := m.Get("arguments")
	inv.body = arguments.Raw
	inv.input = re.arguments.decodeArguments(arguments)
	if inv.server = re.server(inv.name, m.Get("namespace")); inv.server != "" {
		inv.target = re.arguments.generalTarget(re.arguments.args)
	} else {
		inv.target = re.arguments.target(inv.name, re.arguments.args)
		inv.readOnly = tools[inv.name].readOnly
	}
	inv.asks = re.arguments.args.Get("sandbox_permissions").Is("require_escalated")
	if inv.name == "spawn_agent" {
		inv.agentType = re.Strings.Text(re.arguments.args.AnyOf("agent_type", "task_name"))
	}
	re.calls.begin(&inv)
}

// server returns the MCP server of a tool, from its namespace (mcp__tally, in 0.125 mcp__tally__) or from its name up to
// the second double underscore (mcp__tally__add, 0.34 to 0.58). A server's name may contain single underscores.
func (re *responses) server(name string, namespace scan.Value) string {
	if rest, ok := strings.CutPrefix(re.Strings.Intern(namespace), "mcp__"); ok {
		return strings.TrimSuffix(rest, "__")
	}
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok {
		server, _, _ := strings.Cut(rest, "__")
		return server
	}
	return ""
}

// customCall emits a call whose input is plain text: a patch, or the script of code mode.
func (re *responses) customCall(m scan.Members) {
	inv := invocation{id: m.Get("call_id"), item: m.Get("id"), name: re.toolName(m.Get("name")), input: m.Get("input")}
	inv.body = inv.input.Raw
	if tools[inv.name].kind == toolPatch {
		inv.target = lines.PatchFile(&re.Strings, &re.Scratch, inv.input)
	} else {
		inv.target = re.Strings.Text(inv.input)
	}
	re.calls.begin(&inv)
}

// localShellCall emits a call of the API's own shell tool. If its call_id is null, the item's ID is used.
func (re *responses) localShellCall(m scan.Members) {
	inv := invocation{id: m.AnyOf("call_id", "id"), item: m.Get("id"), name: "local_shell", input: m.Get("action")}
	re.arguments.argsOf(inv.input)
	inv.body = inv.input.Raw
	inv.target = command.Line(&re.Decoder, re.arguments.args.Get("command"))
	re.calls.begin(&inv)
}

func (re *responses) toolSearchCall(m scan.Members) {
	inv := invocation{id: m.AnyOf("call_id", "id"), item: m.Get("id"), name: "tool_search", readOnly: true}
	inv.input = re.arguments.decodeArguments(m.Get("arguments"))
	inv.body = inv.input.Raw
	inv.target = re.arguments.target(inv.name, re.arguments.args)
	re.calls.begin(&inv)
}

// callOutput emits the result of a call, unless an item had it before. An output without a call is not a result:
// the objective of a goal has that form.
func (re *responses) callOutput(m scan.Members) {
	id := m.Get("call_id")
	c := re.calls.callOf(id)
	if !c.wasCalled() || c.answered {
		return
	}
	o, output := outcome{item: m.Get("id")}, m.Get("output")
	o.text, o.from[0] = re.outputs.contentText(output), output
	var object []byte // the text, if it looks like a JSON object
	if o.text.Begins("{") {
		object = o.text.All()
	}
	re.outputs.judge(c.name, object, &o)
	re.agents.agentOutput(c.name, id, object)
	if c.name == "spawn_agent" && !o.failed {
		o.state = events.ToolStateBackground
	}
	re.calls.endCall(c, id, &o)
}

// agentMessage emits what one agent of a thread tree said to another, which is in both their rollouts. The model
// received it like a prompt, but no user wrote it.
func (re *responses) agentMessage(m scan.Members) {
	if text := re.joinedText(m.Get("content"), "input_text", ""); !lines.Blank(text) {
		e := re.Emit(events.KindPrompt)
		e.ItemID, e.Text, e.Synthetic = re.Strings.Text(m.Get("id")), text, true
	}
}
