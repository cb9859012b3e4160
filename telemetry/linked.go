package telemetry

import (
	"slices"
	"sync/atomic"

	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/ledger"
)

// A run knows the sub-agents that work for it in streams of their own: their calls announce them, or their streams begin.
// Its total holds what they used, so its span waits for them; see spanwait.go.
//
//	at work   its call was seen, or its stream began
//	over      its stream has shown the end of its work, and all that is there was read; or its span was written
//	inline    its work is in the run's own stream, whose ledger has it: going on, or over
//
// Each one enters what it used itself, without those that work for it, so nothing counts twice in whatever order they end.

// linkState says what is known of the work of a linked sub-agent.
type linkState uint8

const (
	linkAtWork linkState = iota
	linkOver
	linkInlineAtWork
	linkInline
)

// linkedAgent is a sub-agent that works in a stream of its own.
type linkedAgent struct {
	maker agentKey // the sub-agent that asked it; the zero value for the run's own agent
	state linkState
	seen  bool // its stream has begun
	// group marks an id that is that of several sub-agents. How many of them there are is not known.
	group bool
	end   clock.Instant // of its work, as its lines show it; zero if none does
	used  ledger.ByModel
	// starter is the key of the call that its folder names; the zero value if there is none.
	spawningCall agentKey
}

// linkedAgents are those of one run, by [linkKey]. The registry's lock guards them.
type linkedAgents struct {
	changes atomic.Uint64 // how often they may have changed, readable without the lock
	all     map[agentKey]*linkedAgent
	waiting []*Stream // those with a span that waits
	missed  bool      // there are more than the limit
	written bool      // the run's span was, and accepted
	open    int       // how many have a stream, and no span that was accepted
}

// linkKey names a task of a sub-agent within its run. Only some formats name an agent by session too.
func linkKey(key agentKey) agentKey {
	key.session = ""
	return key
}

// entry is that of a sub-agent, to change: a new one if there is none; nil if there is no more to do, or no room.
func (l *linkedAgents) entry(key agentKey, limit int) *linkedAgent {
	l.changes.Add(1)
	key = linkKey(key)
	if one := l.all[key]; one != nil || l.written && l.all == nil {
		return one
	}
	if len(l.all) >= limit {
		l.missed = true
		return nil
	}
	if l.all == nil {
		l.all = map[agentKey]*linkedAgent{}
	}
	one := &linkedAgent{}
	l.all[key] = one
	return one
}

// worksFor reports whether a sub-agent works for another one, at whatever distance; all work for the run's own agent.
func (l *linkedAgents) worksFor(one *linkedAgent, of agentKey) bool {
	for depth := 0; depth <= maxAgentDepth && one != nil; depth++ {
		if of == (agentKey{}) || one.maker == of {
			return true
		}
		if one.maker == (agentKey{}) {
			return false
		}
		one = l.all[one.maker]
	}
	return false
}

// linkedUse is what the sub-agents that work for an agent of a run used.
type linkedUse struct {
	used ledger.ByModel
	// atWork is true while one of them is whose stream has begun, unseen while there is one whose stream has not.
	atWork, unseen bool
	// incomplete is true if the total lacks something now: one is at work, or went on for too long after its run.
	incomplete bool
	// groups is true if further ones may come that nothing announces.
	groups bool
}

// linkedUse adds up what the sub-agents used that work for an agent of a run. What one does later than until counts no more.
func (r *Registry) linkedUse(ref *runRef, of agentKey, until clock.Instant) (u linkedUse) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := &ref.linked
	u.incomplete = l.missed
	of = linkKey(of)
	for key, one := range l.all {
		switch {
		case one.state == linkInline || !l.worksFor(one, of):
		case one.state == linkInlineAtWork:
			u.atWork, u.incomplete = true, true
		case one.group:
			u.groups = true
			k, _ := r.links.agents.Get(key)
			u.incomplete = u.incomplete || k == nil || !k.ended
		case one.state == linkAtWork:
			u.incomplete = true
			if one.seen {
				u.atWork = true
			} else {
				u.unseen = true
			}
		case !until.IsZero() && one.end.After(until):
			u.incomplete = true
		default:
			for i := range one.used {
				u.used.Of(one.used[i].Model).AddAll(&one.used[i].Sum)
			}
		}
	}
	return u
}

// linkAgent enters a sub-agent that a call of maker asked, or whose stream began: then maker is not known, and the zero value.
func (r *Registry) linkAgent(ref *runRef, key, maker agentKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if one := ref.linked.entry(key, r.settings.Limits.OpenCalls); one != nil && maker != (agentKey{}) {
		one.maker = linkKey(maker)
	}
}

// linkGroup notes that an id is that of several sub-agents.
func (r *Registry) linkGroup(ref *runRef, key agentKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if one := ref.linked.entry(key, r.settings.Limits.OpenCalls); one != nil {
		one.group = true
	}
}

// linkInline notes that a sub-agent works in the run's own stream, or that this is over.
func (r *Registry) linkInline(ref *runRef, key agentKey, state linkState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if one := ref.linked.entry(key, r.settings.Limits.OpenCalls); one != nil {
		one.state = state
	}
}

// linkOver notes that the work of a sub-agent is over, and what it used, or with over false that it goes on after all. It
// returns the streams whose spans wait for that.
func (r *Registry) linkOver(ref *runRef, key agentKey, end clock.Instant, used ledger.ByModel, over bool) []*Stream {
	r.mu.Lock()
	defer r.mu.Unlock()
	one := ref.linked.entry(key, r.settings.Limits.OpenCalls)
	switch {
	case one == nil || one.state >= linkInlineAtWork:
		return nil
	case !over:
		one.state, one.used = linkAtWork, nil
		return nil
	case one.state == linkOver && one.end == end && slices.Equal(one.used, used):
		return nil
	}
	one.state, one.end, one.used = linkOver, end, used
	return ref.linked.waiting
}

// linkSpawningCall notes that a call which started an agent of unknown id started this one.
func (r *Registry) linkSpawningCall(ref *runRef, key, spawningCall agentKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if one := ref.linked.entry(key, r.settings.Limits.OpenCalls); one != nil {
		one.spawningCall = spawningCall
	}
	if one := ref.linked.entry(spawningCall, r.settings.Limits.OpenCalls); one != nil {
		one.state = linkInline
	}
}

// spawningLink stands for the agent that a call started, as long as only the folder of its file could link that.
func spawningLink(provider string, call *callRef) agentKey {
	return agentKey{provider: provider, agent: "call/" + call.spanID.String()}
}

// awaitLinked registers a stream to be updated when sub-agents of a run are over.
func (r *Registry) awaitLinked(ref *runRef, s *Stream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(ref.linked.waiting, s) {
		ref.linked.waiting = append(ref.linked.waiting, s)
	}
}

// linkOpened notes that the stream of a sub-agent has begun.
func (r *Registry) linkOpened(ref *runRef, key agentKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ref.linked.open++
	if one := ref.linked.entry(key, r.settings.Limits.OpenCalls); one != nil {
		one.seen = true
	}
}

// releaseLinked undoes [Registry.awaitLinked], since the span was accepted. What was known is dropped once all spans of the run were.
func (r *Registry) releaseLinked(ref *runRef, s *Stream, run bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := &ref.linked
	kept := l.waiting[:0:0]
	for _, one := range l.waiting {
		if one != s {
			kept = append(kept, one)
		}
	}
	if l.waiting = kept; run {
		l.written = true
	} else {
		l.open--
	}
	if l.written && l.open <= 0 {
		l.all = nil
		l.changes.Add(1)
	}
}
