package telemetry

import (
	"slices"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/memory"
	"github.com/tailspan/tailspan/session/outcome"
)

// Links connect a run to the sub-agents whose work stands in files of their own. The files are read in any order and at
// the same time, so the two sides meet here: the parent's stream announces its runs by their turn ids, and the agents
// that its calls start by their agent ids; the child's stream waits until one of the two is announced.
//
//	child      waits for                                     gets
//	run        the turn that it names, or its agent id       trace, so that its tools and records can go out
//	its span   its agent id, then the end of that call       the call that it hangs under, and how it ended
//
// What a child gives once the parent's line has announced what it waited for goes out with that line: so a line that is
// replayed releases without export, and a line that is not acknowledged has released nothing.

// runRef is what a child needs to know of the run that it belongs to. Only its span and written change, once, and linked.
type runRef struct {
	key       string
	resource  *otlp.Resource
	recorded  bool     // its first account is a transcript
	account   *account // the first one; nil if that is of an earlier process
	scope     string   // what the ids of its items are mixed with
	sessionID string
	inline    bool // of a sub-agent, as a stream has it that has its run too
	traceID   pcommon.TraceID
	topSpanID pcommon.SpanID
	exported  bool                           // the run's span and times are exported as this stream has them
	totals    atomic.Bool                    // the run's end has totals, which hold what its stream does not show; set before span is
	span      atomic.Pointer[clock.Interval] // nil until the run is over
	written   atomic.Bool                    // nothing of it is open any more, not in the background either
	linked    linkedAgents                   // the registry's lock guards it
}

// callRef is what a child needs to know of the call that started it. It does not change.
type callRef struct {
	spanID    pcommon.SpanID
	agentType string
	toolName  string
	exported  bool // its span goes out, if not before then when its stream ends
}

// agentKey names a task of a sub-agent. Formats whose agents have sessions of their own name it by that session alone. The
// agent that is asked again has a further task: task counts the calls that asked before, and on the other side the tasks
// that its stream began before.
type agentKey struct {
	provider, session, agent string
	task                     int
}

// next is the key of the agent's next task.
func (k agentKey) next() agentKey { k.task++; return k }

// before is the key of the agent's task before; ok is false for its first.
func (k agentKey) before() (before agentKey, ok bool) { k.task--; return k, k.task >= 0 }

// turnKey names a turn of a session.
type turnKey struct{ provider, session, turn string }

// agentLink is what the two sides know of one sub-agent.
type agentLink struct {
	run        *runRef
	call       *callRef
	background bool
	// ended is true once the call is over, or for work in the background once its end was reported.
	ended  bool
	ending ending

	child *Stream // the stream that it works in, once seen
	maker *Stream // the one whose call started it
	done  bool    // its span was written
	// members are the agents that this one's id stands for, as that of a workflow does for all that it starts. Each learns
	// what this one learns. How many there will be is not known, so such an entry is never done: it is kept with the state of
	// the stream of its call ([LinksState]).
	members []agentKey
}

// begun notes which call started the sub-agent.
func (k *agentLink) begun(maker *Stream, run *runRef, call *callRef) {
	k.run, k.call, k.maker = run, call, maker
}

// over notes how that call ended.
func (k *agentLink) over(how ending) { k.ended, k.ending = true, how }

// ending is how the call of a sub-agent ended, or for work in the background the work.
type ending struct {
	outcome.Verdict
	span clock.Interval // of the call; empty for work in the background
	took time.Duration  // of work in the background, as its notice reports; 0 if it does not
}

// links is the meeting place. Its owner locks.
type links struct {
	agents memory.Map[agentKey, *agentLink]
	turns  memory.Map[turnKey, *runRef]
	// sessions are those whose children their folder links to them.
	sessions memory.Map[sessionKey, *sessionRuns]
	// waiting are streams whose agent, turn or session nobody has announced.
	waiting waitlist
}

func newLinks(limit int, forgotten *int) links {
	return links{
		agents: memory.NewMap[agentKey, *agentLink](limit, forgotten), turns: memory.NewMap[turnKey, *runRef](limit, forgotten), waiting: waitlist{},
		sessions: memory.NewMap[sessionKey, *sessionRuns](limit, forgotten),
	}
}

// linkOf is the entry of an agent, a new one if nobody spoke of it yet.
func (f *links) linkOf(key agentKey) *agentLink {
	k, known := f.agents.Get(key)
	if !known {
		k = &agentLink{}
		f.agents.Set(key, k)
	}
	return k
}

// announceTurn notes that a turn belongs to a run, and returns the streams that waited for it.
func (r *Registry) announceTurn(key turnKey, run *runRef) []*Stream {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.links.turns.Get(key); !known {
		r.links.turns.Set(key, run)
	}
	return r.links.waiting.take(key)
}

