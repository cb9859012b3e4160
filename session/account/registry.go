package account

import (
	"slices"
	"sync"

	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/wait"
)

// Registry remembers which stream was the first with a thing. S is the caller's handle of a stream that waits.
type Registry[S comparable] struct {
	opening sync.Mutex // held while a run opens

	mu        sync.Mutex
	things    memory.Map[uint64, *Account]
	runs      memory.Map[sign, []*Account] // by their signs
	waiting   wait.List[S]                 // for the end of an [Account]
	forgotten int
}

// NewRegistry makes a Registry that remembers limit things, and as many signs.
func NewRegistry[S comparable](limit int) *Registry[S] {
	r := &Registry[S]{}
	r.things = memory.NewMap[uint64, *Account](limit, &r.forgotten)
	r.runs = memory.NewMap[sign, []*Account](limit, &r.forgotten)
	return r
}

// TakeForgotten is how much was evicted since the last call.
func (r *Registry[S]) TakeForgotten() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, r.forgotten = r.forgotten, 0
	return n
}

// Idle reports whether no stream waits.
func (r *Registry[S]) Idle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waiting.Empty()
}

// Open begins the opening of a run, and returns what ends it: of the accounts of a run one is the first, and has opened it before
// another looks.
func (r *Registry[S]) Open() (done func()) {
	r.opening.Lock()
	return r.opening.Unlock
}

// Of is the first account of a thing; nil if it is not known.
func (r *Registry[S]) Of(thing uint64) *Account {
	r.mu.Lock()
	defer r.mu.Unlock()
	first, _ := r.things.Get(thing)
	return first
}

// Claim returns the first account of a thing, and whether it is that of the stream: also if that was decided before a restart,
// or by the stream whose claims this one began with (a file that became two).
func (r *Registry[S]) Claim(c *Claims, stream string, thing uint64) (first *Account, mine bool) {
	if slices.Contains(c.Foreign, thing) {
		return r.Of(thing), false
	}
	r.mu.Lock()
	first = r.claim(stream, thing)
	r.mu.Unlock()
	mine = first.stream == stream || slices.Contains(c.Owned, thing)
	c.add(thing, mine)
	return first, mine
}

func (r *Registry[S]) claim(stream string, thing uint64) *Account {
	first, known := r.things.Get(thing)
	if !known {
		first = &Account{stream: stream}
		r.things.Set(thing, first)
	}
	return first
}

// ClaimAgent makes a stream the first with a sub-agent under a span; nil if another one is. An inline one is in a stream that has its
// run too.
func (r *Registry[S]) ClaimAgent(c *Claims, stream string, thing uint64, span link.RunID, inline bool) *Account {
	first, mine := r.Claim(c, stream, thing)
	if !mine {
		return nil
	}
	first.run.Store(&link.Run{RunID: span, Inline: inline})
	return first
}

// Recall takes back what an earlier state of a stream was the first with.
func (r *Registry[S]) Recall(stream string, owned []uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, thing := range owned {
		r.claim(stream, thing).recalled = true
	}
}

// Opened notes the run of a first account.
func (r *Registry[S]) Opened(first *Account, key string, res *otlp.Resource, run *link.Run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first.key, first.resource = key, res
	first.run.Store(run)
}

// Join makes the run of a stream, with a key, a further account of one that is open. It is a twin if it has other ids: another
// key, or those of another kind of stream.
func (r *Registry[S]) Join(first *Account, stream, key string, otherKind bool) Standing {
	r.mu.Lock()
	defer r.mu.Unlock()
	if first.stream == stream || first.key == key && !otherKind {
		return Joined
	}
	first.twin = stream
	return Twin
}

// Await has a stream wait for the end of an account, unless it is over.
func (r *Registry[S]) Await(s S, first *Account) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if first.Over() {
		return false
	}
	r.waiting.Add(first, s)
	return true
}

// Over returns the streams that waited for the end of an account, which is over.
func (r *Registry[S]) Over(first *Account) []S {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waiting.Take(first)
}

// Leave takes a stream that ends out of all that it waits for.
func (r *Registry[S]) Leave(s S) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting.Remove(s)
}
