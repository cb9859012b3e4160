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
		c.server = p.Strings.Intern(m.Get("server_label"))
		p.answerOf(m, &c)
		p.mcpResult(m, &c)
	case "local_shell_call", "shell_call":
		p.shellCall(m.Get("action"), &c)
	case "apply_patch_call":
		v := m.Get("operation")
		p.Members(v)
		c.input, c.target = v.Raw, p.Strings.Text(p.Nested.Get("path"))
	case "computer_call":
		v := m.Get("action")
		p.Members(v)
		c.input, c.target = v.Raw, p.Strings.Text(p.Nested.Get("type"))
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
		c.target = p.Strings.Text(m.Get("revised_prompt"))
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
			c.err = p.Strings.JSON(v)
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
	p.Members(action)
	c.input = action.Raw
	if v := p.Nested.Get("command"); v.Exists() {
		c.target = p.command(v)
		return
	}
	var list []string
	if v := p.Nested.Get("commands"); v.Kind == scan.KindArray {
		p.Inner.Reset(v.Raw)
		for p.Inner.Array(); p.Inner.Element(); {
			if text := p.Strings.Text(p.Inner.Value()); text != "" {
				list = append(list, unwrapShell(text))
			}
		}
	}
	c.target = strings.Join(list, "\n")
}

// webSearch reads a search, or the page that is opened or looked through.
func (p *Parser) webSearch(action scan.Value, c *itemOfCall) {
	p.Members(action)
	c.input, c.readOnly = action.Raw, true
	for _, key := range [...]string{"query", "url", "pattern"} {
		if c.target = p.Strings.Text(p.Nested.Get(key)); c.target != "" {
			return
		}
	}
	c.target = p.firstText(p.Nested.Get("queries"))
}

func (p *Parser) firstText(v scan.Value) string {
	if v.Kind != scan.KindArray {
		return ""
	}
	p.Inner.Reset(v.Raw)
	for p.Inner.Array(); p.Inner.Element(); {
		if text := p.Strings.Text(p.Inner.Value()); text != "" {
			return text
		}
	}
	return ""
}

// logs joins what the code of an interpreter wrote.
func (p *Parser) logs(v scan.Value) lines.Text {
	all := p.Output.Text()
	if v.Kind != scan.KindArray {
		return all
	}
	s := &p.Inner
	s.Reset(v.Raw)
	for s.Array(); s.Element(); {
		p.Nested = s.Members(p.Nested[:0])
		all.Line(p.Nested.Get("logs"))
	}
	return all
}
