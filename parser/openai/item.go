package openai

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// item gives the events of one output item of a response. It reports false for a type that it does not know.
func (p *Parser) item(m scan.Members) bool {
	before := len(p.Out)
	kind := m.Get("type").Body()
	switch string(kind) {
	case "message":
		p.itemMessage(m)
	case "reasoning":
		p.itemReasoning(m)
	case "function_call", "custom_tool_call", "mcp_call", "local_shell_call", "shell_call", "apply_patch_call", "computer_call",
		"web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "tool_search_call", "program":
		p.itemCall(m, string(kind))
	case "compaction":
		e := p.Emit(events.KindNotice)
		e.Notice = events.Notice{Level: events.LevelInfo, Code: events.NoticeCompaction}
		e.Text = "conversation compacted"
	case "mcp_approval_request":
		p.itemApproval(m)
	case "additional_tools", "configuration_update", "mcp_approval_response", "mcp_list_tools":
	default:
		if !isOutput(kind) {
			return false
		}
		p.itemOutput(m)
	}
	id := ""
	for i := before; i < len(p.Out); i++ {
		if id == "" {
			id = p.Strings.Text(m.Get("id"))
		}
		p.Out[i].ItemID = id
	}
	return true
}

// isOutput lists the items that answer a call.
func isOutput(kind []byte) bool {
	switch string(kind) {
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output", "shell_call_output", "apply_patch_call_output",
		"computer_call_output", "tool_search_output", "program_output":
		return true
	}
	return false
}

func (p *Parser) itemMessage(m scan.Members) {
	if role := m.Get("role"); role.Exists() && !role.Is("assistant") {
		return
	}
	var text, refusal joined
	content := m.Get("content")
	text.add(content.Body())
	if content.Kind == scan.KindArray {
		s := &p.Inner
		s.Reset(content.Raw)
		for s.Array(); s.Element(); {
			p.Nested = s.Members(p.Nested[:0])
			text.add(p.Nested.Get("text").Body())
			refusal.add(p.Nested.Get("refusal").Body())
		}
	}
	p.say(&segment{text: text.body, refusal: refusal.body})
}

// itemReasoning gives the summary of the thinking, or the thinking itself where a server shows it.
func (p *Parser) itemReasoning(m scan.Members) {
	text := p.paragraphs(m.Get("summary"))
	if text == "" {
		text = p.paragraphs(m.Get("content"))
	}
	if !lines.Blank(text) {
		p.Emit(events.KindReasoning).Text = text
	}
}

// paragraphs joins the texts of an array, a blank line between them.
func (p *Parser) paragraphs(v scan.Value) string {
	if v.Kind != scan.KindArray {
		return ""
	}
	var joined []byte
	s := &p.Inner
	s.Reset(v.Raw)
	for s.Array(); s.Element(); {
		p.Nested = s.Members(p.Nested[:0])
		if text := p.Nested.Get("text").Body(); len(text) > 0 {
			if len(joined) > 0 {
				joined = append(joined, `\n\n`...)
			}
			joined = append(joined, text...)
		}
	}
	return p.Strings.Unescape(joined)
}

// itemCall gives a call, and its result where the server ran it: those items hold both.
func (p *Parser) itemCall(m scan.Members, kind string) {
	c := p.serverCall(m, kind)
	id := p.callID(c.id)
	e := p.Emit(events.KindToolUse)
	t := &e.Tool
	t.ID, t.Name, t.Target, t.Server, t.ReadOnly = id, c.name, c.target, c.server, c.readOnly
	if !p.DropInput {
		t.Input = c.input
	}
	p.remember(t)
	if c.answered {
		p.itemCallResult(m, &c, id)
	}
}

