package codex

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// agentRun is what the parser remembers of a sub-agent, by its thread. The sub-agent works in the background of the
// thread that started it; its own events are in its own rollout.
type agentRun struct {
	call  string // ID of the call that started it, or that last gave it a task
	state events.ToolState
}

// agents holds the sub-agents that a thread started.
type agents struct {
	*line
	calls *calls
	runs  memory.Table[agentRun]
}

func (ag *agents) agentKey(thread string) uint64 { return ag.Keys.String(domainAgent, thread) }

// spawned remembers which call started a sub-agent.
func (ag *agents) spawned(thread string, id scan.Value) {
	if thread == "" || len(id.Body()) == 0 {
		return
	}
	*ag.runs.Ref(ag.agentKey(thread)) = agentRun{call: ag.callID.Text(&ag.Strings, id), state: events.ToolStateRunning}
	ag.calls.callFor(id).agent = thread
}

// asked remembers which call gave a sub-agent a further task, and emits that for the call. A message to a running sub-agent
// is not a task.
func (ag *agents) asked(thread string, id scan.Value) {
	if thread == "" || len(id.Body()) == 0 {
		return
	}
	if a := ag.runs.Find(ag.agentKey(thread)); a != nil && a.state == events.ToolStateRunning {
		return
	}
	c := ag.calls.callOf(id)
	if c.wasCalled() && c.name == "send_message" {
		return // the message waits for the agent's next task
	}
	if !c.wasCalled() {
		ag.calls.begin(&invocation{id: id, name: "followup_task", body: id.Raw, script: true})
		ag.spawned(thread, id)
		ag.calls.end(id, &outcome{state: events.ToolStateBackground})
		return
	}
	ag.spawned(thread, id)
	ag.calls.callFor(id).asked = true
	e := ag.Emit(events.KindToolProgress)
	e.Tool.ID, e.Tool.State, e.Tool.AgentID = ag.Strings.Text(id), events.ToolStateRunning, thread
}

// agentState reports a change of the state of a sub-agent under the call that started it.
func (ag *agents) agentState(thread string, state events.ToolState, words string) {
	a := ag.runs.Find(ag.agentKey(thread))
	if a == nil || a.call == "" || state == events.ToolStateUnspecified || state == a.state {
		return
	}
	a.state = state
	e := ag.Emit(events.KindToolProgress)
	e.Text = words
	e.Tool.ID, e.Tool.State, e.Tool.AgentID = a.call, state, thread
	if state == events.ToolStateFailed {
		e.Tool.Error, e.Tool.Err = true, words
	}
}

// eachAgent calls f with the state of each thread in an object of states, which has two forms:
//
//	E3, collab_tool_call           {"<thread>":{"status":"completed","message":"..."}}
//	R4, and outputs of wait_agent  {"<thread>":{"completed":"..."}} or {"<thread>":"running"}
func (ag *agents) eachAgent(states scan.Value, f func(thread string, state []byte, words scan.Value)) {
	if states.Kind != scan.KindObject {
		return
	}
	s := &ag.Scanner
	s.Reset(states.Raw)
	for s.Object(); s.Key(); {
		thread := ag.Strings.Unescape(s.Name())
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
func (ag *agents) agentStates(states scan.Value) {
	ag.eachAgent(states, func(thread string, state []byte, words scan.Value) {
		ag.agentState(thread, agentStateOf(state), ag.Strings.Text(words))
	})
}

// agentWords returns the last messages of the sub-agents in an object of states, one below the other.
func (ag *agents) agentWords(states scan.Value) lines.Text {
	all := ag.Output.Text()
	ag.eachAgent(states, func(_ string, _ []byte, words scan.Value) {
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

// agentOutput reads the output of a collaboration tool if no item has its content (0.125): the sub-agent that
// spawn_agent started, or the states that wait_agent returned.
func (ag *agents) agentOutput(name string, id scan.Value, output []byte) {
	if len(output) == 0 || output[0] != '{' {
		return
	}
	s := &ag.Scanner
	s.Reset(output)
	if ag.Nested = s.Members(ag.Nested[:0]); s.Err() != nil {
		return
	}
	switch name {
	case "spawn_agent":
		ag.spawned(ag.Strings.Intern(ag.Nested.Get("agent_id")), id)
	case "wait_agent", "wait":
		ag.agentStates(ag.Nested.Get("status"))
	}
}
