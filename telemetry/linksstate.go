package telemetry

import (
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/outcome"
)

// A stream whose own work is complete is not replayed after a restart. The files of its sub-agents may be yet to be read:
// what they need to know of it is kept with its state, and [Registry.Recall] gives it back to the registry.

// LinksState is what a complete stream knows of the sub-agents that it started and that no stream has shown whole: how many
// files a workflow has is not known, and an agent may have none at all.
type LinksState struct {
	Provider string `json:"provider"`
	// Agents are those whose ids the stream reported.
	Agents []ChildState `json:"agents,omitempty"`
	// Session holds those that only the folder of its files links to it; nil if there are none.
	Session *SessionState `json:"session,omitempty"`
}

// SessionState are the runs of a session whose folder holds sub-agents, and how far it has come, in Unix nanoseconds.
type SessionState struct {
	ID     string            `json:"id"`
	Latest int64             `json:"latest"`
	Runs   []SessionRunState `json:"runs"`
}

// SessionRunState is a run, when it began, and the calls of it that started agents.
type SessionRunState struct {
	RunState
	Start    int64               `json:"start"`
	Spawning []SpawningCallState `json:"spawning,omitempty"`
}

// SpawningCallState is a call that started an agent, and how it ended.
type SpawningCallState struct {
	CallState
	EndState
	Target textMark `json:"target"`
}

// EndState is how the call of a sub-agent ended, or its work in the background.
type EndState struct {
	Reason    otlp.CloseReason `json:"reason,omitempty"`
	Outcome   string           `json:"outcome,omitempty"`
	Cause     string           `json:"cause,omitempty"`
	CallTimes *Times           `json:"call_times,omitempty"`
	// Took is how long work in the background took, as the notice of its end reports it, in nanoseconds.
	Took time.Duration `json:"took_ns,omitempty"`
}

func endState(e *ending) EndState {
	return EndState{Reason: e.Reason, Outcome: e.Outcome.String(), Cause: string(e.Cause), CallTimes: timesOf(&e.span), Took: e.took}
}

func (s *EndState) ending() ending {
	v := outcome.Verdict{Outcome: events.ParseOutcome(s.Outcome), Reason: s.Reason, Cause: events.Cause(s.Cause)}
	return ending{Verdict: v, span: s.CallTimes.interval(), took: s.Took}
}

func runState(r *runRef) RunState {
	return RunState{
		Key: r.key, Scope: r.scope, Session: r.sessionID, Trace: r.traceID, Top: r.topSpanID, Ended: timesOf(r.span.Load()),
		Exported: r.exported, Totals: r.totals.Load() && !r.recorded,
	}
}

func callState(c *callRef) CallState {
	return CallState{Span: c.spanID, Type: c.agentType, Tool: c.toolName, Exported: c.exported}
}

func (s *CallState) ref() *callRef {
	return &callRef{spanID: s.Span, agentType: s.Type, toolName: s.Tool, exported: s.Exported}
}

// linksState is what the stream's sub-agents need that have not come; nil if there are none.
func (s *Stream) linksState() *LinksState {
	state := &LinksState{Provider: s.settings.Agent.Provider}
	for _, key := range s.links.announced {
		if k := s.registry.linkNow(key); !k.done && k.run != nil {
			state.Agents = append(state.Agents, *s.registry.childState(key, &k))
		}
	}
	if r := s.run; r != nil && s.settings.Agent.Folders {
		state.Session = s.registry.sessionState(s, sessionKey{s.settings.Agent.Provider, r.sessionID})
	}
	if state.Agents == nil && state.Session == nil {
		return nil
	}
	return state
}

// sessionState is what is known of a session, if a call of the stream started an agent whose file was not read yet.
func (r *Registry) sessionState(maker *Stream, key sessionKey) *SessionState {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, known := r.links.sessions.Get(key)
	if !known {
		return nil
	}
	missed := false
	state := &SessionState{ID: key.session, Latest: int64(s.latest)}
	for _, run := range s.runs {
		one := SessionRunState{RunState: runState(run.ref), Start: int64(run.start)}
		for i := range run.spawning {
			c := &run.spawning[i]
			missed = missed || c.maker == maker && !c.found
			one.Spawning = append(one.Spawning, SpawningCallState{callState(c.call), endState(&c.how), c.target})
		}
		state.Runs = append(state.Runs, one)
	}
	if !missed {
		return nil
	}
	return state
}

// recallLinks restores what a complete stream knew of its sub-agents. Its owner locks.
func (r *Registry) recallLinks(state *LinksState) {
	for i := range state.Agents {
		one := &state.Agents[i]
		r.recallChild(agentKey{state.Provider, one.Session, one.Agent, one.Task}, one)
	}
	session := state.Session
	if session == nil {
		return
	}
	key := sessionKey{state.Provider, session.ID}
	s, known := r.links.sessions.Get(key)
	if !known {
		s = &sessionRuns{}
		r.links.sessions.Set(key, s)
	}
	if latest := clock.Instant(session.Latest); latest.After(s.latest) {
		s.latest = latest
	}
	for i := range session.Runs {
		one := &session.Runs[i]
		ref := r.recallRun(&one.RunState)
		if s.of(ref) != nil {
			continue
		}
		run := &datedRun{ref: ref, start: clock.Instant(one.Start)}
		for j := range one.Spawning {
			c := &one.Spawning[j]
			run.spawning = append(run.spawning, spawningCall{call: c.ref(), target: c.Target, how: c.ending()})
		}
		s.runs = append(s.runs, run)
	}
}
