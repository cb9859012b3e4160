package team

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/ledger"
)

// Key names a task of a sub-agent within its run. Each further call of the sub-agent is a new task. The zero value is the run's own agent.
type Key struct {
	Agent string `json:"agent,omitempty"`
	Task  int    `json:"task,omitempty"`
}

// phase is the state of a member; see the package documentation.
type phase uint8

const (
	phaseAtWork phase = iota
	phaseOver
	phaseInlineAtWork
	phaseInline
)

// member is a sub-agent that works in a separate stream.
type member struct {
	maker Key // the sub-agent that started it; the zero value for the run's own agent
	phase phase
	seen  bool // its stream has begun
	asked bool // a call names it
	// group is true if several sub-agents, whose number is unknown, share the ID.
	group bool
	// silent is true if a silence ended it, so that it may continue.
	silent bool
	end    clock.Instant // of its work according to its lines; zero if unknown
	used   ledger.ByModel
	// spawn is the key of the call that its folder names; the zero value if there is none.
	spawn Key
}

// Team holds what other streams add to the total of one run.
type Team struct { // each open run has one, so it is small
	Calls   Calls
	changes atomic.Uint32
	limit   int32

	mu      sync.Mutex
	members map[Key]*member
	open    int32 // the number of members with a stream whose span was not accepted yet
	missed  bool  // there were more members than the limit
	written bool  // the run's span was written and accepted
}

// New returns a Team of at most limit members.
func New(limit int) *Team { return &Team{limit: int32(min(limit, math.MaxInt32))} }

// Changes returns a counter that changes with the members and the model calls. It is read for each line and does not block.
func (t *Team) Changes() uint32 { return t.changes.Load() + t.Calls.changes.Load() }

// Empty reports whether there are no members.
func (t *Team) Empty() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.members) == 0
}

// entry returns the entry of a member and creates a missing one. It returns nil if no span needs the members any more, or
// if the limit is reached.
func (t *Team) entry(key Key) *member {
	t.changes.Add(1)
	if one := t.members[key]; one != nil || t.written && t.open <= 0 {
		return one
	}
	if len(t.members) >= int(t.limit) {
		t.missed = true
		return nil
	}
	if t.members == nil {
		t.members = map[Key]*member{}
	}
	one := &member{}
	t.members[key] = one
	return one
}

func (t *Team) change(key Key, f func(*member)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.entry(key); one != nil {
		f(one)
	}
}

// Asked adds a sub-agent that a call of maker started.
func (t *Team) Asked(key, maker Key) {
	t.change(key, func(one *member) {
		one.asked = true
		if maker != (Key{}) {
			one.maker = maker
		}
	})
}

// Named adds a sub-agent that a call in another account of the run started.
func (t *Team) Named(key, maker Key) {
	t.change(key, func(one *member) {
		if maker != (Key{}) {
			one.maker = maker
		}
	})
}

// Opened records that the stream of a sub-agent has begun.
func (t *Team) Opened(key Key) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open++
	if one := t.entry(key); one != nil {
		one.seen = true
	}
}

// Group records that several sub-agents share an ID.
func (t *Team) Group(key Key) { t.change(key, func(one *member) { one.group = true }) }

// Inline records that a sub-agent works in the run's stream, or that it has ended there.
func (t *Team) Inline(key Key, over bool) {
	t.change(key, func(one *member) {
		if one.phase = phaseInlineAtWork; over {
			one.phase = phaseInline
		}
	})
}

// Spawned links a sub-agent to the call that started it without naming its ID. The call is a member under a separate key.
func (t *Team) Spawned(key, call Key) {
	t.change(key, func(one *member) { one.spawn = call })
	t.Inline(call, true)
}

// Over records the end and the usage of a sub-agent. It reports whether either is new.
func (t *Team) Over(key Key, end clock.Instant, used ledger.ByModel) (changed bool) {
	t.change(key, func(one *member) {
		if one.phase >= phaseInlineAtWork || one.phase == phaseOver && one.end == end && slices.Equal(one.used, used) {
			return
		}
		one.phase, one.end, one.used, changed = phaseOver, end, used, true
	})
	return changed
}

// Silenced records that a silence ended a sub-agent, which may continue.
func (t *Team) Silenced(key Key) { t.change(key, func(one *member) { one.silent = true }) }

// GoesOn records that a sub-agent continues after an end.
func (t *Team) GoesOn(key Key) {
	t.change(key, func(one *member) {
		if one.phase < phaseInlineAtWork {
			one.phase, one.used = phaseAtWork, nil
		}
	})
}

// Written records that the span of the run was accepted.
func (t *Team) Written() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.written = true
	t.drop()
}

// Closed records that the span of a sub-agent with a stream was accepted or is left to a later process.
func (t *Team) Closed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open--
	t.drop()
}

// drop removes the members once all spans were accepted.
func (t *Team) drop() {
	if t.written && t.open <= 0 {
		t.members = nil
		t.Calls.release()
		t.changes.Add(1)
	}
}
