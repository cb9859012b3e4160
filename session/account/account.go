package account

import (
	"slices"
	"sync/atomic"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/link"
)

// Standing classifies a run relative to the other accounts of it.
type Standing uint8

// The standings; see the package documentation.
const (
	First  Standing = iota
	Second          // the first account may be from an earlier process
	Joined
	Twin
	Orphan
	Copy   // proven by equal content
	Marked // marked by the format
)

// IsSecond reports whether another stream has the first account of the run.
func (s Standing) IsSecond() bool { return s >= Second && s <= Orphan }

// IsJoined reports whether the spans of the run are children of the first account's run.
func (s Standing) IsJoined() bool { return s == Joined || s == Twin }

// IsCopy reports whether the run is copied history of another session.
func (s Standing) IsCopy() bool { return s == Copy || s == Marked }

// Account is the first account of a run or a sub-agent.
type Account struct {
	stream   string
	alias    atomic.Pointer[Account]  // the first account of the run under other IDs
	key      string                   // of its run
	run      atomic.Pointer[link.Run] // nil until the run opens, and for an account of an earlier process
	resource *otlp.Resource           // of the run; nil before the run opens
	twin     string                   // the stream that has the run under other IDs
	recalled atomic.Bool              // of an earlier process, until its items are read again
}

// Run returns the run, or the span of a sub-agent. It is nil until the run opens in this process.
func (a *Account) Run() *link.Run { return a.run.Load() }

// Resource returns the resource of the run, or nil if it is unknown.
func (a *Account) Resource() *otlp.Resource { return a.resource }

// Recalled reports whether the account is from an earlier process, whose items are unknown.
func (a *Account) Recalled() bool { return a.recalled.Load() }

// Is reports whether the account is of a sub-agent that works, under the given span, in a stream that also has its run.
func (a *Account) Is(inline link.RunID) bool {
	run := a.Run()
	return run != nil && run.Inline && run.RunID == inline
}

// Over reports whether the run of the account has ended, including its known background work. An account that has no
// run and is not recalled is about to open one.
func (a *Account) Over() bool {
	if run := a.Run(); run != nil {
		return run.Written()
	}
	return a.recalled.Load()
}

// First returns the account under whose IDs the run was exported: the account itself or that of its twin.
func (a *Account) First() *Account {
	if alias := a.alias.Load(); alias != nil {
		return alias
	}
	return a
}

// maxClaims bounds each list of claims; the oldest are evicted.
const maxClaims = 256

// Claims lists the things whose first account a stream has, and those whose first account another stream has, oldest first.
type Claims struct {
	Owned, Foreign []uint64

	taken uint64 // the last of Owned at the last Take
}

// Clone returns a copy, whose claims are taken.
func (c *Claims) Clone() Claims {
	clone := Claims{Owned: slices.Clone(c.Owned), Foreign: slices.Clone(c.Foreign)}
	if n := len(clone.Owned); n > 0 {
		clone.taken = clone.Owned[n-1]
	}
	return clone
}

// Take returns a copy of Owned if it has more than at the last call.
func (c *Claims) Take() []uint64 {
	n := len(c.Owned)
	if n == 0 || c.Owned[n-1] == c.taken {
		return nil
	}
	c.taken = c.Owned[n-1]
	return slices.Clone(c.Owned)
}

func (c *Claims) add(thing uint64, mine bool) {
	list := &c.Foreign
	if mine {
		list = &c.Owned
	}
	if !slices.Contains(*list, thing) {
		*list = append(*list, thing)
		*list = slices.Delete(*list, 0, max(len(*list)-maxClaims, 0))
	}
}

// reject records that another stream has the first account of a thing, under another ID.
func (c *Claims) reject(thing uint64) {
	c.Owned = slices.DeleteFunc(c.Owned, func(x uint64) bool { return x == thing })
	c.add(thing, false)
}
