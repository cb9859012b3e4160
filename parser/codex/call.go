package codex

import (
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// call is what the parser remembers of a tool call, by its ID.
//
//	state        called  answered
//	open         yes     no        the same body again is a repetition, another body is a new call
//	done         yes     yes       the same ID again is a new call
//	early        no      yes       the result came first, at the head of a truncated stream; the call may still come
type call struct {
	body             uint64
	name             string
	called, answered bool
	agent            string // thread of the sub-agent that the call started
	asked            bool   // it gave that sub-agent a further task
	work             work
}

// work is the state of the work that continues after a call was answered.
type work uint8

const (
	workDone         work = iota // there is none
	workInBackground             // it was answered while its work continued
	workOver                     // the end of the work was reported after the answer
)

// use records a call and reports whether it is new.
func (c *call) use(body uint64, name string) bool {
	if c.called && c.body == body && !c.answered {
		return false
	}
	*c = call{body: body, name: name, called: true, answered: c.answered && !c.called}
	return true
}

// invocation is the content of a line about a call.
type invocation struct {
	id, item  scan.Value // ID of the call; ID of the line or item
	name      string
	target    string
	server    string
	agentType string
	input     scan.Value // raw arguments
	body      []byte     // distinguishes the call from another with the same ID
	readOnly  bool
	asks      bool      // it asks to run outside of the sandbox
	script    bool      // made by a script of code mode, not by the model itself
	at        time.Time // set if the line has a better time than its own
}

// outcome is the content of a line about a result.
type outcome struct {
	name           string // name of the tool, used if no call had it
	item           scan.Value
	text           lines.Text
	from           [2]scan.Value // the source of text, if that can be long
	err            string        // error that the line has in addition to the text
	failed, denied bool
	code           int
	hasCode        bool
	truncated      bool
	state          events.ToolState
	duration       time.Duration
	agent          string // thread of the sub-agent that the call started
	at             time.Time
}

// status reads the status of an item. While it is in_progress the outcome is unknown, even if the item is complete.
func (o *outcome) status(v scan.Value) {
	switch string(v.Body()) {
	case "failed":
		o.failed = true
	case "declined":
		o.failed, o.denied = true, true
	}
}

// exit reads an exit code; null means that there is none.
func (o *outcome) exit(v scan.Value) {
	if v.Kind == scan.KindNumber {
		o.code, o.hasCode = int(v.Int()), true
		o.failed = o.failed || o.code != 0
	}
}

// calls holds the tool calls of a thread and their results.
type calls struct {
	*line
	byID memory.Table[call]
}

// callOf returns what is known of a call, or nil. Differently escaped forms of an ID are the same.
func (cs *calls) callOf(id scan.Value) *call {
	if len(id.Body()) == 0 {
		return nil
	}
	return cs.byID.Find(cs.Keys.ID(domainCall, id.Body()))
}

// callFor is like callOf but creates the entry if it is missing. A call without an ID is not remembered.
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

// begin emits a call, unless it repeats an open one.
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

// end emits the result of a call, unless it was already emitted. An item without an ID begins and ends on one line.
func (cs *calls) end(id scan.Value, o *outcome) { cs.endCall(cs.callFor(id), id, o) }

// endCall emits the result of a call. It returns false if the result was already emitted.
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
		o.state = events.ToolStateBackground // the answer only confirms that the message was delivered
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

// doneInvocation reads a call that the API or the program ran at once, so that call and result are on one line. The
// response item, the item and the event of its end use different names for it.
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

// done emits such a call and its result.
func (cs *calls) done(kind string, m scan.Members) {
	inv := cs.doneInvocation(kind, m)
	cs.once(&inv, &outcome{})
}

// once emits a call and its result, unless another line had them. Without an ID a repetition is not recognised.
func (cs *calls) once(inv *invocation, o *outcome) {
	if cs.callOf(inv.id).wasCalled() {
		return
	}
	cs.begin(inv)
	o.name = inv.name
	cs.end(inv.id, o)
}
