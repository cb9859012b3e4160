package telemetry

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strconv"
	"sync/atomic"

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
	standingCopy            // it is history of another session, as equal content shows
	standingMarked          // it is history of another session, as the format marks it
)

// account is a stream that was the first with a run or a sub-agent.
type account struct {
	stream string
	alias  atomic.Pointer[account] // the first account of the run under other ids
	key    string                  // of its run
	ref    atomic.Pointer[runRef]  // of a run, once it was opened; nil also for one of an earlier process
	twin   string                  // the stream that has the run too, under other ids; see twins.go
	// recalled marks one of an earlier process, of whose items nothing is known.
	recalled bool
}

// over reports whether the run of the account is over, with all that it has in the background, as far as is known. One
// without a run that is not recalled is about to open it.
func (a *account) over() bool {
	if ref := a.ref.Load(); ref != nil {
		return ref.written.Load()
	}
	return a.recalled
}

// allWritten wakes the streams that wait for the account of a run, once nothing of the run is open.
func (s *Stream) allWritten(r *run) {
	if !r.closed || r.joined || r.kin != (agentKey{}) || len(r.calls.open) > 0 || r.work.agents > 0 || r.ref.written.Swap(true) {
		return
	}
	if r.account != nil {
		s.tell(s.registry.accountOver(r.account))
	}
}

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

// disown notes that a thing is another stream's after all, under another id.
func (s *Stream) disown(thing uint64) {
	s.owned = slices.DeleteFunc(s.owned, func(x uint64) bool { return x == thing })
	if !slices.Contains(s.foreign, thing) {
		s.foreign = append(s.foreign, thing)
		s.foreign = slices.Delete(s.foreign, 0, max(len(s.foreign)-maxState, 0))
	}
}

// owns reports whether this stream is the first with a thing.
func (s *Stream) owns(parts ...string) bool {
	_, mine := s.claim(stableHash(parts...))
	return mine
}

// accountOf is the hash of a run of a session, the same in each account of it.
func (s *Stream) accountOf(session string, key *runKey) uint64 {
	occurrence := s.cameBefore(&s.seenRuns, key.String())
	return stableHash("run", s.settings.Agent.Provider, session, key.String(), strconv.Itoa(occurrence))
}

// stand decides what a run is that is about to open, and who was the first with it.
func (s *Stream) stand(session string, key *runKey, waiting []held) (standing, *account) {
	if key.marked {
		return standingMarked, nil
	}
	key.account = s.accountOf(session, key)
	decided := slices.Contains(s.owned, key.account) // maybe in an earlier process
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
		s.disown(key.account)
		return standingSecond, twin
	}
	return standingFirst, first
}

