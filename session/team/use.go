package team

import (
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/ledger"
)

// maxDepth bounds the nesting of sub-agents.
const maxDepth = 64

// Use is the usage of the sub-agents of one agent of a run.
type Use struct {
	Used ledger.ByModel
	// AtWork is true while a sub-agent with a stream is running, Unseen while the stream of one has not begun.
	AtWork, Unseen bool
	// Incomplete is true if the total currently lacks something: a sub-agent is running, or may be, or continued too long after its run.
	Incomplete bool
	// Members is the number of sub-agents in other streams, and Unasked that of those among them that no call names.
	Members, Unasked int
	// Groups is true if more sub-agents may appear without an announcement.
	Groups bool
}

// Use adds up the usage of the sub-agents of an agent. It ignores sub-agents that end after until. callOver reports
// whether the call of a sub-agent has ended.
func (t *Team) Use(of Key, until clock.Instant, callOver func(Key) bool) (u Use) {
	t.mu.Lock()
	defer t.mu.Unlock()
	u.Incomplete = t.missed
	for key, one := range t.members {
		if !t.worksFor(one, of) {
			continue
		}
		if one.phase <= phaseOver {
			u.Members++
			if !one.asked && !one.group && one.spawn == (Key{}) {
				u.Unasked++
			}
		}
		switch {
		case one.phase == phaseInline:
		case one.phase == phaseInlineAtWork:
			u.AtWork, u.Incomplete = true, true
		case one.group:
			u.Groups = true
			u.Incomplete = u.Incomplete || !callOver(key)
		case one.phase == phaseAtWork:
			u.Incomplete = true
			u.AtWork, u.Unseen = u.AtWork || one.seen, u.Unseen || !one.seen
		case !until.IsZero() && one.end.After(until):
			u.Incomplete = true
		default:
			u.Incomplete = u.Incomplete || one.silent && !callOver(key)
			u.Used.AddAll(one.used)
		}
	}
	return u
}

// worksFor reports whether a sub-agent works for another one, directly or through others. All work for the run's own agent.
func (t *Team) worksFor(one *member, of Key) bool {
	for depth := 0; depth <= maxDepth && one != nil; depth++ {
		if of == (Key{}) || one.maker == of {
			return true
		}
		if one.maker == (Key{}) {
			return false
		}
		one = t.members[one.maker]
	}
	return false
}
