package telemetry

import (
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/memory"
)

// Several streams can be about the same work: the stream on standard output and the transcript of a session, a copy of a
// file, a fork that begins with its parent's history.
//
//	another stream had           and the session is   the run is        exported of it
//	nothing of the run           -                    the first account  everything
//	the run, by id and content   the same             a second account   calls and texts whose ids nobody exported
//	its first item, by content   another              a copy             nothing
//	-                            marked in the format a copy             nothing
//
// A second account waits until the first one is over: only then is known what that one lacks. It changes no span of the
// first. What is dropped is counted ([Counts.Copied], [Counts.OtherAccount]).

// standing is what a run is among the accounts of it.
type standing uint8

const (
	standingFirst  standing = iota
	standingSecond          // another stream exports the run, maybe in an earlier process
	standingJoined          // another stream exports the run, and this one below that what it has beyond it
	standingTwin            // the same, where the two have other ids; see twins.go
	standingOrphan          // another stream exports the run of a sub-agent without its parent, as this one would
	standingCopy            // it is history of another session, as equal content shows
	standingMarked          // it is history of another session, as the format marks it
)

// account is a stream that was the first with a run or a sub-agent.
type account struct {
	stream string
	alias  atomic.Pointer[account]  // the first account of the run under other ids
	key    string                   // of its run
	ref    atomic.Pointer[link.Run] // of a run, once it was opened; nil also for one of an earlier process
	// resource is that of the run; nil before ref.
	resource *otlp.Resource
	twin     string // the stream that has the run too, under other ids; see twins.go
	// recalled marks one of an earlier process, of whose items nothing is known.
	recalled bool
	// inline marks that of a sub-agent in a stream that has its run too.
	inline bool
}

// over reports whether the run of the account is over, with all that it has in the background, as far as is known. One
// without a run that is not recalled is about to open it.
func (a *account) over() bool {
	if ref := a.ref.Load(); ref != nil {
		return ref.Written()
	}
	return a.recalled
}

// allWritten wakes the streams that wait for the account of a run, once nothing of the run is open.
func (s *Stream) allWritten(r *run) {
	if !r.closed || r.isJoined() || r.isChild() || len(r.calls.open) > 0 || r.work.agents > 0 || !r.ref.Write() {
		return
	}
	if r.account != nil {
		s.followUp.notify(s.registry.accountOver(r.account))
	}
}

// owners remembers which stream was the first with a thing, by the thing's hash.
type owners struct {
	memory.Map[uint64, *account]
}

func newOwners(limit int, forgotten *int) owners {
	return owners{memory.NewMap[uint64, *account](limit, forgotten)}
}

// claim returns the first account of a thing, which is stream's if there was none.
func (o *owners) claim(thing uint64, stream string) *account {
	first, known := o.Get(thing)
	if !known {
		first = &account{stream: stream}
		o.Set(thing, first)
	}
	return first
}

// claims are the things that a stream is the first with, and those that another one is, by hash, the oldest first.
type claims struct{ owned, foreign []uint64 }

// claim returns the first account of a thing, and whether it is this stream's: also if that was decided before a restart,
// or by the stream whose state this one began with (a file that became two).
func (s *Stream) claim(thing uint64) (first *account, mine bool) {
	if slices.Contains(s.claims.foreign, thing) {
		return s.registry.account(thing), false
	}
	first = s.registry.claim(thing, s.settings.ID)
	mine = first.stream == s.settings.ID || slices.Contains(s.claims.owned, thing)
	list := &s.claims.foreign
	if mine {
		list = &s.claims.owned
	}
	if !slices.Contains(*list, thing) {
		*list = append(*list, thing)
		*list = slices.Delete(*list, 0, max(len(*list)-maxState, 0))
	}
	return first, mine
}

// reject notes that a thing is another stream's after all, under another id.
func (c *claims) reject(thing uint64) {
	c.owned = slices.DeleteFunc(c.owned, func(x uint64) bool { return x == thing })
	if !slices.Contains(c.foreign, thing) {
		c.foreign = append(c.foreign, thing)
		c.foreign = slices.Delete(c.foreign, 0, max(len(c.foreign)-maxState, 0))
	}
}

// owns reports whether this stream is the first with a thing.
func (s *Stream) owns(parts ...string) bool {
	_, mine := s.claim(stableHash(parts...))
	return mine
}

// accountOf is the hash of a run of a session, the same in each account of it.
func (s *Stream) accountOf(session string, key *runKey) uint64 {
	occurrence := s.seen.cameBefore(&s.seen.runs, key.String())
	return stableHash("run", s.settings.Agent.Provider, session, key.String(), strconv.Itoa(occurrence))
}

// stand decides what a run is that is about to open, and who was the first with it.
func (s *Stream) stand(session string, key *runKey, waiting []pendingEvent) (standing, *account) {
	if key.marked {
		return standingMarked, nil
	}
	key.account = s.accountOf(session, key)
	decided := slices.Contains(s.claims.owned, key.account) // maybe in an earlier process
	first, mine := s.claim(key.account)
	if !mine {
		return standingSecond, s.firstUnder(first, session, waiting)
	}
	if key.copy != 0 {
		if original, mine := s.claim(key.copy); !mine {
			return standingCopy, original
		}
	}
	if twin := s.twinOrEnter(first, session, waiting); twin != nil && !decided {
		first.alias.Store(twin) // for copies of this stream
		s.claims.reject(key.account)
		return standingSecond, twin
	}
	return standingFirst, first
}

// firstUnder is the first account of a run that is another stream's, maybe under other ids. That stream may not be open again
// after a restart.
func (s *Stream) firstUnder(first *account, session string, waiting []pendingEvent) *account {
	if first != nil && first.alias.Load() != nil {
		return first.alias.Load()
	}
	if first == nil || first.ref.Load() == nil {
		if twin := s.twinOf(session, waiting); twin != nil {
			return twin
		}
	}
	return first
}

// opened notes the run of a first account.
func (r *Registry) opened(first *run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first.account.key, first.account.resource = first.key, first.resource
	first.account.ref.Store(first.ref)
}

// account is the first account of a thing; nil if it is not known.
func (r *Registry) account(thing uint64) *account {
	r.mu.Lock()
	defer r.mu.Unlock()
	first, _ := r.owners.Get(thing)
	return first
}

func (r *Registry) claim(thing uint64, stream string) *account {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.owners.claim(thing, stream)
}