// lateResult emits the result of a call that was emitted while the server still worked on it.
func (p *Parser) lateResult(m scan.Members) {
	before := len(p.Out)
	c := p.serverCall(m, string(m.Get("type").Body()))
	if c.answered {
		p.itemCallResult(m, &c, p.Strings.Text(c.id))
	}
	for i := before; i < len(p.Out); i++ {
		p.Out[i].ItemID = p.Strings.Text(m.Get("id"))
	}
}

func (p *Parser) itemCallResult(m scan.Members, c *itemOfCall, id string) {
	e := p.Emit(events.KindToolResult)
	t := &e.Tool
	t.ID, t.Name, t.Server, t.ReadOnly = id, c.name, c.server, c.readOnly
	c.output.Fill(t)
	if !c.failed {
		return
	}
	t.Error = true
	for _, text := range [...]string{c.err, string(c.output.All()), p.Strings.Text(m.Get("status"))} {
		if t.Err == "" {
			t.Err = text
		}
	}
}

func (p *Parser) itemApproval(m scan.Members) {
	args, _ := p.decode(m.Get("arguments"))
	name := p.toolName(m.Get("name").Body())
	e := p.Emit(events.KindApprovalRequest)
	e.Approval = &events.Approval{ID: p.Strings.Text(m.Get("id")), Tool: name, Subject: p.target(name, args, scan.Value{})}
}

// itemOutput gives the result of a call that the client ran.
func (p *Parser) itemOutput(m scan.Members) {
	id := m.Get("call_id")
	if len(id.Body()) == 0 {
		id = m.Get("id") // local_shell_call_output
	}
	key := p.key(id)
	if seen, _ := p.results.Get(key); seen > 0 && len(id.Body()) > 0 {
		return // in a response that was fetched again, or under another item's id
	}
	p.results.Set(key, 1)
	p.itemResult(m, id)
}

func (p *Parser) itemResult(m scan.Members, id scan.Value) {
	output := m.Get("output")
	if !output.Exists() {
		output = m.Get("result") // program_output
	}
	failed := m.Get("status").Is("failed")
	text, code := p.outputText(output)
	e := p.result(id, text)
	e.Tool.ExitCode, e.Tool.HasExitCode = code.code, code.known
	if e.Tool.Error = failed || code.failed; e.Tool.Error {
		e.Tool.Err = string(text.All())
	}
}

// result gives the result of the call with an id.
func (p *Parser) result(id scan.Value, output lines.Text) *events.DisplayEvent {
	e := p.Emit(events.KindToolResult)
	t := &e.Tool
	t.ID = p.Strings.Text(id)
	t.Name, _ = p.names.Get(p.Keys.String(domainID, t.ID))
	output.Fill(t)
	return e
}

// exit is how the commands of a shell call ended; of several the first that failed counts.
type exit struct {
	code          int
	known, failed bool
}

// outputText reads the text of a result: a string, or the texts of an array, one a line. The outputs of shell_call have
// standard output, standard error and how the command ended.
func (p *Parser) outputText(v scan.Value) (lines.Text, exit) {
	var x exit
	all := p.Output.Text()
	switch v.Kind {
	case scan.KindString:
		all.Add(v)
	case scan.KindArray:
		s := &p.Inner
		s.Reset(v.Raw)
		for s.Array(); s.Element(); {
			p.Nested = s.Members(p.Nested[:0])
			for _, key := range [...]string{"text", "stdout", "stderr"} {
				all.Line(p.Nested.Get(key))
			}
			if outcome := p.Nested.Get("outcome"); outcome.Kind == scan.KindObject && !x.failed {
				x = p.outcome(outcome)
			}
		}
	}
	return all, x
}

// outcome reads how a command ended.
func (p *Parser) outcome(v scan.Value) exit {
	var s scan.Scanner // the parser's own is in the middle of the list
	m := s.MembersOf(v, nil)
	if code := m.Get("exit_code"); code.Kind == scan.KindNumber {
		return exit{code: int(code.Int()), known: true, failed: code.Int() != 0}
	}
	return exit{failed: m.Get("type").Is("timeout")}
}
