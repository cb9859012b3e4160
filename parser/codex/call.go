package codex

import (
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
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
	work             work
}

// work is what goes on of a call behind its answer.
type work uint8

const (
	workDone         work = iota // nothing
	workInBackground             // it was answered while its work went on
	workOver                     // the work was reported as ended after the answer
)

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

// calls are the tool calls of a thread, and their results.
type calls struct {
	*line
	byID memory.Table[call]
}

// callOf finds what is known of a call; nil if nothing is. Ids that read the same are the same, however they are escaped.
func (cs *calls) callOf(id scan.Value) *call {
	if len(id.Body()) == 0 {
		return nil
	}
	return cs.byID.Find(cs.Keys.ID(domainCall, id.Body()))
}

// callFor is callOf for a call that is remembered from here on. One without an id is known to nobody else.
func (cs *calls) callFor(id scan.Value) *call {
	if len(id.Body()) == 0 {
		return new(call)
	}
	return cs.byID.Ref(cs.Keys.ID(domainCall, id.Body()))
}

// wasCalled reports whether the call was emitted.
func (c *call) wasCalled() bool { return c != nil && c.called }

// wasAnswered reports whether the call's result was emitted.
func (c *call) wasAnswered() bool { return c != nil && c.answered }

// begin gives a call, unless it repeats one that is open.
func (cs *calls) begin(inv *invocation) { cs.beginCall(cs.callFor(inv.id), inv) }

func (cs *calls) beginCall(c *call, inv *invocation) {
	if !c.use(cs.Keys.With(cs.Keys.String(domainBody, inv.name), inv.body), inv.name) {
		return
	}
	e := cs.emitModel(events.KindToolUse, inv.item)
	if inv.script {
		e.MessageID = ""
	}
	if !inv.at.IsZero() {
		e.Time = inv.at
	}
	t := &e.Tool
	t.ID, t.Name, t.Target = cs.callID.Text(&cs.Strings, inv.id), inv.name, inv.target
	t.AgentType, t.Server, t.ReadOnly, t.Asks = inv.agentType, inv.server, inv.readOnly, inv.asks
	if !cs.DropInput {
		t.Input = inv.input.Raw
	}
}

// end gives the result of the call with an id, unless the call has one. An item without an id begins and ends on one line.
func (cs *calls) end(id scan.Value, o *outcome) { cs.endCall(cs.callFor(id), id, o) }

// endCall gives the result of a call; it reports false if the call has one.
func (cs *calls) endCall(c *call, id scan.Value, o *outcome) bool {
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
	if c.answered = true; o.state == events.ToolStateBackground && c.work != workOver {
		c.work = workInBackground
	}
	e := cs.Emit(events.KindToolResult)
	e.ItemID = cs.Strings.Text(o.item)
	if !o.at.IsZero() {
		e.Time = o.at
	}
	t := &e.Tool
	t.ID, t.Name, t.State = cs.callID.Text(&cs.Strings, id), c.name, o.state
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

// doneInvocation reads a call that the API or the program did at once, of which call and result are on one line: the
// response item, the item and the event of its end have it under different names.
func (cs *calls) doneInvocation(kind string, m scan.Members) invocation {
	inv := invocation{id: m.AnyOf("call_id", "id"), item: m.Get("id")}
	switch kind {
	case "web_search_call", "web_search_end", "WebSearch":
		inv.name, inv.readOnly = "web_search", true
		inv.input = m.Get("action")
		if inv.target = cs.Strings.Text(m.Get("query")); inv.target == "" {
			args := cs.Members(inv.input)
			inv.target = cs.Strings.Text(args.AnyOf("query", "url", "pattern"))
		}
	case "view_image_tool_call", "ImageView":
		inv.name, inv.readOnly = "view_image", true
		inv.input = m.Get("path")
		inv.target = cs.Strings.Text(inv.input)
	default:
		inv.name = "image_generation"
		inv.input = m.Get("revised_prompt")
	}
	return inv
}

// done gives such a call and its result.
func (cs *calls) done(kind string, m scan.Members) {
	inv := cs.doneInvocation(kind, m)
	cs.once(&inv, &outcome{})
}

// once emits a call and its result, unless another line had them. Without an id a repeat cannot be recognised.
func (cs *calls) once(inv *invocation, o *outcome) {
	if cs.callOf(inv.id).wasCalled() {
		return
	}
	cs.begin(inv)
	o.name = inv.name
	cs.end(inv.id, o)
}
