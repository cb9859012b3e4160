package telemetry

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/tailspan/tailspan/events"
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
	standingSecond          // another stream exports the run
	standingCopy            // it is history of another session
)

// account is a stream that was the first with a run or a sub-agent.
type account struct {
	stream string
	ref    *runRef // of a run, once it was opened; nil also for one of an earlier process
	// recalled marks one of an earlier process, of whose items nothing is known.
	recalled bool
}

// over reports whether the run of the account is over, as far as is known.
func (a *account) over() bool { return a.ref == nil || a.ref.span.Load() != nil }

// owners remembers which stream was the first with a thing, by the thing's hash.
type owners struct {
	memory[uint64, *account]
}

func newOwners(limit int, forgotten *int) owners {
	return owners{newMemory[uint64, *account](limit, forgotten)}
}

// claim returns the first account of a thing, which is stream's if there was none.
func (o *owners) claim(thing uint64, stream string) *account {
	first, known := o.get(thing)
	if !known {
		first = &account{stream: stream}
		o.set(thing, first)
	}
	return first
}

// claim returns the first account of a thing, and whether it is this stream's: also if that was decided before a restart,
// or by the stream whose state this one began with (a file that became two).
func (s *Stream) claim(thing uint64) (first *account, mine bool) {
	if slices.Contains(s.foreign, thing) {
		return s.registry.account(thing), false
	}
	first = s.registry.claim(thing, s.settings.ID)
	mine = first.stream == s.settings.ID || slices.Contains(s.owned, thing)
	list := &s.foreign
	if mine {
		list = &s.owned
	}
	if !slices.Contains(*list, thing) {
		*list = append(*list, thing)
		*list = slices.Delete(*list, 0, max(len(*list)-maxState, 0))
	}
	return first, mine
}

// owns reports whether this stream is the first with a thing.
func (s *Stream) owns(parts ...string) bool {
	_, mine := s.claim(stableHash(strings.Join(parts, "\x00")))
	return mine
}

// accountOf is the hash of a run of a session, the same in each account of it.
func (s *Stream) accountOf(session string, key *runKey) uint64 {
	occurrence := s.cameBefore(&s.seenRuns, key.String())
	return stableHash(strings.Join([]string{"run", s.settings.Agent.Provider, session, key.String(), strconv.Itoa(occurrence)}, "\x00"))
}

// stand decides what a run is that is about to open, and who was the first with it.
func (s *Stream) stand(session string, key *runKey) (standing, *account) {
	if key.marked {
		return standingCopy, nil
	}
	first, mine := s.claim(s.accountOf(session, key))
	if !mine {
		return standingSecond, first
	}
	if key.copy != 0 {
		if original, mine := s.claim(key.copy); !mine {
			return standingCopy, original
		}
	}
	return standingFirst, first
}

// copyMark is a hash of what an item of the model shares with a copy of it in another session: its id, its content, and
// its time or else the id of its line. It is 0 where that proves nothing: the bodies of a server are answers, never
// history, and without session there is no other one.
func (s *Stream) copyMark(ev *events.DisplayEvent) uint64 {
	if s.settings.Agent.Bodies || ev.SessionID == "" {
		return 0
	}
	at := ev.ItemID
	if plausible(ev.Time) {
		at = strconv.FormatInt(ev.Time.UnixNano(), 10)
	}
	id := cmp.Or(ev.MessageID, ev.Tool.ID, ev.ItemID)
	if at == "" || id == "" {
		return 0
	}
	return stableHash(strings.Join([]string{"copy", s.settings.Agent.Provider, id, at, contentOf(ev)}, "\x00"))
}

// leavesHistory reports whether ev is the first own work of a session whose run so far is copied history.
func (s *Stream) leavesHistory(ev *events.DisplayEvent) bool {
	r := s.run
	if r == nil || r.standing != standingCopy || r.closed || r.subAgent || ev.Copied || !modelWorks(ev) || ev.Kind == events.KindMessage {
		return false
	}
	if !r.marked && (r.account == nil || r.account.recalled) {
		return false
	}
	mark := s.copyMark(ev)
	return mark == 0 || !s.registry.told.has(mark)
}

// waits reports whether the run that waiting begins with has to wait for the end of the first account of it.
func (s *Stream) waits(key *runKey, waiting []held) bool {
	standing, first := s.stand(s.idSession(sessionOf(waiting)), key)
	return standing == standingSecond && first != nil && s.registry.awaitAccount(first, s)
}

// awaitAccount has a stream wait for the end of an account, unless it is over.
func (r *Registry) awaitAccount(first *account, s *Stream) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if first.over() {
		return false
	}
	r.families.waiting.add(accountKey{first}, s)
	return true
}

// opened notes the run of a first account.
func (r *Registry) opened(first *run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first.account.ref = first.ref
}

// joinAccount makes a run a further account of one that another stream was the first with: what it has beyond that goes
// into the trace of the first, below its run. Its own step is exported, with a link to that run.
func (s *Stream) joinAccount(r *run) {
	ref := r.account.ref
	r.joined = true
	r.late = ref.span.Load() != nil
	r.ref, r.traceID, r.idScope, r.top.spanID = ref, ref.traceID, ref.scope, ref.topSpanID
	s.stepOfAccount(r, ref)
}

// stepOfAccount enters a second account under its own pipeline and step, which link to the run of the first.
func (s *Stream) stepOfAccount(r *run, first *runRef) {
	if s.settings.Parent.Empty() {
		r.inPipeline = s.registry.accountStarted(r.resource, first)
	}
}

// secondTells reports whether an event of a second account may go out: what the agent said and did.
func secondTells(kind events.Kind) bool {
	switch kind {
	case events.KindText, events.KindReasoning, events.KindMessage, events.KindToolUse, events.KindToolResult, events.KindUsage:
		return true
	default:
		return false
	}
}

// exported reports whether the span of a call goes out as this stream has it.
func (c *call) exported() bool { return c.caller.heard() && !c.elsewhere }

// outside reports whether a span of a second account does not lie inside of what the first exported above it.
func (r *run) outside(a *agent, i *interval) bool {
	if !r.joined {
		return false
	}
	over := r.ref.span.Load()
	return a.call != nil || over == nil || !over.holds(*i)
}

// dropped counts a record that does not go out since another stream exports it, or its original.
func (s *Stream) dropped(r *run) {
	switch {
	case s.silent:
	case r.standing == standingCopy:
		s.counts.Copied++
	default:
		s.counts.OtherAccount++
	}
}

// accountKey is what a second account waits for.
type accountKey struct{ first *account }

// accountOver returns the streams that waited for the end of an account.
func (r *Registry) accountOver(first *account) []*Stream {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.families.waiting.take(accountKey{first})
}

// account is the first account of a thing; nil if it is not known.
func (r *Registry) account(thing uint64) *account {
	r.mu.Lock()
	defer r.mu.Unlock()
	first, _ := r.owners.get(thing)
	return first
}

func (r *Registry) claim(thing uint64, stream string) *account {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.owners.claim(thing, stream)
}

// Recall takes in what an earlier state of a stream was the first with, whether or not the stream is opened again: so a
// copy of its history is known for one that is found after a restart. To be called before streams are opened.
func (r *Registry) Recall(stream string, state *StreamState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, thing := range state.Owned {
		r.owners.claim(thing, stream).recalled = true
	}
}
