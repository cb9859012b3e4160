package codex

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// agentRun is what is remembered of a sub-agent, by its thread. It works in the background of the thread that started
// it; its own events are in its own rollout.
type agentRun struct {
	call  string // the id of the call that started it
	state events.ToolState
}

func (p *Parser) agentKey(thread string) uint64 { return p.Keys.String(domainAgent, thread) }

// spawned remembers which call started a sub-agent.
func (p *Parser) spawned(thread string, id scan.Value) {
	if thread == "" || len(id.Body()) == 0 {
		return
	}
	*p.agents.Ref(p.agentKey(thread)) = agentRun{call: p.callID.Text(&p.Strings, id), state: events.ToolStateRunning}
	p.callFor(id).agent = thread
}

// asked remembers which call asked a sub-agent again, and emits that for the call. A message to one that is at work asks for
// nothing of its own.
func (p *Parser) asked(thread string, id scan.Value) {
	if thread == "" || len(id.Body()) == 0 {
		return
	}
	if a := p.agents.Find(p.agentKey(thread)); a != nil && a.state == events.ToolStateRunning {
		return
	}
	c := p.callOf(id)
	if c.wasCalled() && c.name == "send_message" {
		return // it waits for the agent's next task
	}
	if !c.wasCalled() {
		p.begin(&invocation{id: id, name: "followup_task", body: id.Raw, script: true})
		p.spawned(thread, id)
		p.end(id, &outcome{state: events.ToolStateBackground})
		return
	}
	p.spawned(thread, id)
	p.callFor(id).asked = true
	e := p.Emit(events.KindToolProgress)
	e.Tool.ID, e.Tool.State, e.Tool.AgentID = p.Strings.Text(id), events.ToolStateRunning, thread
}

// agentState reports the state of a sub-agent under the call that started it, once for each change.
func (p *Parser) agentState(thread string, state events.ToolState, words string) {
	a := p.agents.Find(p.agentKey(thread))
	if a == nil || a.call == "" || state == events.ToolStateUnspecified || state == a.state {
		return
	}
	a.state = state
	e := p.Emit(events.KindToolProgress)
	e.Text = words
	e.Tool.ID, e.Tool.State, e.Tool.AgentID = a.call, state, thread
	if state == events.ToolStateFailed {
		e.Tool.Error, e.Tool.Err = true, words
	}
}

// eachAgent goes over the states of an object by thread, in their two forms:
//
//	E3, collab_tool_call           {"<thread>":{"status":"completed","message":"..."}}
//	R4, and outputs of wait_agent  {"<thread>":{"completed":"..."}} or {"<thread>":"running"}
func (p *Parser) eachAgent(states scan.Value, f func(thread string, state []byte, words scan.Value)) {
	if states.Kind != scan.KindObject {
		return
	}
	s := &p.Scanner
	s.Reset(states.Raw)
	for s.Object(); s.Key(); {
		thread := p.Strings.Unescape(s.Name())
		if s.Peek() != scan.KindObject {
			f(thread, s.Value().Body(), scan.Value{})
			continue
		}
		var state []byte
		var words scan.Value
		for s.Object(); s.Key(); {
			switch name := s.Name(); string(name) {
			case "status":
				state = s.Value().Body()
			case "message":
				words = s.Value()
			default:
				state, words = name, s.Value()
			}
		}
		f(thread, state, words)
	}
}

// agentStates reports all sub-agents in an object of states.
func (p *Parser) agentStates(states scan.Value) {
	p.eachAgent(states, func(thread string, state []byte, words scan.Value) {
		p.agentState(thread, agentStateOf(state), p.Strings.Text(words))
	})
}

// agentWords is what the sub-agents of an object of states said last, one below the other.
func (p *Parser) agentWords(states scan.Value) lines.Text {
	all := p.Output.Text()
	p.eachAgent(states, func(_ string, _ []byte, words scan.Value) {
		all.Line(words)
	})
	return all
}

func agentStateOf(word []byte) events.ToolState {
	switch string(word) {
	case "pending_init", "running", "started", "interacted":
		return events.ToolStateRunning
	case "completed":
		return events.ToolStateCompleted
	case "errored", "failed":
		return events.ToolStateFailed
	case "interrupted", "shutdown":
		return events.ToolStateStopped
	default:
		return events.ToolStateUnspecified
	}
}

// agentOutput reads the output of a collaboration tool, where no item has its content (0.125): whom spawn_agent
// started, and what wait_agent found.
func (p *Parser) agentOutput(name string, id scan.Value, output []byte) {
	if len(output) == 0 || output[0] != '{' {
		return
	}
	s := &p.Scanner
	s.Reset(output)
	if p.Nested = s.Members(p.Nested[:0]); s.Err() != nil {
		return
	}
	switch name {
	case "spawn_agent":
		p.spawned(p.Strings.Intern(p.Nested.Get("agent_id")), id)
	case "wait_agent", "wait":
		p.agentStates(p.Nested.Get("status"))
	}
}