// firstUnder is the first account of a run that is another stream's, maybe under other ids. That stream may not be open again
// after a restart.
func (s *Stream) firstUnder(first *account, session string, waiting []held) *account {
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

// copyKey is what an item of the model shares with a copy of it in another session: its id, its content, and its time or
// else the id of its line.
type copyKey struct {
	provider, id, line string
	at                 int64 // Unix nanoseconds
	kind               events.Kind
	what, detail       string
}

// copyKey is that of an item; ok is false where nothing proves a copy: the bodies of a server are answers, never history,
// and without session there is no other one.
func (s *Stream) copyKey(ev *events.DisplayEvent) (key copyKey, ok bool) {
	if s.settings.Agent.Bodies || ev.SessionID == "" {
		return key, false
	}
	key = copyKey{provider: s.settings.Agent.Provider, id: cmp.Or(ev.MessageID, ev.Tool.ID, ev.ItemID), kind: ev.Kind}
	if plausible(ev.Time) {
		key.at = ev.Time.UnixNano()
	} else {
		key.line = ev.ItemID
	}
	key.what, key.detail = saidBy(ev)
	return key, key.id != "" && (key.at != 0 || key.line != "")
}

// stable is the same in every process.
func (k *copyKey) stable() uint64 {
	return stableHash("copy", k.provider, k.id, k.line, strconv.FormatInt(k.at, 10), k.kind.String(), k.what, k.detail)
}

// mark is of this process alone, and cheap.
func (r *Registry) mark(k *copyKey) uint64 { return maphash.Comparable(r.seed, *k) }

// leavesHistory reports whether ev is the first own work of a session whose run so far is copied history.
func (s *Stream) leavesHistory(ev *events.DisplayEvent) bool {
	r := s.run
	if r == nil || !r.isCopy() || r.closed || r.subAgent || ev.Copied || !modelWorks(ev) || ev.Kind == events.KindMessage {
		return false
	}
	if r.standing == standingCopy && (r.account == nil || r.account.recalled) {
		return false
	}
	key, ok := s.copyKey(ev)
	return !ok || !s.registry.said.has(s.registry.mark(&key))
}

// waits reports whether the run that waiting begins with has to wait for the end of the first account of it.
func (s *Stream) waits(key *runKey, waiting []held) bool {
	standing, first := s.stand(s.idSession(sessionOf(waiting)), key, waiting)
	if standing != standingSecond || first == nil || !s.await(first) {
		return false
	}
	s.awaited.run, s.awaited.from = true, waiting[0].origin
	return true
}

// awaited is the account whose end the pending events of a stream waited for last.
type awaited struct {
	account *account
	run     bool   // a run waits, not the work of a sub-agent:
	from    origin // the one that begins here
}

// holds reports whether a run waits yet. What comes behind its beginning changes nothing of that, so none of it has to be
// looked at again with each event.
func (a *awaited) holds(from origin) bool {
	return a != nil && a.run && a.from == from && !a.account.over()
}

// await has the stream wait for the end of an account, unless it is over.
func (s *Stream) await(first *account) bool {
	if !s.registry.awaitAccount(first, s) {
		return false
	}
	s.awaited = &awaited{account: first}
	return true
}

// awaitsAccount reports whether the pending events of the stream wait for the end of a first account.
func (s *Stream) awaitsAccount() bool {
	return len(s.held) > 0 && s.awaited != nil && !s.awaited.account.over()
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
	first.account.key = first.key
	first.account.ref.Store(first.ref)
}

// joinAccount makes a run a further account of one that another stream was the first with: what it has beyond that goes
// into the trace of the first, below its run. Its own step is exported, with a link to that run.
func (s *Stream) joinAccount(r *run) {
	ref := r.account.ref.Load()
	r.joined = true
	if r.account.stream != s.settings.ID && r.account.key != r.key {
		r.twin = true
		s.registry.pair(r.account, s.settings.ID)
	}
	r.late = r.account.over()
	r.ref, r.traceID, r.idScope, r.top.spanID = ref, ref.traceID, ref.scope, ref.topSpanID
	s.stepOfAccount(r, ref)
}

// stepOfAccount enters a second account under its own pipeline and step, which link to the run of the first.
func (s *Stream) stepOfAccount(r *run, first *runRef) {
	if s.settings.Parent.Empty() {
		r.inPipeline = s.registry.accountStarted(r.resource, first)
	}
}

// waitsForFirst reports whether the run is a second account that was opened before the first one is over: its events wait
// on, and those that the limits leave no room for are dropped, since the first account has them most likely.
func (r *run) waitsForFirst() bool {
	if r == nil || !r.joined || r.late {
		return false
	}
	r.late = r.account.over()
	return !r.late
}

// secondExports reports whether an event of a second account may go out: what the agent said and did.
func secondExports(kind events.Kind) bool {
	switch kind {
	case events.KindText, events.KindReasoning, events.KindMessage, events.KindToolUse, events.KindToolResult, events.KindUsage:
		return true
	default:
		return false
	}
}

// exportsRecord reports whether the record of an event goes out, as far as the account decides: of a second account what the
// first does not have.
func (s *Stream) exportsRecord(a *agent, of *call, ev *events.DisplayEvent) bool {
	r := a.run
	switch {
	case !a.heard():
		return false
	case !r.joined:
		return true
	case !secondExports(ev.Kind):
		return false
	case ev.Kind == events.KindUsage: // with the model call that it is of, else it is a total
		return a.chat.is(ev) && !a.chat.spanID.IsEmpty() && !a.chat.elsewhere
	case !r.twin:
		return true
	case of != nil:
		return !of.elsewhere
	default:
		return !(a.chat.is(ev) && a.chat.elsewhere) && !s.hasSign(r, ev)
	}
}

// exported reports whether the span of a call goes out as this stream has it.
func (c *call) exported() bool { return c.caller.heard() && !c.elsewhere }

// agentAccount is the hash of a task of a sub-agent, the same in each account of it.
func agentAccount(key agentKey) uint64 {
	return stableHash("agent", key.provider, key.session, key.agent, strconv.Itoa(key.task))
}

// accountOfAgent makes this stream the first with a sub-agent; nil if another one is.
func (s *Stream) accountOfAgent(key agentKey, ref *runRef) *account {
	first, mine := s.claim(agentAccount(key))
	if !mine {
		return nil
	}
	first.ref.Store(ref)
	return first
}

// waitsForRun reports whether a stream of a sub-agent has to wait for the end of its run: where a stream on standard
// output is the first account of that, its totals hold the tokens of sub-agents, and only the end shows whether there are any.
func (s *Stream) waitsForRun(ref *runRef) bool {
	return s.settings.Agent.TotalsOfAgents && !ref.recorded && ref.account != nil && s.await(ref.account)
}

// waitsForAgent reports whether a stream of a sub-agent has to wait for the end of the first account of it.
func (s *Stream) waitsForAgent(key agentKey) bool {
	first, mine := s.claim(agentAccount(key))
	return !mine && first != nil && s.await(first)
}

// standAgent decides which account of a sub-agent its own stream is.
func (s *Stream) standAgent(r *run, key agentKey) {
	ref := &runRef{traceID: r.traceID, topSpanID: r.top.spanID}
	if r.account = s.accountOfAgent(key, ref); r.account != nil {
		return
	}
	r.standing = standingSecond
	if first := s.registry.account(agentAccount(key)); first != nil && first.ref.Load() != nil {
		r.account, r.joined, r.late, r.traceID = first, true, first.over(), first.ref.Load().traceID
	}
}

// endAgentAccounts ends the accounts of the sub-agents of a run: now it is known whether its totals hold theirs.
func (s *Stream) endAgentAccounts(r *run) {
	for _, a := range r.overAgents {
		s.endAccount(a.account, a.span, r.ref.totals)
	}
	r.overAgents = nil
}

// endAccount ends an account that this stream was the first with.
func (s *Stream) endAccount(first *account, over interval, totals bool) {
	ref := first.ref.Load()
	ref.totals = totals
	ref.span.Store(&over)
	ref.written.Store(true)
	s.tell(s.registry.accountOver(first))
}

// outside reports whether a span of a second account does not lie inside of what the first exported above it.
func (r *run) outside(a *agent, i *interval) bool {
	if !r.joined {
		return false
	}
	over := r.account.ref.Load().span.Load()
	return a.call != nil || over == nil || !over.holds(*i)
}

// dropped counts a record that does not go out since another stream exports it, or its original.
func (s *Stream) dropped(r *run) {
	switch {
	case s.silent:
	case r.isCopy():
		s.count().Copied++
	default:
		s.count().OtherAccount++
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
// copy of its history is known for one that is found after a restart, and its sub-agents find their calls. To be called before
// streams are opened.
func (r *Registry) Recall(stream string, state *StreamState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, thing := range state.Owned {
		r.owners.claim(thing, stream).recalled = true
	}
	if state.Family != nil {
		r.recallFamily(state.Family)
	}
}
