package watch

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/verdict"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/render/style"
)

// Run is a snapshot of a run: its agent, followed by its sub-agents, each after the one that started it.
type Run struct {
	Service string // the agent program
	Project string // name of its working folder
	Session string
	AtWork  bool
	Verdict verdict.Verdict // of a run that has ended
	Agents  []Agent
	// Ended and Dropped count evicted sub-agents: those that had ended, and those still running.
	Ended, Dropped int
}

// Top returns the agent of the run.
func (r *Run) Top() *Agent { return &r.Agents[0] }

// run is the board's data of a run.
type run struct {
	trace   pcommon.TraceID
	source  string // where it was seen first
	service string
	session string
	folder  string
	agents  []*agent          // the top agent first, then in order of arrival
	byID    map[string]*agent // by the agent's ID and by that of the call that started it
	starts  map[string]*start // calls that start agents, by call ID and by agent ID
	came    int               // number of sub-agents
	ended   int               // evicted after their end
	dropped int               // evicted while running
	facts   verdict.Facts
}

// start is a call that starts an agent.
type start struct {
	by    *agent
	span  pcommon.SpanID
	kind  string
	agent string // ID of the agent, once known
}

func newRun(trace pcommon.TraceID) *run {
	return &run{trace: trace, agents: []*agent{{}}, byID: map[string]*agent{}, starts: map[string]*start{}}
}

// top returns the agent of the run.
func (r *run) top() *agent { return r.agents[0] }

// atWork reports whether the run is running, or one of its sub-agents continues after its end.
func (r *run) atWork() bool {
	end := r.top().ended
	return end.IsZero() || slices.ContainsFunc(r.agents, func(a *agent) bool { return a.ended.IsZero() && a.last.After(end) })
}

// since returns when the run began or ended.
func (r *run) since() time.Time {
	if r.atWork() {
		return r.top().started
	}
	return r.top().ended
}

// agentOf returns the agent of an event.
func (r *run) agentOf(ev *events.DisplayEvent, name string) *agent {
	if ev.AgentID == "" && ev.ParentID == "" {
		r.top().name = cmp.Or(r.top().name, name)
		return r.top()
	}
	a := r.byID[ev.AgentID]
	if a == nil {
		a = r.byID[ev.ParentID]
	}
	if a == nil {
		r.came++
		a = &agent{up: r.top(), number: r.came}
		if len(r.agents) > maxAgents {
			r.evict()
		}
		r.agents = append(r.agents, a)
	}
	if a.name = cmp.Or(a.name, name); a.name == r.service && name != "" {
		a.name = name
	}
	for _, id := range []string{ev.AgentID, ev.ParentID} {
		if id == "" || len(r.byID) >= maxStarts {
			continue
		}
		r.byID[id] = a
		if call := r.starts[id]; call != nil {
			r.link(a, call)
		}
	}
	return a
}

// link places an agent below the one whose call started it.
func (r *run) link(a *agent, call *start) {
	a.linked = true
	for up := call.by; up != nil; up = up.up {
		if up == a {
			return
		}
	}
	a.up = call.by
	if call.kind != "" {
		a.name = call.kind
	}
}

// callerOf returns the agent that made a call, or the agent of the run if it is not known yet.
func (r *run) callerOf(call string) *agent {
	if start := r.starts[call]; start != nil {
		return start.by
	}
	return r.top()
}

// apply applies what an event of an agent says about the run.
func (r *run) apply(a *agent, ev *events.DisplayEvent, span pcommon.SpanID) {
	r.session = cmp.Or(r.session, ev.SessionID)
	r.facts.Say(ev)
	switch ev.Kind {
	case events.KindSessionStarted, events.KindTurnStarted:
		if ev.Session != nil {
			r.folder = cmp.Or(r.folder, ev.Session.WorkingDir)
		}
	case events.KindToolUse:
		r.facts.Calls++
		r.applyStart(a, ev, span)
	case events.KindToolResult, events.KindToolProgress:
		if ev.Tool.Denied && ev.Kind == events.KindToolResult {
			r.facts.Refused.Add(ev.Tool.Name)
		}
		r.applyStart(a, ev, span)
	}
}

// applyStart applies a call that starts an agent.
func (r *run) applyStart(a *agent, ev *events.DisplayEvent, span pcommon.SpanID) {
	t := &ev.Tool
	call := r.starts[t.ID]
	if call == nil {
		if ev.Kind != events.KindToolUse || t.AgentID == "" && !style.StartsAgent(t) || len(r.starts) >= maxStarts {
			return
		}
		call = &start{by: a, span: span, kind: t.AgentType}
		r.starts[t.ID] = call
	}
	if t.AgentID != "" && len(r.starts) < maxStarts {
		call.agent, r.starts[t.AgentID] = t.AgentID, call
	}
	how, over := endOf(ev)
	for _, id := range []string{t.ID, call.agent} {
		child := r.byID[id]
		if child == nil || child == call.by {
			continue
		}
		if r.link(child, call); over {
			child.over(ev.Time, how, t.Err)
		}
	}
}

