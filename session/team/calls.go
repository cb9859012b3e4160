package team

import (
	"sync"
	"sync/atomic"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/ledger"
)

// CallID identifies a model call, in each account of its run.
type CallID [8]byte

// ModelCall is what one account of a run has of a model call.
type ModelCall struct {
	ID     CallID
	Model  string
	Tokens events.Tokens
	// Whole is true if the output is known.
	Whole bool
	// Exported is true if the account, and not the first one, exports the span of the call, with these tokens.
	Exported bool
}

// maxCalls bounds the model calls of a run that accounts compare. Further ones are in no total.
const maxCalls = 10000

// Calls are the model calls for which the accounts of a run need each other.
type Calls struct { // each open run has one, so it is small
	mu      sync.Mutex
	changes atomic.Uint32
	all     *calls // nil unless another account of the run exists or the first one lacks something
}

type calls struct {
	first map[CallID]ModelCall // those of the first account that lack something or are exported by another one
	other map[CallID]ModelCall // reported by other accounts
	over  bool                 // the other account of the run itself has ended
	// total is true once the total of the run was exported.
	total bool
}

// change locks the calls, creates missing ones and returns the unlock function.
func (c *Calls) change() (done func()) {
	c.mu.Lock()
	c.changes.Add(1)
	if c.all == nil {
		c.all = &calls{first: map[CallID]ModelCall{}, other: map[CallID]ModelCall{}}
	}
	return c.mu.Unlock
}

// Lack adds a model call of the first account whose output that account does not report, or which another one exports.
func (c *Calls) Lack(one ModelCall) {
	defer c.change()()
	if len(c.all.first) < maxCalls {
		c.all.first[one.ID] = one
	}
}

// Export adds a model call whose span the first account exported, unless no other account has reported it: those which do so
// later know of the span.
func (c *Calls) Export(one ModelCall) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil {
		return
	}
	_, reported := c.all.other[one.ID]
	if _, known := c.all.first[one.ID]; reported && !known {
		c.all.first[one.ID] = one
	}
}

// Report adds what another account has of a model call so far. It reports whether that is new. late are the tokens that the first
// account lacks, once they are too late for the total of the run.
func (c *Calls) Report(one ModelCall) (late events.Tokens, isNew bool) {
	defer c.change()()
	before, known := c.all.other[one.ID]
	one.Tokens, one.Exported = one.Tokens.Larger(before.Tokens), one.Exported || before.Exported
	if known && one == before || !known && len(c.all.other) >= maxCalls {
		return late, false
	}
	c.all.other[one.ID] = one
	if first, ok := c.all.first[one.ID]; ok && c.all.total && !one.Exported {
		late = one.Tokens.Beyond(first.Tokens)
		first.Tokens = first.Tokens.Larger(one.Tokens)
		c.all.first[one.ID] = first
	}
	return late, true
}

// EndOther records that the other account of the run itself has ended.
func (c *Calls) EndOther() {
	defer c.change()()
	c.all.over = true
}

// Complete reports whether no other account has to add to the total of the run: it has ended, and nothing is missing.
func (c *Calls) Complete() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all != nil && c.all.over && c.all.lacking() == 0
}

// Lacking returns the number of model calls whose output no account has reported.
func (c *Calls) Lacking() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all.lacking()
}

func (c *calls) lacking() (n int) {
	if c == nil {
		return 0
	}
	for id, one := range c.first {
		if !one.Whole && !c.other[id].Whole {
			n++
		}
	}
	return n
}

// Drop removes the model calls, because the run's own totals include them.
func (c *Calls) Drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = nil
}

// release drops the model calls of a run whose span was accepted, unless something may be reported late.
func (c *Calls) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all.lacking() == 0 {
		c.all = nil
	}
}

// Found calls add for each model call of the first account for which other accounts have reported more since the last time, with
// the part that they add. It returns the usage of the model calls that only other accounts have. total is true if the total of the
// run is exported with both.
func (c *Calls) Found(total bool, add func(part ModelCall, whole bool)) (beyond ledger.ByModel) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil {
		return nil
	}
	c.all.total = c.all.total || total
	for id, other := range c.all.other {
		first, ok := c.all.first[id]
		switch {
		case ok:
			part, whole := other, other.Whole && !first.Whole
			if part.Tokens = other.Tokens.Beyond(first.Tokens); part.Tokens != (events.Tokens{}) || whole {
				add(part, whole)
			}
			first.Tokens, first.Whole = first.Tokens.Larger(other.Tokens), first.Whole || other.Whole
			c.all.first[id] = first
		case other.Exported:
			beyond.Of(other.Model).Tokens.Add(other.Tokens)
		}
	}
	return beyond
}
