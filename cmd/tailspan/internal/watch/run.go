package watch

import (
	"cmp"
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

// Run is one run as it is shown: the agent, and behind it its sub-agents, each behind the one that started it.
type Run struct {
	Service string // the agent program
	Project string // the name of the folder that it works in
	Session string
	Title   string // the first line of its prompt
	AtWork  bool
	Verdict verdict.Verdict // of a run that is over
	Agents  []Agent
	Evicted int // sub-agents that were too many to be kept
}

// Top is the agent of the run.
func (r *Run) Top() *Agent { return &r.Agents[0] }

// run is what the board has of a run.
type run struct {
	trace   pcommon.TraceID
	source  string // that it was seen in first
	service string
	session string
	folder  string
	title   string
	agents  []*agent          // the top one first, the others as they came
	byID    map[string]*agent // by the agent's id, and by the id of the call that started it
	starts  map[string]start  // calls that start agents, by their ids
	came    int               // sub-agents
	evicted int
	facts   verdict.Facts
}

// start is a call that starts an agent.
type start struct {
	by   *agent
	span pcommon.SpanID
	kind string
}

func newRun(trace pcommon.TraceID) *run {
	return &run{trace: trace, agents: []*agent{{}}, byID: map[string]*agent{}, starts: map[string]start{}}
}

// top is the agent of the run.
func (r *run) top() *agent { return r.agents[0] }

// atWork reports whether the run has not ended, or one of its sub-agents works after its end.
func (r *run) atWork() bool {
	end := r.top().ended
	return end.IsZero() || slices.ContainsFunc(r.agents, func(a *agent) bool { return a.ended.IsZero() && a.last.After(end) })
}

// since is when the run began, or when it ended.
func (r *run) since() time.Time {
	if r.atWork() {
		return r.top().started
	}
	return r.top().ended
}

// agentOf is the agent that did what an event is about.
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
		r.agents = append(r.agents, a)
		r.evict()
	}
	for _, id := range []string{ev.AgentID, ev.ParentID} {
		if id != "" {
			r.byID[id] = a
		}
	}
	if a.name = cmp.Or(a.name, name); a.name == r.service && name != "" {
		a.name = name
	}
	if call := r.starts[ev.ParentID]; call.by != nil {
		a.linked = true
		r.link(a, call)
	}
	return a
}

// link places an agent below the one whose call started it.
func (r *run) link(a *agent, call start) {
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

// callerOf is the agent that made a call; that of the run where it is not known yet.
func (r *run) callerOf(call string) *agent {
	if by := r.starts[call].by; by != nil {
		return by
	}
	return r.top()
}

// apply applies what an event of an agent says of the run.
func (r *run) apply(a *agent, ev *events.DisplayEvent, span pcommon.SpanID) {
	r.session = cmp.Or(r.session, ev.SessionID)
	r.facts.Say(ev)
	switch ev.Kind {
	case events.KindSessionStarted, events.KindTurnStarted:
		if ev.Session != nil {
			r.folder = cmp.Or(r.folder, ev.Session.WorkingDir)
		}
	case events.KindPrompt:
		if a == r.top() && !ev.Synthetic && r.title == "" {
			r.title = events.Summary(ev.Text)
		}
	case events.KindToolUse:
		r.facts.Calls++
		r.applyStart(a, ev, span)
	case events.KindToolResult:
		if ev.Tool.Denied {
			r.facts.Refused.Add(ev.Tool.Name)
		}
		r.applyStart(a, ev, span)
	case events.KindToolProgress:
		r.applyStart(a, ev, span)
	}
}

// applyStart applies a call that starts an agent.
func (r *run) applyStart(a *agent, ev *events.DisplayEvent, span pcommon.SpanID) {
	t := &ev.Tool
	call, known := r.starts[t.ID]
	if !known {
		if ev.Kind != events.KindToolUse || t.AgentID == "" && !style.StartsAgent(t) || len(r.starts) >= maxStarts {
			return
		}
		call = start{by: a, span: span, kind: t.AgentType}
		r.starts[t.ID] = call
	}
	for _, id := range []string{t.AgentID, t.ID} {
		if child := r.byID[id]; id != "" && child != nil && child != call.by {
			child.linked = true
			r.link(child, call)
		}
	}
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
				a = r.byID[id]
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

// evict removes the sub-agent that ended first, where there are too many.
func (r *run) evict() {
	if len(r.agents) <= maxAgents {
		return
	}
	for i, a := range r.agents[1:] {
		works := func(o *agent) bool { return o.up == a }
		if a.ended.IsZero() || slices.ContainsFunc(r.agents, works) {
			continue
		}
		r.agents = slices.Delete(r.agents, i+1, i+2)
		for id, other := range r.byID {
			if other == a {
				delete(r.byID, id)
			}
		}
		r.evicted++
		return
	}
}

// snapshot is the run as it is shown.
func (r *run) snapshot(sources map[string]*Source) Run {
	out := Run{
		Service: line(r.service), Project: project(r.folder), Session: line(r.session), Title: line(r.title), AtWork: r.atWork(), Evicted: r.evicted,
	}
	below := map[*agent][]*agent{}
	for _, a := range r.agents[1:] {
		if of := sources[a.source]; of != nil && of.Call != "" && !a.linked {
			r.link(a, start{by: r.callerOf(of.Call), kind: of.AgentType})
		}
		below[a.up] = append(below[a.up], a)
	}
	key := r.trace.String()
	var add func(a *agent, depth int) (last time.Time)
	add = func(a *agent, depth int) time.Time {
		at, last := len(out.Agents), a.last
		out.Agents = append(out.Agents, a.snapshot(key, depth, sources[a.source]))
		for _, child := range below[a] {
			if below := add(child, depth+1); below.After(last) {
				last = below
			}
		}
		out.Agents[at].Last = last
		return last
	}
	add(r.top(), 0)
	if !out.AtWork {
		out.Verdict = r.facts.Verdict()
		out.Verdict.Reason = line(out.Verdict.Reason)
	}
	top := out.Top()
	if top.Ended.IsZero() { // the span of a run has the sum
		for i := range out.Agents[1:] {
			top.Tokens += out.Agents[i+1].Tokens
		}
	}
	return out
}

// project is the name of a folder.
func project(folder string) string {
	if folder == "" {
		return ""
	}
	return line(filepath.Base(strings.ReplaceAll(folder, `\`, "/")))
}

// since is the time from one moment to another, at least 0.
func since(begin, end time.Time) time.Duration { return max(0, end.Sub(begin)) }
