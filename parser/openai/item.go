package openai

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/command"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// items emits the events of the items of a response, and of results.
type items struct {
	*line
	calls    *calls
	contents *contents

	results memory.Table[int] // results that were emitted
}

// item emits the events of one output item of a response. It returns false for an unknown type.
func (it *items) item(m scan.Members) bool {
	before := len(it.Out)
	kind := m.Get("type").Body()
	switch string(kind) {
	case "message":
		it.itemMessage(m)
	case "reasoning":
		it.itemReasoning(m)
	case "function_call", "custom_tool_call", "mcp_call", "local_shell_call", "shell_call", "apply_patch_call", "computer_call",
		"web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "tool_search_call", "program":
		it.itemCall(m, string(kind))
	case "compaction":
		e := it.Emit(events.KindNotice)
		e.Notice = events.Notice{Level: events.LevelInfo, Code: events.NoticeCompaction}
		e.Text = "conversation compacted"
	case "mcp_approval_request":
		it.itemApproval(m)
	case "additional_tools", "configuration_update", "mcp_approval_response", "mcp_list_tools":
	default:
		if !isOutput(kind) {
			return false
		}
		it.itemOutput(m)
	}
	id := ""
	for i := before; i < len(it.Out); i++ {
		if id == "" {
			id = it.Strings.Text(m.Get("id"))
		}
		it.Out[i].ItemID = id
	}
	return true
}

// isOutput lists the items that are results of a call.
func isOutput(kind []byte) bool {
	switch string(kind) {
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output", "shell_call_output", "apply_patch_call_output",
		"computer_call_output", "tool_search_output", "program_output":
		return true
	}
	return false
}

func (it *items) itemMessage(m scan.Members) {
	if role := m.Get("role"); role.Exists() && !role.Is("assistant") {
		return
	}
	var text, refusal joined
	content := m.Get("content")
	text.add(content.Body())
	for m := range scan.Objects(&it.Inner, content, &it.Nested) {
		text.add(m.Get("text").Body())
		refusal.add(m.Get("refusal").Body())
	}
	it.contents.say(&segment{text: text.body, refusal: refusal.body})
}

// itemReasoning emits the summary of the reasoning, or the reasoning itself if the server exposes it.
func (it *items) itemReasoning(m scan.Members) {
	text := it.paragraphs(m.Get("summary"))
	if text == "" {
		text = it.paragraphs(m.Get("content"))
	}
	if !lines.Blank(text) {
		it.Emit(events.KindReasoning).Text = text
	}
}

// paragraphs joins the texts of an array with blank lines.
func (it *items) paragraphs(v scan.Value) string {
	var joined []byte
	for m := range scan.Objects(&it.Inner, v, &it.Nested) {
		if text := m.Get("text").Body(); len(text) > 0 {
			if len(joined) > 0 {
				joined = append(joined, `\n\n`...)
			}
			joined = append(joined, text...)
		}
	}
	return it.Strings.Unescape(joined)
}

// itemCall emits a call, and its result if the server ran it: those items hold both.
func (it *items) itemCall(m scan.Members, kind string) {
	c := it.serverCall(m, kind)
	id := it.calls.callID(c.id)
	e := it.Emit(events.KindToolUse)
	t := &e.Tool
	t.ID, t.Name, t.Target, t.Server, t.ReadOnly = id, c.name, c.target, c.server, c.readOnly
	if !it.DropInput {
		t.Input = c.input
	}
	if c.answer == answerNone && !isRunning(m) {
		t.State = events.ToolStateRequested
	}
	it.calls.remember(t)
	if c.answer != answerNone {
		it.itemCallResult(m, &c, id)
	}
}

// lateResult emits the result of a call that was emitted while the server was still running it.
func (it *items) lateResult(m scan.Members) {
	before := len(it.Out)
	c := it.serverCall(m, string(m.Get("type").Body()))
	if c.answer != answerNone {
		it.itemCallResult(m, &c, it.Strings.Text(c.id))
	}
	for i := before; i < len(it.Out); i++ {
		it.Out[i].ItemID = it.Strings.Text(m.Get("id"))
	}
}

