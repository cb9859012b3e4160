package codex

import (
	"time"
	"unicode"

	"github.com/tailspan/tailspan/events"
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
	background       bool   // answered while its work went on
	over             bool   // its work was told to have ended after the answer
}

// use takes note of a call and reports whether it is one of its own.
func (c *call) use(body uint64, name string) bool {
	if c.called && c.body == body && !c.answered {
		return false
	}
	*c = call{body: body, name: name, called: true, answered: c.answered && !c.called}
	return true
}

// invocation is what a line tells of a call.
type invocation struct {
	id, item  scan.Value // the call's id, and the line's or item's own
	name      string
	target    string
	server    string
	agentType string
	input     scan.Value // the arguments, raw
	body      []byte     // what tells the call from another under the same id
	readOnly  bool
	script    bool      // made by a script of code mode, not by the model itself
	at        time.Time // if the line tells a better time than its own
}

// outcome is what a line tells of a result.
type outcome struct {
	name           string // of the tool, if no call told it
	item           scan.Value
	text           []byte // in p.output
	err            string // if the line tells it beside the text
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

// callOf finds what is known of a call. Ids that read the same are the same, however they are escaped.
func (p *Parser) callOf(id scan.Value) (call, uint64) {
	if len(id.Body()) == 0 {
		return call{}, 0
	}
	key := p.idHash(domainCall, id)
	c, _ := p.calls.Get(key)
	return c, key
}

// begin gives a call, unless it repeats one that is open.
func (p *Parser) begin(inv *invocation) {
	c, key := p.callOf(inv.id)
	if !c.use(p.hashPair(domainBody, inv.name, inv.body), inv.name) {
		return
	}
	if key != 0 {
		p.calls.Set(key, c)
	}
	e := p.emitModel(events.KindToolUse, inv.item)
	if inv.script {
		e.MessageID = ""
	}
	if !inv.at.IsZero() {
		e.Time = inv.at
	}
	e.Tool = events.Tool{
		ID:        p.strings.Text(inv.id),
		Name:      inv.name,
		Target:    inv.target,
		Input:     inv.input.Raw,
		AgentType: inv.agentType,
		Server:    inv.server,
		ReadOnly:  inv.readOnly,
	}
}

// end gives the result of a call; it reports false if the call has one. An item without an id begins and ends on one
// line.
func (p *Parser) end(id scan.Value, o *outcome) bool {
	c, key := p.callOf(id)
	if c.answered {
		return false
	}
	if c.name == "" {
		c.name = o.name
	}
	c.answered, c.background = true, o.state == events.ToolStateBackground
	if o.agent == "" {
		o.agent = c.agent
	}
	if key != 0 {
		p.calls.Set(key, c)
	}
	e := p.emit(events.KindToolResult)
	e.ItemID = p.strings.Text(o.item)
	if !o.at.IsZero() {
		e.Time = o.at
	}
	e.Tool = events.Tool{
		ID: p.strings.Text(id), Name: c.name, State: o.state,
		Error: o.failed, Denied: o.denied, ExitCode: o.code, HasExitCode: o.hasCode,
		Summary: p.summary(o.text), Output: o.text, Size: len(o.text), Truncated: o.truncated || cutShort(o.text),
		Duration: o.duration, AgentID: o.agent,
	}
	if o.failed {
		e.Tool.Err = o.err
		if o.err == "" {
			e.Tool.Err = string(o.text)
		}
		if e.Tool.Summary == "" {
			e.Tool.Summary = events.Summary(o.err)
		}
	}
	return true
}

// toolName is the name as spelled, without control sequences.
func (p *Parser) toolName(v scan.Value) string { return events.CleanLine(p.strings.Intern(v), 0) }

// blank reports whether text is white space alone.
func blank(text string) bool {
	for _, c := range text {
		if !unicode.IsSpace(c) {
			return false
		}
	}
	return true
}
