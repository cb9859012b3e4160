package codex

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// agentRun is what is remembered of a sub-agent, by its thread. It works in the background of the thread that started
// it; its own events stand in its own rollout.
type agentRun struct {
	call  string // the id of the call that started it
	state events.ToolState
}

func (p *Parser) agentOf(thread string) (agentRun, uint64) {
	key := p.hashString(domainAgent, thread)
	a, _ := p.agents.Get(key)
	return a, key
}

// spawned remembers which call started a sub-agent.
func (p *Parser) spawned(thread string, id scan.Value) {
	if thread == "" || len(id.Body()) == 0 {
		return
	}
	_, key := p.agentOf(thread)
	p.agents.Set(key, agentRun{call: p.strings.Text(id), state: events.ToolStateRunning})
	c, callKey := p.callOf(id)
	c.agent = thread
	p.calls.Set(callKey, c)
}

// agentState tells the call that started a sub-agent where that one stands, once for each change.
func (p *Parser) agentState(thread string, state events.ToolState, words string) {
	a, key := p.agentOf(thread)
	if a.call == "" || state == events.ToolStateUnspecified || state == a.state {
		return
	}
	a.state = state
	p.agents.Set(key, a)
	e := p.emit(events.KindToolProgress)
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
	s := &p.inner
	s.Reset(states.Raw)
	for s.Object(); s.Key(); {
		thread := p.strings.Unescape(s.Name())
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

// agentStates tells of all sub-agents in an object of states.
func (p *Parser) agentStates(states scan.Value) {
	p.eachAgent(states, func(thread string, state []byte, words scan.Value) {
		p.agentState(thread, agentStateOf(state), p.strings.Text(words))
	})
}

// agentWords is what the sub-agents of an object of states said last, one below the other.
func (p *Parser) agentWords(states scan.Value) []byte {
	start := len(p.output)
	p.eachAgent(states, func(_ string, _ []byte, words scan.Value) {
		if len(words.Body()) == 0 {
			return
		}
		if len(p.output) > start {
			p.output = append(p.output, '\n')
		}
		p.output = scan.AppendString(p.output, words.Body())
	})
	return p.output[start:len(p.output):len(p.output)]
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

// agentOutput reads what the output of a collaboration tool tells, where no item tells it (0.125): whom spawn_agent
// started, and what wait_agent found.
func (p *Parser) agentOutput(name string, id scan.Value, output []byte) {
	if len(output) == 0 || output[0] != '{' {
		return
	}
	s := &p.inner
	s.Reset(output)
	p.nested = p.nested[:0]
	for s.Object(); s.Key(); {
		p.nested = keep(p.nested, s)
	}
	if s.Err() != nil {
		return
	}
	switch name {
	case "spawn_agent":
		p.spawned(p.strings.Intern(p.nested.get("agent_id")), id)
	case "wait_agent", "wait":
		p.agentStates(p.nested.get("status"))
	}
}
