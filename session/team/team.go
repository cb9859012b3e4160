package team

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/ledger"
)

// Key names a task of a sub-agent within its run: one that is asked again has a further task. The zero value is the run's own agent.
type Key struct {
	Agent string `json:"agent,omitempty"`
	Task  int    `json:"task,omitempty"`
}

// phase says what is known of the work of a member.
type phase uint8

const (
	phaseAtWork phase = iota
	phaseOver
	phaseInlineAtWork
	phaseInline
)

// member is a sub-agent that works in a stream of its own.
type member struct {
	maker Key // the sub-agent that asked it; the zero value for the run's own agent
	phase phase
	seen  bool // its stream has begun
	// group marks an id that is that of several sub-agents. How many of them there are is not known.
	group bool
	end   clock.Instant // of its work, as its lines show it; zero if none does
	used  ledger.ByModel
	// spawn is the key of the call that its folder names; the zero value if there is none.
	spawn Key
}

// Team has the sub-agents of one run.
type Team struct { // each open run has one, so it is small
	changes atomic.Uint32
	limit   int32

	mu      sync.Mutex
	members map[Key]*member
	open    int32 // how many have a stream, and no span that was accepted
	missed  bool  // there are more than the limit
	written bool  // the run's span was, and accepted
}

// New makes a Team of at most limit members.
func New(limit int) *Team { return &Team{limit: int32(min(limit, math.MaxInt32))} }

// Changes is how often the members may have changed. It is read with each line, and waits for nobody.
func (t *Team) Changes() uint32 { return t.changes.Load() }

// Empty reports whether no member is known.
func (t *Team) Empty() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.members) == 0
}

// entry is that of a member, to change: a new one if there is none; nil if there is no more to do, or no room.
func (t *Team) entry(key Key) *member {
	t.changes.Add(1)
	if one := t.members[key]; one != nil || t.written && t.members == nil {
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

// change changes the entry of a member.
func (t *Team) change(key Key, f func(*member)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.entry(key); one != nil {
		f(one)
	}
}

// Asked enters a sub-agent that a call of maker asked.
func (t *Team) Asked(key, maker Key) {
	t.change(key, func(one *member) {
		if maker != (Key{}) {
			one.maker = maker
		}
	})
}

// Opened notes that the stream of a sub-agent has begun.
func (t *Team) Opened(key Key) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open++
	if one := t.entry(key); one != nil {
		one.seen = true
	}
}

// Group notes that an id is that of several sub-agents.
func (t *Team) Group(key Key) { t.change(key, func(one *member) { one.group = true }) }

// Inline notes that a sub-agent works in the run's own stream, or that this is over.
func (t *Team) Inline(key Key, over bool) {
	t.change(key, func(one *member) {
		if one.phase = phaseInlineAtWork; over {
			one.phase = phaseInline
		}
	})
}

// Spawned notes that a sub-agent is the one which a call started whose agent had no id. The call was entered under a key of its own.
func (t *Team) Spawned(key, call Key) {
	t.change(key, func(one *member) { one.spawn = call })
	t.Inline(call, true)
}

// Over notes that the work of a sub-agent is over, and what it used. It reports whether that is new.
func (t *Team) Over(key Key, end clock.Instant, used ledger.ByModel) (changed bool) {
	t.change(key, func(one *member) {
		if one.phase >= phaseInlineAtWork || one.phase == phaseOver && one.end == end && slices.Equal(one.used, used) {
			return
		}
		one.phase, one.end, one.used, changed = phaseOver, end, used, true
	})
	return changed
}

// GoesOn notes that the work of a sub-agent which seemed to be over goes on.
func (t *Team) GoesOn(key Key) {
	t.change(key, func(one *member) {
		if one.phase < phaseInlineAtWork {
			one.phase, one.used = phaseAtWork, nil
		}
	})
}

// Written notes that the span of the run was accepted.
func (t *Team) Written() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.written = true
	t.drop()
}

// Closed notes that the span of a sub-agent with a stream was accepted, or is left to a later process.
func (t *Team) Closed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open--
	t.drop()
}

// drop drops what was known once all spans were accepted.
func (t *Team) drop() {
	if t.written && t.open <= 0 {
		t.members = nil
		t.changes.Add(1)
	}
}
