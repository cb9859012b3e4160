package account

import (
	"slices"
	"sync/atomic"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/link"
)

// Standing is what a run is among the accounts of it.
type Standing uint8

// The standings; see the package.
const (
	First  Standing = iota
	Second          // maybe the first was in an earlier process
	Joined
	Twin
	Orphan
	Copy   // as equal content shows
	Marked // as the format marks it
)

// IsSecond reports whether another stream is the first with the run.
func (s Standing) IsSecond() bool { return s >= Second && s <= Orphan }

// IsJoined reports whether the spans of the run lie below the run of the first.
func (s Standing) IsJoined() bool { return s == Joined || s == Twin }

// IsCopy reports whether the run is history of another session.
func (s Standing) IsCopy() bool { return s == Copy || s == Marked }

// Account is a stream that was the first with a run or a sub-agent.
type Account struct {
	stream   string
	alias    atomic.Pointer[Account]  // the first account of the run under other ids
	key      string                   // of its run
	run      atomic.Pointer[link.Run] // of a run, once it was opened; nil also for one of an earlier process
	resource *otlp.Resource           // of the run; nil before run
	twin     string                   // the stream that has the run too, under other ids
	recalled bool
}

// Run is the run, or of a sub-agent its span; nil before it was opened in this process.
func (a *Account) Run() *link.Run { return a.run.Load() }

// Resource is that of the run; nil where it is not known.
func (a *Account) Resource() *otlp.Resource { return a.resource }

// Recalled reports whether the account is of an earlier process, of whose items nothing is known.
func (a *Account) Recalled() bool { return a.recalled }

// Is reports whether the account is of a sub-agent in a stream that has its run too, under a span.
func (a *Account) Is(inline link.RunID) bool {
	run := a.Run()
	return run != nil && run.Inline && run.RunID == inline
}

// Over reports whether the run of the account is over, with all that it has in the background, as far as is known. One
// without a run that is not recalled is about to open it.
func (a *Account) Over() bool {
	if run := a.Run(); run != nil {
		return run.Written()
	}
	return a.recalled
}

// First is the account under whose ids the run was exported: itself, or the one of a twin.
func (a *Account) First() *Account {
	if alias := a.alias.Load(); alias != nil {
		return alias
	}
	return a
}

// maxClaims bounds each list of claims; the oldest are evicted.
const maxClaims = 256

// Claims are the things that a stream is the first with, and those that another one is, the oldest first.
type Claims struct{ Owned, Foreign []uint64 }

// Clone is a copy.
func (c *Claims) Clone() Claims {
	return Claims{Owned: slices.Clone(c.Owned), Foreign: slices.Clone(c.Foreign)}
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

// reject notes that a thing is another stream's after all, under another id.
func (c *Claims) reject(thing uint64) {
	c.Owned = slices.DeleteFunc(c.Owned, func(x uint64) bool { return x == thing })
	c.add(thing, false)
}
