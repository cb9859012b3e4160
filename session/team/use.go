package team

import (
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/ledger"
)

// maxDepth bounds how deep sub-agents may work for each other.
const maxDepth = 64

// Use is what the sub-agents that work for an agent of a run used.
type Use struct {
	Used ledger.ByModel
	// AtWork is true while one of them is whose stream has begun, Unseen while there is one whose stream has not.
	AtWork, Unseen bool
	// Incomplete is true if the total lacks something now: one is at work, or went on for too long after its run.
	Incomplete bool
	// Groups is true if further ones may come that nothing announces.
	Groups bool
}

// Use adds up what the sub-agents used that work for an agent of the run. What one does later than until counts no more;
// groupOver says of an id that several have whether its call is over.
func (t *Team) Use(of Key, until clock.Instant, groupOver func(Key) bool) (u Use) {
	t.mu.Lock()
	defer t.mu.Unlock()
	u.Incomplete = t.missed
	for key, one := range t.members {
		switch {
		case one.phase == phaseInline || !t.worksFor(one, of):
		case one.phase == phaseInlineAtWork:
			u.AtWork, u.Incomplete = true, true
		case one.group:
			u.Groups = true
			u.Incomplete = u.Incomplete || !groupOver(key)
		case one.phase == phaseAtWork:
			u.Incomplete = true
			u.AtWork, u.Unseen = u.AtWork || one.seen, u.Unseen || !one.seen
		case !until.IsZero() && one.end.After(until):
			u.Incomplete = true
		default:
			for i := range one.used {
				u.Used.Of(one.used[i].Model).AddAll(&one.used[i].Sum)
			}
		}
	}
	return u
}

// worksFor reports whether a sub-agent works for another one, at whatever distance; all work for the run's own agent.
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
