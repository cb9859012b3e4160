package codex

import (
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// call is what is remembered of a tool call, by its id.
//
//	state        called  answered
//	open         yes     no        a repeat with the same body is dropped, one with another body is a new call
//	done         yes     yes       the id again is a new call
//	early        no      yes       the result came first, at the head of a stream that was cut; the call may still come
type call struct {
	body             uint64
	name             string
	called, answered bool
	agent            string // thread of the sub-agent that the call started
	asked            bool   // it asked that sub-agent again
	background       bool   // answered while its work went on
	over             bool   // its work was reported as ended after the answer
}

// use takes note of a call and reports whether it is one of its own.
func (c *call) use(body uint64, name string) bool {
	if c.called && c.body == body && !c.answered {
		return false
	}
	*c = call{body: body, name: name, called: true, answered: c.answered && !c.called}
	return true
}

// invocation is what a line contains of a call.
type invocation struct {
	id, item  scan.Value // the call's id, and the line's or item's own
	name      string
	target    string
	server    string
	agentType string
	input     scan.Value // the arguments, raw
	body      []byte     // what distinguishes the call from another under the same id
	readOnly  bool
	asks      bool      // it is to run outside of the sandbox
	script    bool      // made by a script of code mode, not by the model itself
	at        time.Time // if the line has a better time than its own
}

// outcome is what a line contains of a result.
type outcome struct {
	name           string // of the tool, if no call had it
	item           scan.Value
	text           lines.Text
	from           [2]scan.Value // what text is of, where that can be long
	err            string        // if the line has it beside the text
	failed, denied bool
	code           int
	hasCode        bool
	truncated      bool
	state          events.ToolState
	duration       time.Duration
	agent          string // thread of the sub-agent that the call started
	at             time.Time
}

// status reads the status of an item. While one is in_progress nothing is known, also where the item is complete.
func (o *outcome) status(v scan.Value) {
	switch string(v.Body()) {
	case "failed":
		o.failed = true
	case "declined":
		o.failed, o.denied = true, true
	}
}

// exit reads an exit code; null is none.
func (o *outcome) exit(v scan.Value) {
	if v.Kind == scan.KindNumber {
		o.code, o.hasCode = int(v.Int()), true
		o.failed = o.failed || o.code != 0
	}
}

// callOf finds what is known of a call; nil if nothing is. Ids that read the same are the same, however they are escaped.
func (p *Parser) callOf(id scan.Value) *call {
	if len(id.Body()) == 0 {
		return nil
	}
	return p.calls.Find(p.Keys.ID(domainCall, id.Body()))
}

// callFor is callOf for a call that is remembered from here on. One without an id is known to nobody else.
func (p *Parser) callFor(id scan.Value) *call {
	if len(id.Body()) == 0 {
		return new(call)
	}
	return p.calls.Ref(p.Keys.ID(domainCall, id.Body()))
}

// wasCalled reports whether the call was emitted.
func (c *call) wasCalled() bool { return c != nil && c.called }

// wasAnswered reports whether the call's result was emitted.
func (c *call) wasAnswered() bool { return c != nil && c.answered }

// begin gives a call, unless it repeats one that is open.
func (p *Parser) begin(inv *invocation) { p.beginCall(p.callFor(inv.id), inv) }

func (p *Parser) beginCall(c *call, inv *invocation) {
	if !c.use(p.Keys.With(p.Keys.String(domainBody, inv.name), inv.body), inv.name) {
		return
	}
	e := p.emitModel(events.KindToolUse, inv.item)
	if inv.script {
		e.MessageID = ""
	}
	if !inv.at.IsZero() {
		e.Time = inv.at
	}
	t := &e.Tool
	t.ID, t.Name, t.Target = p.callID.Text(&p.Strings, inv.id), inv.name, inv.target
	t.AgentType, t.Server, t.ReadOnly, t.Asks = inv.agentType, inv.server, inv.readOnly, inv.asks
	if !p.DropInput {
		t.Input = inv.input.Raw
	}
}

// end gives the result of the call with an id, unless the call has one. An item without an id begins and ends on one line.
func (p *Parser) end(id scan.Value, o *outcome) { p.endCall(p.callFor(id), id, o) }

// endCall gives the result of a call; it reports false if the call has one.
func (p *Parser) endCall(c *call, id scan.Value, o *outcome) bool {
	if c.answered {
		return false
	}
	if c.name == "" {
		c.name = o.name
	}
	if o.agent == "" {
		o.agent = c.agent
	}
	if c.asked && !o.failed {
		o.state = events.ToolStateBackground // the answer says that the message was delivered
	}
	c.answered, c.background = true, o.state == events.ToolStateBackground
	e := p.Emit(events.KindToolResult)
	e.ItemID = p.Strings.Text(o.item)
	if !o.at.IsZero() {
		e.Time = o.at
	}
	t := &e.Tool
	t.ID, t.Name, t.State = p.callID.Text(&p.Strings, id), c.name, o.state
	t.Error, t.Denied, t.ExitCode, t.HasExitCode = o.failed, o.denied, o.code, o.hasCode
	o.text.Fill(t)
	t.Truncated, t.Duration, t.AgentID = o.truncated || o.wasCut(t.Size), o.duration, o.agent
	if o.failed {
		t.Err = o.err
		if o.err == "" {
			t.Err = string(o.text.All())
		}
		if t.Summary == "" {
			t.Summary = events.Summary(o.err)
		}
	}
	return true
}

// toolName is the name as written, without control sequences.
func (p *Parser) toolName(v scan.Value) string { return events.CleanLine(p.Strings.Intern(v), 0) }