// announceAgent notes that a call of a run started an agent, and returns the streams that waited for it. Formats differ in whether the agent has a session of its
// own, so it is announced under both names. Of two accounts of a run the exported one counts; the other may know more,
// so it is taken until then.
func (r *Registry) announceAgent(maker *Stream, key agentKey, run *runRef, call *callRef) []*Stream {
	r.mu.Lock()
	defer r.mu.Unlock()
	var woken []*Stream
	for _, key := range bothNames(key) {
		k := r.links.linkOf(key)
		if k.call != nil && (k.call.exported || !call.exported) {
			continue
		}
		k.begun(maker, run, call)
		woken = append(woken, r.links.waiting.take(key)...)
		if before, again := key.before(); again {
			woken = append(woken, r.links.end(before, ending{Verdict: outcome.Closed(otlp.CloseReasonResult)})...) // it can be asked again
		}
		if k.child != nil {
			woken = append(woken, k.child)
		}
		for _, member := range k.members {
			r.links.linkOf(member).begun(maker, run, call)
			woken = append(woken, r.links.waiting.take(member)...)
		}
	}
	return woken
}

// end notes for a sub-agent, and for all that its id stands for, that its call is over. It returns the streams that it works in.
func (f *links) end(key agentKey, how ending) []*Stream {
	k := f.linkOf(key)
	if k.ended {
		return nil
	}
	k.over(how)
	var woken []*Stream
	if k.child != nil {
		woken = append(woken, k.child)
	}
	for _, member := range k.members {
		woken = append(woken, f.end(member, how)...)
	}
	return woken
}

// join makes an agent a member of the one whose id stands for it too.
func (f *links) join(key, group agentKey) {
	g, k := f.linkOf(group), f.linkOf(key)
	if !slices.Contains(g.members, key) {
		if len(g.members) < maxState { // a further one learns what is known now, and nothing that is announced later
			g.members = append(g.members, key)
		}
	}
	if k.call == nil && g.call != nil {
		k.begun(g.maker, g.run, g.call)
	}
	k.background = k.background || g.background
	if g.ended && !k.ended {
		k.over(g.ending)
	}
}

// endAgent notes that the call of an agent is over, and how; in the background it is the agent's own end.
func (r *Registry) endAgent(key agentKey, how ending) []*Stream {
	r.mu.Lock()
	defer r.mu.Unlock()
	var woken []*Stream
	for _, key := range bothNames(key) {
		woken = append(woken, r.links.end(key, how)...)
	}
	return woken
}

// inBackground notes that the agent outlives its call.
func (r *Registry) inBackground(key agentKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, key := range bothNames(key) {
		k := r.links.linkOf(key)
		k.background = true
		for _, member := range k.members {
			r.links.linkOf(member).background = true
		}
	}
}

func bothNames(key agentKey) []agentKey {
	return []agentKey{key, {provider: key.provider, agent: key.agent, task: key.task}}
}

// seekRun is the run that a child belongs to, nil while no line has announced it. The child is remembered and woken later.
func (r *Registry) seekRun(child *Stream, key agentKey, turn turnKey) *runRef {
	r.mu.Lock()
	defer r.mu.Unlock()
	if group := child.settings.Group; group != "" {
		r.links.join(key, agentKey{provider: key.provider, session: key.session, agent: group})
	}
	k := r.links.linkOf(key)
	k.child = child
	if k.run != nil {
		return k.run
	}
	if turn.turn != "" {
		if run, known := r.links.turns.Get(turn); known {
			return run
		}
		r.links.waiting.add(turn, child)
	}
	r.links.waiting.add(key, child)
	return nil
}

// agentDone notes that the span of an agent was written by its own stream, and returns the stream whose call started it, which
// no longer has to wait for that; nil if it is not known.
func (r *Registry) agentDone(key agentKey) (maker *Stream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, key := range bothNames(key) {
		k := r.links.linkOf(key)
		k.done = true
		if k.maker != nil {
			maker, k.maker = k.maker, nil
		}
	}
	return maker
}

// linkNow is a copy of what is known of an agent.
func (r *Registry) linkNow(key agentKey) agentLink {
	r.mu.Lock()
	defer r.mu.Unlock()
	if k, known := r.links.agents.Get(key); known {
		return *k
	}
	return agentLink{}
}

// agentType is the type of an agent, from the call that started it.
func (r *Registry) agentType(key agentKey) string {
	key.task = 0
	if call := r.linkNow(key).call; call != nil {
		return call.agentType
	}
	return ""
}

// leave takes a stream that ends out of all that waits.
func (r *Registry) leave(child *Stream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.links.waiting.remove(child)
	delete(r.children, child)
	if key := child.links.child; key != (agentKey{}) {
		for known := true; known; key = key.next() {
			var k *agentLink
			if k, known = r.links.agents.Get(key); known && k.child == child {
				k.child = nil
			}
		}
	}
}

// childKeyOf is the name of the sub-agent whose own stream an event stands in; empty for a stream of no sub-agent.
func childKeyOf(provider string, ev *events.DisplayEvent) agentKey {
	switch {
	case ev.ParentID != "":
		return agentKey{} // a sub-agent inside its parent's stream
	case ev.AgentID != "" && ev.AgentID != ev.SessionID:
		return agentKey{provider: provider, session: ev.SessionID, agent: ev.AgentID}
	case ev.AgentID != "", ev.Session != nil && (ev.Session.SubAgent || ev.Session.ParentID != ""):
		return agentKey{provider: provider, agent: ev.SessionID}
	default:
		return agentKey{}
	}
}
