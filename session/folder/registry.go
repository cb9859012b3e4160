package folder

import (
	"slices"
	"sync"

	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/wait"
)

// maxRuns bounds the runs of a session and the calls of a run.
const maxRuns = 256

// Session identifies a session of a provider.
type Session struct {
	Provider string `json:"provider"`
	ID       string `json:"id"`
}

// Registry connects the streams of sessions with those of their sub-agents. S is the caller's handle of a stream.
type Registry[S comparable] struct {
	mu        sync.Mutex
	sessions  memory.Map[Session, *session[S]]
	waiting   wait.List[S] // for a [Session]
	forgotten int
}

// session holds the runs of a session.
type session[S comparable] struct {
	runs   []*run[S]     // in the order of their announcement
	latest clock.Instant // the newest time in the session
}

// run holds the start of a run and its calls that started agents.
type run[S comparable] struct {
	*link.Run
	start  clock.Instant
	spawns []*spawn[S]
}

// spawn is a call in the stream maker that started an agent.
type spawn[S comparable] struct {
	Spawn
	maker S
	found bool // the agent's span has it as its parent
}

// NewRegistry returns a Registry of at most limit sessions.
func NewRegistry[S comparable](limit int) *Registry[S] {
	r := &Registry[S]{}
	r.sessions = memory.NewMap[Session, *session[S]](limit, &r.forgotten)
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

// Leave removes a stream that ends from the waiting list.
func (r *Registry[S]) Leave(child S) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting.Remove(child)
}

// AnnounceRun adds a run.
func (r *Registry[S]) AnnounceRun(of Session, ref *link.Run, start clock.Instant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.sessionOf(of)
	if s.of(ref) != nil {
		return
	}
	s.runs = append(s.runs, &run[S]{Run: ref, start: start})
	if drop := len(s.runs) - maxRuns; drop > 0 {
		r.forgotten += drop
		s.runs = append(s.runs[:0:0], s.runs[drop:]...)
	}
}

// AnnounceTime records a time of a session and returns the streams that can now continue.
func (r *Registry[S]) AnnounceTime(of Session, at clock.Instant) []S {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, known := r.sessions.Get(of)
	if !known || !at.After(s.latest) {
		return nil
	}
	s.latest = at
	return r.waiting.Take(of)
}

// AnnounceSpawn adds a call in the stream maker that started an agent.
func (r *Registry[S]) AnnounceSpawn(maker S, of Session, ref *link.Run, c Spawn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, known := r.sessions.Get(of)
	if !known {
		return
	}
	one := s.of(ref)
	switch {
	case one != nil && slices.ContainsFunc(one.spawns, func(known *spawn[S]) bool { return known.Call.Span == c.Call.Span }):
	case one == nil || len(one.spawns) == maxRuns:
		r.forgotten++
	default:
		one.spawns = append(one.spawns, &spawn[S]{Spawn: c, maker: maker})
	}
}

// Await returns the run of a session that was active at a time. It returns nil if that is unknown and decide is false;
// a later announcement then returns the child.
func (r *Registry[S]) Await(child S, of Session, at clock.Instant, decide bool) *link.Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, known := r.sessions.Get(of); known && (decide || !s.latest.Before(at)) {
		if one := s.at(at); one != nil {
			return one.Run
		}
	}
	r.waiting.Add(of, child)
	return nil
}

// Find returns the call that started the agent of a run. It requires that exactly one call matches the agent's start and prompt.
func (r *Registry[S]) Find(of Session, ref *link.Run, at clock.Instant, prompt string) (Spawn, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, known := r.sessions.Get(of); known {
		if one := s.of(ref); one != nil {
			if c := one.find(at, prompt); c != nil {
				return c.Spawn, true
			}
		}
	}
	return Spawn{}, false
}

// Found records that the span of an agent has a call as its parent. It returns the stream of that call, or the zero
// value if this was known or the call is unknown.
func (r *Registry[S]) Found(of Session, ref *link.Run, call *link.Call) (maker S) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, known := r.sessions.Get(of)
	if !known {
		return maker
	}
	if one := s.of(ref); one != nil {
		for _, c := range one.spawns {
			if c.Call.Span == call.Span && !c.found {
				c.found = true
				return c.maker
			}
		}
	}
	return maker
}

func (r *Registry[S]) sessionOf(of Session) *session[S] {
	s, known := r.sessions.Get(of)
	if !known {
		s = &session[S]{}
		r.sessions.Set(of, s)
	}
	return s
}

// at returns the run that was active at a time: the last one that had begun, or else the first.
func (s *session[S]) at(t clock.Instant) (best *run[S]) {
	for _, r := range s.runs {
		switch {
		case best == nil, best.start.After(t) && r.start.Before(best.start):
			best = r
		case !r.start.After(t) && !r.start.Before(best.start):
			best = r
		}
	}
	return best
}

// of returns the entry of a run, or nil if it is unknown.
func (s *session[S]) of(ref *link.Run) *run[S] {
	for _, r := range s.runs {
		if r.RunID == ref.RunID {
			return r
		}
	}
	return nil
}

// find returns the only call that matches an agent's start and prompt, or nil.
func (r *run[S]) find(t clock.Instant, prompt string) *spawn[S] {
	var open, named []*spawn[S]
	for _, c := range r.spawns {
		if span := &c.End.Span; !t.Before(span.Start.At) && (!t.After(span.End.At) || span.Cut()) {
			if open = append(open, c); c.Target.In(prompt) {
				named = append(named, c)
			}
		}
	}
	switch {
	case len(open) == 1:
		return open[0]
	case len(named) == 1:
		return named[0]
	default:
		return nil
	}
}
