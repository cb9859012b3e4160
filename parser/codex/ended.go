package codex

import (
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// The begin and end events of calls, in the streams of E1 and, the end alone, in rollouts that some programs around
// Codex keep in more detail than the command line does.

// callBegun gives a call of E1.
func (p *Parser) callBegun(kind string, m scan.Members) {
	inv := p.eventInvocation(kind, m)
	p.begin(&inv)
}

// callEnded gives the result of a call; in a rollout also the call, if only a script made it.
func (p *Parser) callEnded(kind string, m scan.Members) {
	id := m.Get("call_id")
	c := p.callOf(id)
	answered := c.wasAnswered()
	if !p.record.hasMsg && !c.wasCalled() {
		if m.Get("source").Is("user_shell") {
			return
		}
		inv := p.eventInvocation(kind, m)
		inv.script = true
		p.begin(&inv)
	}
	o := p.eventOutcome(kind, m)
	if answered {
		p.lateEnd(c, id, &o)
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

func (p *Parser) eventInvocation(kind string, m scan.Members) invocation {
	inv := invocation{id: m.Get("call_id"), name: p.eventName(kind)}
	switch inv.name {
	case "exec_command":
		inv.input = m.Get("command")
		inv.target = p.command(inv.input)
	case "":
		from := m
		if called := m.Get("invocation"); called.Kind == scan.KindObject {
			p.Nested = p.Scanner.MembersOf(called, p.Nested[:0])
			from = p.Nested
		}
		inv.name, inv.server = p.toolName(from.Get("tool")), p.Strings.Intern(from.Get("server"))
		inv.input = from.Get("arguments")
		p.args = p.Scanner.MembersOf(inv.input, p.args[:0])
		inv.target = p.generalTarget(p.args)
	default:
		inv.input = m.Get("changes")
		inv.target = p.firstPath(inv.input)
	}
	inv.body = inv.input.Raw
	return inv
}

func (p *Parser) eventOutcome(kind string, m scan.Members) outcome {
	o := outcome{name: p.eventName(kind), duration: p.span(m.Get("duration"))}
	o.status(m.Get("status"))
	o.exit(m.Get("exit_code"))
	o.failed = o.failed || m.Get("success").Kind == scan.KindFalse
	switch kind {
	case "exec_command_end":
		if v := m.Get("aggregated_output"); v.Kind == scan.KindString {
			o.take(&p.Output, v)
			break
		}
		o.take(&p.Output, m.Get("stdout"), m.Get("stderr"))
	case "patch_apply_end":
		o.take(&p.Output, m.Get("stdout"))
		o.err = p.Strings.Text(m.Get("stderr"))
	case "mcp_tool_call_end":
		p.mcpOutcome(&o, m.Get("result"))
	default:
		o.text = p.contentText(m.Get("content_items"))
		o.err = p.Strings.Text(m.Get("error"))
	}
	return o
}

// mcpOutcome reads the result of an MCP call as Rust writes it: {"Ok":{"content":[...],"isError":true}} or {"Err":"..."}.
func (p *Parser) mcpOutcome(o *outcome, result scan.Value) {
	p.Nested = p.Scanner.MembersOf(result, p.Nested[:0])
	if v := p.Nested.Get("Err"); v.Exists() {
		o.failed, o.err = true, p.errorText(v)
		return
	}
	p.Nested = p.Scanner.MembersOf(p.Nested.Get("Ok"), p.Nested[:0])
	o.failed = o.failed || p.Nested.AnyOf("isError", "is_error").True()
	o.text = p.contentText(p.Nested.Get("content"))
}
