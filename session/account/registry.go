package account

import (
	"slices"
	"sync"

	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/wait"
)

// Registry remembers the first account of each thing. S is the caller's handle of a waiting stream.
type Registry[S comparable] struct {
	opening sync.Mutex // held while a run opens

	mu        sync.Mutex
	things    memory.Map[uint64, *Account]
	runs      memory.Map[sign, []*Account] // by sign
	waiting   wait.List[S]                 // for the end of an [Account], or until a stream was read
	unread    map[string]struct{}          // streams with lines that may not have been read yet
	forgotten int
}

// NewRegistry returns a Registry that remembers at most limit things and limit signs.
func NewRegistry[S comparable](limit int) *Registry[S] {
	r := &Registry[S]{unread: map[string]struct{}{}}
	r.things = memory.NewMap[uint64, *Account](limit, &r.forgotten)
	r.runs = memory.NewMap[sign, []*Account](limit, &r.forgotten)
	return r
}

// TakeForgotten returns the number of evictions since the last call.
func (r *Registry[S]) TakeForgotten() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, r.forgotten = r.forgotten, 0
	return n
}

// Idle reports whether no stream is waiting.
func (r *Registry[S]) Idle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waiting.Empty()
}

// Open locks the opening of runs and returns the unlock function. It ensures that the first account of a run has opened
// the run before another account looks for it.
func (r *Registry[S]) Open() (done func()) {
	r.opening.Lock()
	return r.opening.Unlock
}

// Of returns the first account of a thing, or nil if it is unknown.
func (r *Registry[S]) Of(thing uint64) *Account {
	r.mu.Lock()
	defer r.mu.Unlock()
	first, _ := r.things.Get(thing)
	return first
}

// Claim returns the first account of a thing and whether the stream owns it. The stream also owns it if that was
// decided before a restart, or by the stream whose claims this one inherited (a file that became two).
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

// ClaimAgent claims a sub-agent under a span for a stream. It returns nil if another stream has the first account. An
// inline sub-agent is in a stream that also has its run.
func (r *Registry[S]) ClaimAgent(c *Claims, stream string, thing uint64, span link.RunID, inline bool) *Account {
	first, mine := r.Claim(c, stream, thing)
	if !mine {
		return nil
	}
	first.run.Store(&link.Run{RunID: span, Inline: inline})
	return first
}

// Recall restores the things that an earlier state of a stream owned.
func (r *Registry[S]) Recall(stream string, owned []uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, thing := range owned {
		r.claim(stream, thing).recalled.Store(true)
	}
}

// Opened records the run of a first account.
func (r *Registry[S]) Opened(first *Account, key string, res *otlp.Resource, run *link.Run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first.key, first.resource = key, res
	first.run.Store(run)
}

// Join adds the run of a stream to the first account of an open run. The result is Twin if the IDs differ: the key is
// another one or the streams are of different kinds.
func (r *Registry[S]) Join(first *Account, stream, key string, otherKind bool) Standing {
	r.mu.Lock()
	defer r.mu.Unlock()
	if first.stream == stream || first.key == key && !otherKind {
		return Joined
	}
	first.twin = stream
	return Twin
}

// Await makes s wait for the end of an account. It reports false if the account is over already.
func (r *Registry[S]) Await(s S, first *Account) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if first.Over() {
		return false
	}
	r.waiting.Add(first, s)
	return true
}

// Awaited reports whether a stream waits for the end of an account.
func (r *Registry[S]) Awaited(first *Account) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.waiting.Of(first)) > 0
}

// Over returns and removes the streams that wait for the end of an account. Call it when the account is over.
func (r *Registry[S]) Over(first *Account) []S {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waiting.Take(first)
}

// BeginReading records that a stream has available lines that were not read.
func (r *Registry[S]) BeginReading(stream string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unread[stream] = struct{}{}
}

// EndReading records that all available lines of a stream were read. It returns and removes the streams that waited for that.
func (r *Registry[S]) EndReading(stream string) []S {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.unread, stream)
	return r.waiting.Take(stream)
}

// IsReading reports whether the stream of an account has available lines that were not read.
func (r *Registry[S]) IsReading(of *Account) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, unread := r.unread[of.stream]
	return unread
}

// AwaitReading makes s wait until all available lines of the stream of an account were read. It reports false if they were.
func (r *Registry[S]) AwaitReading(s S, of *Account) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, unread := r.unread[of.stream]; !unread {
		return false
	}
	r.waiting.Add(of.stream, s)
	return true
}

// Leave removes a stream that ends from all waiting lists.
func (r *Registry[S]) Leave(s S) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting.Remove(s)
}
