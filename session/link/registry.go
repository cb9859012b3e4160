package link

import (
	"slices"
	"sync"

	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/wait"
)

// maxMembers bounds the members of a group. A further one gets what is known when it joins, and no later announcement.
const maxMembers = 256

// Settings are the limits of a [Registry].
type Settings struct {
	Known   int // limit of the agents, of the turns and of the runs that are remembered
	Members int // limit of the sub-agents of a run
}

// Registry connects parents and children. See the package documentation.
type Registry[S comparable] struct {
	settings Settings

	mu        sync.Mutex
	agents    memory.Map[Key, *entry[S]]
	turns     memory.Map[Turn, *Run]
	runs      memory.Map[RunID, *Run] // runs of stored states, and runs whose restored children must share their reference
	waiting   wait.List[S]            // for a [Key] or a [Turn]
	teams     wait.List[S]            // for the sub-agents of a [Run]; a stream may end before its spans are written
	forgotten int
}

func NewRegistry[S comparable](settings Settings) *Registry[S] {
	r := &Registry[S]{settings: settings}
	r.agents = memory.NewMap[Key, *entry[S]](settings.Known, &r.forgotten)
	r.turns = memory.NewMap[Turn, *Run](settings.Known, &r.forgotten)
	r.runs = memory.NewMap[RunID, *Run](settings.Known, &r.forgotten)
	return r
}

// TakeForgotten returns the number of evicted keys since the last call.
func (r *Registry[S]) TakeForgotten() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, r.forgotten = r.forgotten, 0
	return n
}

// Idle reports whether no stream waits for an announcement.
func (r *Registry[S]) Idle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waiting.Empty()
}

// entryOf returns the entry of an agent and creates a missing one.
func (r *Registry[S]) entryOf(key Key) *entry[S] {
	e, known := r.agents.Get(key)
	if !known {
		e = &entry[S]{}
		r.agents.Set(key, e)
	}
	return e
}

// AnnounceTurn records that a turn belongs to a run and returns the streams that waited for it. A turn that is continued after a
// pause has several runs. A sub-agent that begins now works for the last one.
func (r *Registry[S]) AnnounceTurn(turn Turn, run *Run) []S {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last, known := r.turns.Get(turn); !known || run.Begun > last.Begun {
		r.turns.Set(turn, run)
	}
	return r.waiting.Take(turn)
}

// AnnounceCall records that a call of a run, in the stream maker, started an agent, and returns the streams that waited
// for it. If a run has two accounts, the call that is exported wins. The other one applies until then, because it may
// know more. A further call of an agent implies that the agent's previous task has ended.
func (r *Registry[S]) AnnounceCall(maker S, key Key, run *Run, call *Call) []S {
	r.mu.Lock()
	defer r.mu.Unlock()
	var none S
	var woken []S
	for _, key := range key.names() {
		e := r.entryOf(key)
		if e.Call != nil && (e.Call.Exported || !call.Exported) {
			continue
		}
		e.begun(maker, run, call)
		woken = append(woken, r.waiting.Take(key)...)
		if before, again := key.before(); again {
			woken = append(woken, r.end(before, nil, [8]byte{}, finished)...)
		}
		if e.child != none {
			woken = append(woken, e.child)
		}
		for _, member := range e.members {
			r.entryOf(member).begun(maker, run, call)
			woken = append(woken, r.waiting.Take(member)...)
		}
	}
	return woken
}

// finished is the end of a task that is only implied by what follows it.
var finished = End{Verdict: outcome.Closed(otlp.CloseReasonResult)}

// End records how the call of a run which started an agent ended, or the agent itself if it works in the background. It returns the
// streams of the agent and of all members of its group. The times of another call than the announced one are not recorded.
func (r *Registry[S]) End(key Key, run *Run, call [8]byte, how End) (woken []S) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, key := range key.names() {
		woken = append(woken, r.end(key, run, call, how)...)
	}
	return woken
}

func (r *Registry[S]) end(key Key, run *Run, call [8]byte, how End) (woken []S) {
	e := r.entryOf(key)
	if e.Ended {
		return nil
	}
	if !e.startedBy(run, call) {
		how.Span = clock.Interval{}
	}
	e.over(how)
	if none := *new(S); e.child != none {
		woken = append(woken, e.child)
	}
	for _, member := range e.members {
		woken = append(woken, r.end(member, run, call, how)...)
	}
	return woken
}

// Background records that the agent outlives its call.
func (r *Registry[S]) Background(key Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, key := range key.names() {
		e := r.entryOf(key)
		e.Background = true
		for _, member := range e.members {
			r.entryOf(member).Background = true
		}
	}
}

// Await returns the run of a child. It returns nil if the run is not announced yet; the announcement then returns the
// child. group is the ID that the agent shares with others. A turn without a name is ignored.
func (r *Registry[S]) Await(child S, key Key, group string, turn Turn) *Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	if group != "" {
		r.join(key, Key{Provider: key.Provider, Session: key.Session, Agent: group})
	}
	e := r.entryOf(key)
	e.child = child
	if e.Run != nil {
		return e.Run
	}
	if turn.Turn != "" {
		if run, known := r.turns.Get(turn); known {
			return run
		}
		r.waiting.Add(turn, child)
	}
	r.waiting.Add(key, child)
	return nil
}

// join makes an agent a member of a group.
func (r *Registry[S]) join(key, group Key) {
	g, e := r.entryOf(group), r.entryOf(key)
	if len(g.members) < maxMembers && !slices.Contains(g.members, key) {
		g.members = append(g.members, key)
	}
	if e.Call == nil && g.Call != nil {
		e.begun(g.maker, g.Run, g.Call)
	}
	e.Background = e.Background || g.Background
	if g.Ended && !e.Ended {
		e.over(g.End)
	}
}

// Done records that the span of an agent was written by its own stream. It returns the stream whose call started the
// agent, which need not wait any longer, or the zero value if that stream is unknown.
func (r *Registry[S]) Done(key Key) (maker S) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var none S
	for _, key := range key.names() {
		e := r.entryOf(key)
		e.Done = true
		if e.maker != none {
			maker, e.maker = e.maker, none
		}
	}
	return maker
}

// Lookup returns what is known of an agent, or only its key.
func (r *Registry[S]) Lookup(key Key) (c Child) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, known := r.agents.Get(key); known {
		c = e.Child
	}
	c.Key = key
	return c
}

// AgentType returns the type of an agent from the call that first started it.
func (r *Registry[S]) AgentType(key Key) string {
	key.Task = 0
	if call := r.Lookup(key).Call; call != nil {
		return call.Type
	}
	return ""
}

// Leave removes a stream that ends from all waiting lists except those for teams, and from the tasks of the agent that
// works in it, if there is one.
func (r *Registry[S]) Leave(child S, key Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting.Remove(child)
	if key.IsZero() {
		return
	}
	var none S
	for e, known := r.agents.Get(key); known; e, known = r.agents.Get(key) {
		if e.child == child {
			e.child = none
		}
		key = key.next()
	}
}
