package openai

import (
	"strings"

	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// itemOfCall is what an item contains of a call, and of its result if the item holds one.
type itemOfCall struct {
	id           scan.Value
	name, target string
	server       string
	input        []byte
	readOnly     bool

	answered, failed bool
	output           lines.Text
	err              string
}

// serverCall reads an item that is a call.
func (p *Parser) serverCall(m scan.Members, kind string) itemOfCall {
	c := itemOfCall{id: m.Get("call_id"), name: strings.TrimSuffix(kind, "_call")}
	if len(c.id.Body()) == 0 {
		c.id = m.Get("id")
	}
	switch kind {
	case "function_call":
		p.namedCall(m, m.Get("arguments"), &c)
	case "custom_tool_call":
		p.namedCall(m, m.Get("input"), &c)
	case "mcp_call":
		p.namedCall(m, m.Get("arguments"), &c)
		c.server = p.strings.Intern(m.Get("server_label"))
		p.answerOf(m, &c)
		p.mcpResult(m, &c)
	case "local_shell_call", "shell_call":
		p.shellCall(m.Get("action"), &c)
	case "apply_patch_call":
		v := m.Get("operation")
		p.nested = p.inner.MembersOf(v, p.nested[:0])
		c.input, c.target = v.Raw, p.strings.Text(p.nested.Get("path"))
	case "computer_call":
		v := m.Get("action")
		p.nested = p.inner.MembersOf(v, p.nested[:0])
		c.input, c.target = v.Raw, p.strings.Text(p.nested.Get("type"))
	case "web_search_call":
		p.webSearch(m.Get("action"), &c)
		p.answerOf(m, &c)
	case "file_search_call":
		v := m.Get("queries")
		c.input, c.readOnly, c.target = v.Raw, true, p.firstText(v)
		p.answerOf(m, &c)
	case "code_interpreter_call":
		c.input = m.Get("code").Raw // a program: no field of it is what it acts on
		p.answerOf(m, &c)
		c.output = p.logs(m.Get("outputs"))
	case "image_generation_call":
		c.target = p.strings.Text(m.Get("revised_prompt"))
		p.answerOf(m, &c)
	case "tool_search_call":
		args, input := p.decode(m.Get("arguments"))
		c.input, c.readOnly, c.target = input, true, p.target(c.name, args, scan.Value{})
	case "program":
		c.input = m.Get("code").Raw
	}
	return c
}

func (p *Parser) namedCall(m scan.Members, wire scan.Value, c *itemOfCall) {
	c.name = p.toolName(m.Get("name").Body())
	args, input := p.decode(wire)
	c.input, c.target = input, p.target(c.name, args, wire)
}

// answerOf reports whether an item that holds its result has come so far, and whether it failed.
func (p *Parser) answerOf(m scan.Members, c *itemOfCall) {
	if isRunning(m) {
		return
	}
	c.answered, c.failed = true, m.Get("status").Is("failed")
	if v := m.Get("error"); v.Exists() && v.Kind != scan.KindNull {
		c.failed = true
		c.err = p.readFailure(v).text
		if c.err == "" {
			c.err = p.strings.JSON(v)
		}
	}
}

// isRunning reports whether the server still works on an item.
func isRunning(m scan.Members) bool {
	switch string(m.Get("status").Body()) {
	case "in_progress", "searching", "interpreting", "generating", "calling":
		return true
	}
	return false
}

func (p *Parser) mcpResult(m scan.Members, c *itemOfCall) {
	if c.answered {
		c.output, _ = p.outputText(m.Get("output"))
	}
}

// shellCall reads one command as its words, or several as lines.
func (p *Parser) shellCall(action scan.Value, c *itemOfCall) {
	p.nested = p.inner.MembersOf(action, p.nested[:0])
	c.input = action.Raw
	if v := p.nested.Get("command"); v.Exists() {
		c.target = p.command(v)
		return
	}
	var list []string
	if v := p.nested.Get("commands"); v.Kind == scan.KindArray {
		p.inner.Reset(v.Raw)
		for p.inner.Array(); p.inner.Element(); {
			if text := p.strings.Text(p.inner.Value()); text != "" {
				list = append(list, unwrapShell(text))
			}
		}
	}
	c.target = strings.Join(list, "\n")
}

// webSearch reads a search, or the page that is opened or looked through.
func (p *Parser) webSearch(action scan.Value, c *itemOfCall) {
	p.nested = p.inner.MembersOf(action, p.nested[:0])
	c.input, c.readOnly = action.Raw, true
	for _, key := range [...]string{"query", "url", "pattern"} {
		if c.target = p.strings.Text(p.nested.Get(key)); c.target != "" {
			return
		}
	}
	c.target = p.firstText(p.nested.Get("queries"))
}

func (p *Parser) firstText(v scan.Value) string {
	if v.Kind != scan.KindArray {
		return ""
	}
	p.inner.Reset(v.Raw)
	for p.inner.Array(); p.inner.Element(); {
		if text := p.strings.Text(p.inner.Value()); text != "" {
			return text
		}
	}
	return ""
}

// logs joins what the code of an interpreter wrote.
func (p *Parser) logs(v scan.Value) lines.Text {
	all := p.output.Text()
	if v.Kind != scan.KindArray {
		return all
	}
	s := &p.inner
	s.Reset(v.Raw)
	for s.Array(); s.Element(); {
		p.nested = s.Members(p.nested[:0])
		all.Line(p.nested.Get("logs"))
	}
	return all
}
