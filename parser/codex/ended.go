package codex

import (
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// The begin and end events of calls, in the streams of E1 and, the end alone, in rollouts that some programs around
// Codex keep in more detail than the command line does.

// callBegun gives a call of E1.
func (p *Parser) callBegun(kind string, m members) {
	inv := p.eventInvocation(kind, m)
	p.begin(&inv)
}

// callEnded gives the result of a call; in a rollout also the call, if only a script made it.
func (p *Parser) callEnded(kind string, m members) {
	id := m.get("call_id")
	c, _ := p.callOf(id)
	if !p.record.hasMsg && !c.called {
		if m.get("source").Is("user_shell") {
			return
		}
		inv := p.eventInvocation(kind, m)
		inv.script = true
		p.begin(&inv)
	}
	o := p.eventOutcome(kind, m)
	if c.answered {
		p.lateEnd(id, &o)
		return
	}
	p.end(id, &o)
}

// eventName is the name of a call's tool: that of the event in E1, as the model calls it in a rollout.
func (p *Parser) eventName(kind string) string {
	switch kind {
	case "exec_command_begin", "exec_command_end":
		return "exec_command"
	case "patch_apply_begin", "patch_apply_end":
		if p.record.hasMsg {
			return "patch_apply"
		}
		return "apply_patch"
	}
	return ""
}

func (p *Parser) eventInvocation(kind string, m members) invocation {
	inv := invocation{id: m.get("call_id"), name: p.eventName(kind)}
	switch inv.name {
	case "exec_command":
		inv.input = m.get("command")
		inv.target = p.command(inv.input)
	case "":
		from := m
		if called := m.get("invocation"); called.Kind == scan.KindObject {
			p.nested = readMembers(&p.inner, p.nested, called)
			from = p.nested
		}
		inv.name, inv.server = p.toolName(from.get("tool")), p.strings.Intern(from.get("server"))
		inv.input = from.get("arguments")
		p.args = readMembers(&p.inner, p.args, inv.input)
		inv.target = p.generalTarget(p.args)
	default:
		inv.input = m.get("changes")
		inv.target = p.firstPath(inv.input)
	}
	inv.body = inv.input.Raw
	return inv
}

func (p *Parser) eventOutcome(kind string, m members) outcome {
	o := outcome{name: p.eventName(kind), duration: p.span(m.get("duration"))}
	o.status(m.get("status"))
	o.exit(m.get("exit_code"))
	o.failed = o.failed || m.get("success").Kind == scan.KindFalse
	switch kind {
	case "exec_command_end":
		if v := m.get("aggregated_output"); v.Kind == scan.KindString {
			o.text = p.outputText(v)
			break
		}
		o.text = p.outputText(m.get("stdout"))
		if stderr := p.outputText(m.get("stderr")); len(stderr) > 0 { // stands behind it in the buffer
			o.text = append(o.text[:len(o.text):len(o.text)], stderr...)
		}
	case "patch_apply_end":
		o.text = p.outputText(m.get("stdout"))
		o.err = p.strings.Text(m.get("stderr"))
	case "mcp_tool_call_end":
		p.mcpOutcome(&o, m.get("result"))
	default:
		o.text = p.contentText(m.get("content_items"))
		o.err = p.strings.Text(m.get("error"))
	}
	return o
}

// mcpOutcome reads the result of an MCP call as Rust writes it: {"Ok":{"content":[...],"isError":true}} or {"Err":"..."}.
func (p *Parser) mcpOutcome(o *outcome, result scan.Value) {
	p.nested = readMembers(&p.inner, p.nested, result)
	if v := p.nested.get("Err"); v.Exists() {
		o.failed, o.err = true, p.errorText(v)
		return
	}
	p.nested = readMembers(&p.inner, p.nested, p.nested.get("Ok"))
	o.failed = o.failed || p.nested.either("isError", "is_error").True()
	o.text = p.contentText(p.nested.get("content"))
}