func (it *items) itemCallResult(m scan.Members, c *itemOfCall, id string) {
	e := it.Emit(events.KindToolResult)
	t := &e.Tool
	t.ID, t.Name, t.Server, t.ReadOnly = id, c.name, c.server, c.readOnly
	c.output.Fill(t)
	if c.answer != answerFailure {
		return
	}
	t.Error = true
	for _, text := range [...]string{c.err, string(c.output.All()), it.Strings.Text(m.Get("status"))} {
		if t.Err == "" {
			t.Err = text
		}
	}
}

func (it *items) itemApproval(m scan.Members) {
	args, _ := it.calls.decode(m.Get("arguments"))
	name := it.toolName(m.Get("name").Body())
	e := it.Emit(events.KindApprovalRequest)
	e.Approval = &events.Approval{ID: it.Strings.Text(m.Get("id")), Tool: name, Subject: it.calls.target(name, args, scan.Value{})}
}

// itemOutput emits the result of a call that the client ran.
func (it *items) itemOutput(m scan.Members) {
	id := m.Get("call_id")
	if len(id.Body()) == 0 {
		id = m.Get("id") // local_shell_call_output
	}
	key := it.key(id)
	if seen, _ := it.results.Get(key); seen > 0 && len(id.Body()) > 0 {
		return // in a response that was fetched again, or with another item's ID
	}
	it.results.Set(key, 1)
	it.itemResult(m, id)
}

func (it *items) itemResult(m scan.Members, id scan.Value) {
	output := m.Get("output")
	if !output.Exists() {
		output = m.Get("result") // program_output
	}
	failed := m.Get("status").Is("failed")
	text, code := it.outputText(output)
	e := it.result(id, text)
	e.Tool.ExitCode, e.Tool.HasExitCode = code.code, code.known
	if e.Tool.Error = failed || code.failed; e.Tool.Error {
		e.Tool.Err = string(text.All())
	}
}

// result emits the result of the call with an ID.
func (it *items) result(id scan.Value, output lines.Text) *events.DisplayEvent {
	e := it.Emit(events.KindToolResult)
	t := &e.Tool
	t.ID = it.Strings.Text(id)
	t.Name, _ = it.calls.names.Get(it.Keys.String(domainID, t.ID))
	output.Fill(t)
	return e
}

// exit is how the commands of a shell call ended: as the first one that failed, if any.
type exit struct {
	code          int
	known, failed bool
}

// outputText reads the text of a result: a string, or the texts of an array, one per line. The outputs of shell_call
// have standard output, standard error and how the command ended.
func (it *items) outputText(v scan.Value) (lines.Text, exit) {
	var x exit
	all := it.Output.Text()
	switch v.Kind {
	case scan.KindString:
		all.Add(v)
	case scan.KindArray:
		s := &it.Inner
		s.Reset(v.Raw)
		for s.Array(); s.Element(); {
			it.Nested = s.Members(it.Nested[:0])
			for _, key := range [...]string{"text", "stdout", "stderr"} {
				all.Line(it.Nested.Get(key))
			}
			if outcome := it.Nested.Get("outcome"); outcome.Kind == scan.KindObject && !x.failed {
				x = it.outcome(outcome)
			}
		}
	}
	return all, x
}

// outcome reads how a command ended.
func (it *items) outcome(v scan.Value) exit {
	var s scan.Scanner // the parser's own is in the middle of the list
	m := s.MembersOf(v, nil)
	if code := m.Get("exit_code"); code.Kind == scan.KindNumber {
		return exit{code: int(code.Int()), known: true, failed: code.Int() != 0}
	}
	return exit{failed: m.Get("type").Is("timeout")}
}

// itemOfCall is the content of an item about a call, and about its result if the item has one.
type itemOfCall struct {
	id           scan.Value
	name, target string
	server       string
	input        []byte
	readOnly     bool

	answer itemAnswer
	output lines.Text
	err    string
}

// itemAnswer is how a call in an item was answered.
type itemAnswer uint8

const (
	answerNone itemAnswer = iota // its result is not complete
	answerSuccess
	answerFailure
)