// endOf returns how the work that a call started ended; false if it continues.
func endOf(ev *events.DisplayEvent) (events.Outcome, bool) {
	t := &ev.Tool
	switch {
	case t.State == events.ToolStateFailed, ev.Kind == events.KindToolResult && t.Error:
		return events.OutcomeError, true
	case t.State == events.ToolStateStopped:
		return events.OutcomeInterrupted, true
	case t.State == events.ToolStateCompleted, ev.Kind == events.KindToolResult && t.State == events.ToolStateUnspecified:
		return events.OutcomeOK, true
	}
	return events.OutcomeUnknown, false
}

// end applies the span of an agent of the run.
func (r *run) end(top bool, span ptrace.Span) {
	m := span.Attributes()
	a := r.byID[otlp.Str(m, otlp.AttrAgentID)]
	switch {
	case top:
		a = r.top()
		r.folder = cmp.Or(r.folder, otlp.Str(m, otlp.AttrProcessWorkDir))
		r.session = cmp.Or(r.session, otlp.Str(m, otlp.AttrGenAIConversationID))
	case a == nil:
		for id, call := range r.starts {
			if call.span == span.ParentSpanID() {
				a = cmp.Or(a, r.byID[id])
			}
		}
	}
	if a != nil {
		a.end(span)
	}
	if top {
		r.facts.Worst = verdict.OutcomeOf(span)
		if c := a.running(); c != nil {
			r.facts.AtWork = c.tool
		}
	}
}

// evict removes the childless sub-agent that ended first, or else the one that was silent longest.
func (r *run) evict() {
	above := map[*agent]bool{}
	for _, a := range r.agents {
		above[a.up] = true
	}
	var first *agent
	for _, a := range r.agents[1:] {
		if !above[a] && (first == nil || compareEnds(a, first) < 0) {
			first = a
		}
	}
	r.agents = slices.DeleteFunc(r.agents, func(a *agent) bool { return a == first })
	maps.DeleteFunc(r.byID, func(_ string, a *agent) bool { return a == first })
	maps.DeleteFunc(r.starts, func(_ string, call *start) bool { return call.by == first })
	first.up.usage.evicted.add(first.used(used{}))
	if first.ended.IsZero() {
		r.dropped++
	} else {
		r.ended++
	}
}

// compareEnds orders agents: ended ones by their ends, then the others by their last lines.
func compareEnds(a, b *agent) int {
	switch {
	case a.ended.IsZero() != b.ended.IsZero():
		if a.ended.IsZero() {
			return 1
		}
		return -1
	case a.ended.IsZero():
		return a.last.Compare(b.last)
	default:
		return a.ended.Compare(b.ended)
	}
}

// snapshot returns the run for display.
func (r *run) snapshot(sources map[string]*Source) Run {
	out := Run{
		Service: line(r.service), Project: project(r.folder), Session: line(r.session), AtWork: r.atWork(),
		Ended: r.ended, Dropped: r.dropped,
	}
	below := map[*agent][]*agent{}
	for _, a := range r.agents[1:] {
		if of := sources[a.source]; of != nil && of.Call != "" && !a.linked {
			r.link(a, &start{by: r.callerOf(of.Call), kind: of.AgentType})
			a.linked = false // it may become known later
		}
		below[a.up] = append(below[a.up], a)
	}
	key := r.trace.String()
	var add func(a *agent, depth int) (last time.Time, all used)
	add = func(a *agent, depth int) (time.Time, used) {
		at, last, sum := len(out.Agents), a.last, used{}
		out.Agents = append(out.Agents, a.snapshot(key, depth, sources[a.source]))
		for _, child := range below[a] {
			below, used := add(child, depth+1)
			if sum.add(used); below.After(last) {
				last = below
			}
		}
		shown, all := &out.Agents[at], a.used(sum)
		shown.Last, shown.Tokens, shown.Cost = last, all.tokens, all.cost()
		return last, all
	}
	add(r.top(), 0)
	if !out.AtWork {
		out.Verdict = r.facts.Verdict()
		out.Verdict.Reason = line(out.Verdict.Reason)
	}
	return out
}

// project returns the name of a folder.
func project(folder string) string {
	if folder == "" {
		return ""
	}
	return line(filepath.Base(strings.ReplaceAll(folder, `\`, "/")))
}

// since returns the time between two moments, at least 0.
func since(begin, end time.Time) time.Duration { return max(0, end.Sub(begin)) }
