package codex

import (
	"bytes"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/cause"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Codes of notices that only Codex gives.
const (
	noticeWarning   = "warning"
	noticeError     = "error"
	noticeRateLimit = "rate_limit"
	noticeRollback  = "rollback"
)

// isStreamKind separates the line types of `codex exec --json` from the item types that are bare in R1.
func isStreamKind(kind []byte) bool {
	return bytes.IndexByte(kind, '.') >= 0 || string(kind) == "error"
}

// streamLine gives the events of one line of E2 or E3.
func (p *Parser) streamLine(r *record) events.LineStatus {
	kind := r.kind.Body()
	switch string(kind) {
	case "thread.started", "session.created":
		p.threadStarted(r, string(kind) == "thread.started")
	case "turn.started":
		p.open, p.turns = true, true
		p.answer = ""
		p.Emit(events.KindTurnStarted)
	case "item.started", "item.updated", "item.completed":
		if !r.hasItem {
			return events.LineOK
		}
		return p.item(string(kind), r.item)
	case "turn.completed":
		p.threadUsage(r.top.Get("usage"))
		p.Emit(events.KindSessionEnded).End = &events.End{Result: p.answer}
		p.endRun()
	case "turn.failed":
		p.Nested = p.Scanner.MembersOf(r.top.Get("error"), p.Nested[:0])
		p.failed(p.Strings.Text(p.Nested.Get("message")))
		p.endRun()
	case "error":
		p.streamError(p.Strings.Text(r.top.Get("message")))
	case "item.plan.delta":
		return events.LineIgnored
	default:
		return p.Unknown("", kind)
	}
	return events.LineOK
}

// threadStarted opens a run.
func (p *Parser) threadStarted(r *record, promisesEnd bool) {
	id := p.Strings.Text(r.top.AnyOf("thread_id", "session_id"))
	p.begins(thread{id: id, session: id})
	p.open = promisesEnd
	p.Emit(events.KindSessionStarted).Session = &events.Session{}
}

// failed ends a run with a failure, which streams report in text alone.
func (p *Parser) failed(text string) {
	p.Emit(events.KindSessionEnded).End = &events.End{Error: true, Err: text, Cause: cause.Of(0, text)}
}

// endRun closes what a stream's turn began.
func (p *Parser) endRun() { p.open, p.answer = false, "" }

// reconnecting is how the message of a retry begins, which has the same type as a failure.
const reconnecting = "Reconnecting..."

// streamError handles an error line: a retry, or the failure that turn.failed repeats.
func (p *Parser) streamError(text string) {
	if len(text) >= len(reconnecting) && text[:len(reconnecting)] == reconnecting {
		p.Notice(events.LevelWarn, events.NoticeAPIRetry, text)
		return
	}
	p.Notice(events.LevelError, noticeError, text)
}

// item gives the events of one snapshot of an item. Texts come once, complete; a call at its first line.
func (p *Parser) item(phase string, m scan.Members) events.LineStatus {
	kind := m.AnyOf("type", "item_type")
	completed := phase == "item.completed"
	switch string(kind.Body()) {
	case "agent_message", "assistant_message":
		if text := p.Strings.Text(m.Get("text")); completed && !lines.Blank(text) {
			p.text(scan.Value{}, text)
			p.answer = text
		}
	case "reasoning":
		if completed {
			p.reasoning(scan.Value{}, p.Strings.Text(m.Get("text")))
		}
	case "error":
		if completed {
			p.Notice(events.LevelWarn, noticeWarning, p.Strings.Text(m.Get("message")))
		}
	case "command_execution", "file_change", "mcp_tool_call", "web_search", "todo_list", "collab_tool_call":
		p.itemCall(p.Strings.Intern(kind), phase, m) // also the name of most tools
	default:
		return p.Unknown("item/", kind.Body())
	}
	return events.LineOK
}

// text gives a text that is not blank.
// Where no line marks the end of a turn (E1, E2, R1, R2), any of them may be the last word.
func (p *Parser) text(item scan.Value, text string) {
	if lines.Blank(text) {
		return
	}
	e := p.emitModel(events.KindText, item)
	e.Text = text
	if !p.turns {
		e.Sign = events.Sign{Outcome: events.OutcomeOK, Weak: true}
	}
}

func (p *Parser) reasoning(item scan.Value, text string) {
	if !lines.Blank(text) {
		p.emitModel(events.KindReasoning, item).Text = text
	}
}

// itemCall gives a call at the first line of its item, and its result at the line that completes it. A started line
// that comes again after the result begins another call; a completed one says the same once more.
func (p *Parser) itemCall(kind, phase string, m scan.Members) {
	id := m.First("id")
	completed := phase == "item.completed"
	if len(id.Body()) == 0 && !completed {
		return // nothing shows that its lines belong together
	}
	c := p.callFor(id)
	if !c.called || c.answered && phase == "item.started" {
		inv := p.itemInvocation(kind, id, m)
		if kind == "web_search" && inv.target == "" && !completed {
			return // the query is in the completed item
		}
		p.beginCall(c, &inv)
	}
	if !completed {
		return
	}
	o := p.itemOutcome(kind, m)
	if !p.endCall(c, id, &o) || kind != "collab_tool_call" {
		return
	}
	p.spawned(o.agent, id)
	p.agentStates(m.Get("agents_states"))
}

// itemInvocation reads the call of an item.
func (p *Parser) itemInvocation(kind string, id scan.Value, m scan.Members) invocation {
	inv := invocation{id: id, name: kind}
	switch kind {
	case "command_execution":
		inv.input = m.Get("command")
		inv.target = p.command(inv.input)
	case "file_change":
		inv.input = m.Get("changes")
		inv.target = p.firstPath(inv.input)
	case "mcp_tool_call":
		inv.name = p.toolName(m.Get("tool"))
		inv.server = p.Strings.Intern(m.Get("server"))
		inv.input = m.Get("arguments")
		p.args = p.Scanner.MembersOf(inv.input, p.args[:0])
		inv.target = p.target(inv.name, p.args)
	case "web_search":
		inv.input = m.Get("action")
		inv.target = p.Strings.Text(m.Get("query"))
	case "todo_list":
		inv.input = m.Get("items")
	case "collab_tool_call":
		inv.name = p.toolName(m.Get("tool"))
		inv.input = m.Get("prompt")
		inv.target = p.Strings.Text(inv.input)
	}
	switch kind {
	case "mcp_tool_call", "web_search", "collab_tool_call":
		inv.readOnly = tools[inv.name].readOnly && inv.server == ""
	}
	return inv
}

// itemOutcome reads the result in a completed item.
func (p *Parser) itemOutcome(kind string, m scan.Members) outcome {
	var o outcome
	o.status(m.Get("status"))
	o.exit(m.Get("exit_code"))
	switch kind {
	case "command_execution":
		o.take(&p.Output, m.Get("aggregated_output"))
	case "mcp_tool_call":
		o.text = p.mcpText(m.Get("result"))
	case "collab_tool_call":
		o.text = p.agentWords(m.Get("agents_states"))
		if m.Get("tool").Is("spawn_agent") {
			o.agent = p.firstString(m.Get("receiver_thread_ids"))
			o.state = events.ToolStateBackground
		}
	}
	if v := m.Get("error"); isPresent(v) {
		o.failed = true
		o.err = p.errorText(v)
	}
	return o
}

// errorText is the message of an error object, or the error if it is a text.
func (p *Parser) errorText(v scan.Value) string {
	if v.Kind == scan.KindString {
		return p.Strings.Text(v)
	}
	p.Nested = p.Scanner.MembersOf(v, p.Nested[:0])
	return p.Strings.Text(p.Nested.Get("message"))
}