// serverCall reads an item that is a call.
func (it *items) serverCall(m scan.Members, kind string) itemOfCall {
	c := itemOfCall{id: m.Get("call_id"), name: strings.TrimSuffix(kind, "_call")}
	if len(c.id.Body()) == 0 {
		c.id = m.Get("id")
	}
	switch kind {
	case "function_call":
		it.namedCall(m, m.Get("arguments"), &c)
	case "custom_tool_call":
		it.namedCall(m, m.Get("input"), &c)
	case "mcp_call":
		it.namedCall(m, m.Get("arguments"), &c)
		c.server = it.Strings.Intern(m.Get("server_label"))
		it.answerOf(m, &c)
		it.mcpResult(m, &c)
	case "local_shell_call", "shell_call":
		it.shellCall(m.Get("action"), &c)
	case "apply_patch_call":
		v := m.Get("operation")
		it.Members(v)
		c.input, c.target = v.Raw, it.Strings.Text(it.Nested.Get("path"))
	case "computer_call":
		v := m.Get("action")
		it.Members(v)
		c.input, c.target = v.Raw, it.Strings.Text(it.Nested.Get("type"))
	case "web_search_call":
		it.webSearch(m.Get("action"), &c)
		it.answerOf(m, &c)
	case "file_search_call":
		v := m.Get("queries")
		c.input, c.readOnly, c.target = v.Raw, true, it.firstText(v)
		it.answerOf(m, &c)
	case "code_interpreter_call":
		c.input = m.Get("code").Raw // a program: it has no target
		it.answerOf(m, &c)
		c.output = it.logs(m.Get("outputs"))
	case "image_generation_call":
		c.target = it.Strings.Text(m.Get("revised_prompt"))
		it.answerOf(m, &c)
	case "tool_search_call":
		args, input := it.calls.decode(m.Get("arguments"))
		c.input, c.readOnly, c.target = input, true, it.calls.target(c.name, args, scan.Value{})
	case "program":
		c.input = m.Get("code").Raw
	}
	return c
}

func (it *items) namedCall(m scan.Members, wire scan.Value, c *itemOfCall) {
	c.name = it.toolName(m.Get("name").Body())
	args, input := it.calls.decode(wire)
	c.input, c.target = input, it.calls.target(c.name, args, wire)
}

// answerOf sets how the call in an item was answered, and why it failed.
func (it *items) answerOf(m scan.Members, c *itemOfCall) {
	if isRunning(m) {
		return
	}
	if c.answer = answerSuccess; m.Get("status").Is("failed") {
		c.answer = answerFailure
	}
	if v := m.Get("error"); v.Exists() && v.Kind != scan.KindNull {
		c.answer = answerFailure
		c.err = it.readFailure(v).text
		if c.err == "" {
			c.err = it.Strings.JSON(v)
		}
	}
}

// isRunning reports whether the server is still working on an item.
func isRunning(m scan.Members) bool {
	switch string(m.Get("status").Body()) {
	case "in_progress", "searching", "interpreting", "generating", "calling":
		return true
	}
	return false
}

func (it *items) mcpResult(m scan.Members, c *itemOfCall) {
	if c.answer != answerNone {
		c.output, _ = it.outputText(m.Get("output"))
	}
}

// shellCall reads a command as its words, or several as lines.
func (it *items) shellCall(action scan.Value, c *itemOfCall) {
	it.Members(action)
	c.input = action.Raw
	if v := it.Nested.Get("command"); v.Exists() {
		c.target = it.calls.command(v)
		return
	}
	var list []string
	for range scan.Elements(&it.Inner, it.Nested.Get("commands")) {
		if text := it.Strings.Text(it.Inner.Value()); text != "" {
			list = append(list, command.Unwrap(text))
		}
	}
	c.target = strings.Join(list, "\n")
}

// webSearch reads a search, or the page that is opened or searched.
func (it *items) webSearch(action scan.Value, c *itemOfCall) {
	it.Members(action)
	c.input, c.readOnly = action.Raw, true
	for _, key := range [...]string{"query", "url", "pattern"} {
		if c.target = it.Strings.Text(it.Nested.Get(key)); c.target != "" {
			return
		}
	}
	c.target = it.firstText(it.Nested.Get("queries"))
}

func (it *items) firstText(v scan.Value) string {
	for range scan.Elements(&it.Inner, v) {
		if text := it.Strings.Text(it.Inner.Value()); text != "" {
			return text
		}
	}
	return ""
}

// logs joins the output of an interpreter's code.
func (it *items) logs(v scan.Value) lines.Text {
	all := it.Output.Text()
	for m := range scan.Objects(&it.Inner, v, &it.Nested) {
		all.Line(m.Get("logs"))
	}
	return all
}
