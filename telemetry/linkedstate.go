package telemetry

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/ledger"
)

// What a sub-agent used is kept with the state of its own stream, which is not replayed once it is complete. After a
// restart it counts for the runs whose spans were not written, which the states of their streams name.

// RunLink names a run.
type RunLink struct {
	Trace pcommon.TraceID `json:"trace"`
	Top   pcommon.SpanID  `json:"top"`
}

// LinkState is what one task of a sub-agent used.
type LinkState struct {
	Task         int              `json:"task,omitempty"`
	Maker        string           `json:"maker,omitempty"`
	MakerTask    int              `json:"maker_task,omitempty"`
	Group        string           `json:"group,omitempty"`         // the id that stands for it and others
	SpawningCall string           `json:"spawning_call,omitempty"` // the call that its folder names
	End          int64            `json:"end,omitempty"`           // in Unix nanoseconds
	Models       []ModelUsedState `json:"models,omitempty"`
}

// ModelUsedState is what was used of a model.
type ModelUsedState struct {
	Model     string        `json:"model,omitempty"`
	Tokens    events.Tokens `json:"tokens"`
	CostUSD   float64       `json:"cost_usd,omitempty"`
	HasCost   bool          `json:"has_cost,omitempty"`
	Estimated bool          `json:"estimated,omitempty"`
}

// linkStates are the tasks of a sub-agent that are over and whose run's span was not written; of the last one only if it is
// closed, since its lines are replayed else.
func (r *Registry) linkStates(ref *runRef, last agentKey, closed bool, group string) (states []LinkState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	tasks := last.task
	if closed {
		tasks++
	}
	for key := linkKey(last); tasks > 0; tasks-- {
		key.task = tasks - 1
		one := ref.linked.all[key]
		if one == nil || one.state != linkOver {
			continue
		}
		state := LinkState{Task: key.task, Maker: one.maker.agent, MakerTask: one.maker.task, Group: group, SpawningCall: one.spawningCall.agent, End: int64(one.end)}
		for i := range one.used {
			m := &one.used[i]
			state.Models = append(state.Models, ModelUsedState{m.Model, m.Tokens, m.CostUSD, m.HasCost, m.Estimated})
		}
		states = append(states, state)
	}
	return states
}

// recall enters what a task used.
func (l *linkedAgents) recall(provider, agent string, state *LinkState, limit int) {
	one := l.entry(agentKey{provider: provider, agent: agent, task: state.Task}, limit)
	if one == nil {
		return
	}
	one.state, one.end, one.used = linkOver, clock.Instant(state.End), nil
	one.spawningCall = agentKey{}
	if state.SpawningCall != "" {
		one.spawningCall = agentKey{provider: provider, agent: state.SpawningCall}
		if call := l.entry(one.spawningCall, limit); call != nil {
			call.state = linkInline
		}
	}
	if state.Group != "" {
		if group := l.entry(agentKey{provider: provider, agent: state.Group}, limit); group != nil {
			group.group = true
		}
	}
	if state.Maker != "" {
		one.maker = agentKey{provider: provider, agent: state.Maker, task: state.MakerTask}
	}
	for i := range state.Models {
		m := &state.Models[i]
		one.used.Of(m.Model).AddAll(&ledger.Sum{Tokens: m.Tokens, CostUSD: m.CostUSD, HasCost: m.HasCost, Estimated: m.Estimated})
	}
}

// recalled is what the states of streams have of runs and sub-agents, until [Registry.Recalled].
type recalled struct {
	needs  map[RunLink]struct{}
	agents []*ChildState
}

func (c *recalled) add(state *StreamState) {
	for _, run := range state.Needs {
		if c.needs == nil {
			c.needs = map[RunLink]struct{}{}
		}
		c.needs[run] = struct{}{}
	}
	if sub := state.Child; sub != nil && sub.Run != nil && len(sub.Used)+len(state.Needs) > 0 {
		c.agents = append(c.agents, sub)
	}
}

// Recalled ends the calls of [Registry.Recall]: what sub-agents used is entered for the runs that need it, each of which has one
// reference, whichever of the streams is opened first.
func (r *Registry) Recalled() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, sub := range r.recalled.agents {
		if _, needed := r.recalled.needs[RunLink{sub.Run.Trace, sub.Run.Top}]; !needed {
			continue
		}
		ref := r.recallRun(sub.Run)
		for i := range sub.Used {
			ref.linked.recall(sub.Provider, sub.Agent, &sub.Used[i], r.settings.Limits.OpenCalls)
		}
	}
	r.recalled = recalled{}
}

// unwrittenSpans are the spans of the stream's closed runs that were not accepted.
func (s *Stream) unwrittenSpans() (spans []pcommon.SpanID) {
	for r := range s.spans.runs() {
		spans = append(spans, r.top.spanID)
	}
	return spans
}

// needs are the runs of the stream's spans that are not written, as far as sub-agents work for them.
func (s *Stream) needs() (runs []RunLink) {
	add := func(ref *runRef) {
		if link := (RunLink{ref.traceID, ref.topSpanID}); s.registry.hasLinked(ref) && !slices.Contains(runs, link) {
			runs = append(runs, link)
		}
	}
	if r := s.run; r != nil && !r.closed && !r.isJoined() && r.ref != nil {
		add(r.ref)
	}
	for r := range s.spans.runs() {
		add(r.ref)
	}
	return runs
}

func (r *Registry) hasLinked(ref *runRef) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(ref.linked.all) > 0
}

// dropSpans leaves the spans that wait to a later process.
func (s *Stream) dropSpans() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r := range s.spans.runs() {
		s.registry.releaseLinked(r.ref, s, false)
	}
	s.spans = nil
	s.registry.release(s.registry.spans, s)
}
