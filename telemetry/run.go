package telemetry

import (
	"strconv"
	"strings"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/ledger"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/modelcall"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/pending"
)

// runs opens and closes the runs of a stream.
type runs struct{ endings }

// run is the time from a prompt (or start line) to its result: one invoke_agent span at the top and everything below it.
type run struct {
	runIdentity
	runPlace
	runChild
	toolCounts // of all agents of the run in this stream
	mainThread
	resource   *otlp.Resource
	top        *agent
	others     *agent // represents sub-agents whose work another stream exports
	calls      calls
	work       runWork
	signs      outcome.Signs // what its last events show of its end
	continues  continuation
	begin      runStart
	course     clock.Course
	shape      runShape
	end        runEnd
	watched    bool // live, with progress records
	inPipeline bool
	closed     bool
	closing    closing
}

// runIdentity holds the parts of the IDs of a run and its items.
type runIdentity struct {
	traceID   otlp.TraceID
	key       string // made unique by its content and occurrence; see [runKey]
	sessionID string
	idSession string // the session's part of IDs: its ID or, without one, the stream's fingerprint
	// idScope separates the IDs of runs that could collide. It is the run's key if the format numbers its items anew in each
	// run, or if the trace has other runs, possibly a second account under another key. It is empty if the key is the ID of a
	// model message, which makes all IDs unique, and the trace belongs to the run alone. A sub-agent uses its run's.
	idScope string
}

// ownTrace returns the trace of a run that shares it with no other.
func (r *runIdentity) ownTrace(provider string) otlp.TraceID {
	return otlp.NewTraceID(0, provider, r.idSession, r.key)
}

// chatID returns the span ID of a model call of the run.
func (r *runIdentity) chatID(provider string, occurrence int, parts ...string) otlp.SpanID {
	all := append(make([]string, 0, 8), provider, r.idSession, r.key) // on the stack
	return otlp.NewSpanID(otlp.DomainChat, occurrence, append(all, parts...)...)
}

// runPlace is the run's position among its accounts.
type runPlace struct {
	standing  account.Standing
	account   *account.Account // the run's first account
	twinCalls memory.Counter   // counts its calls by what twins have in common
	// overAgents are finished sub-agents whose first account is in this stream; other accounts of them wait for the run.
	overAgents []*agent
	late       bool // a second account of a finished run: what the first lacks is exported
}

// runChild identifies the sub-agent of a run in a separate stream.
type runChild struct {
	ref      *link.Run // what sub-agents in separate streams need to know
	childKey link.Key  // the sub-agent whose work the run is
	orphan   string    // its ID if its parent was not found
	// subAgent is set if this is a sub-agent's work: one task, whose prompt need not be its first line (Claude Code 2.1.30).
	subAgent bool
}

// mainThread is the progress of a run's main thread.
type mainThread struct {
	first       *chat  // the first model call, if it waits for the run's end
	chats       int    // finished model calls
	lastMessage string // the last model message
	turn        string // the last announced turn ID
}

// toolCounts counts the calls of an agent or a run, and the failed ones.
type toolCounts struct{ toolCalls, toolErrors int }

// runStart is the start of a run.
type runStart struct {
	clock clock.Instant // for progress records
	known bool          // the opening line has a time
	// floating is set if the opening line has no time, so the start is that of the line before; see [runs.beginsAt].
	floating bool
	// header is set until the first prompt of a run that the header of a transcript opened; model, if that header has a model.
	header, model bool
}

// runShape records which format-dependent elements a run has.
type runShape struct {
	start   bool // a start line: the stream has starts and results
	turns   bool // the format marks turns, so a prompt within a turn begins nothing
	message bool // the model said something
}

// runEnd is how a run ended according to its lines.
type runEnd struct {
	line     *events.End // nil before the end
	by       events.Kind // what closed the run, if the format marks its end
	own      bool        // line is written by the agent, not made in its place
	leftOpen bool        // calls had no result when the run closed
	agents   int         // calls of sub-agents in other streams, which no line named, without a result when the run closed
}

// isSecond reports whether another stream has the first account of the run.
func (r *runPlace) isSecond() bool {
	return r.standing.IsSecond()
}

// isJoined reports whether the run is a second account whose spans are children of the first account's run.
func (r *runPlace) isJoined() bool { return r.standing.IsJoined() }

// isCopy reports whether the run is copied history of another session.
func (r *runPlace) isCopy() bool { return r.standing.IsCopy() }

// adoptsNobody reports whether the run cannot be a parent of sub-agents: it is unknown whether another stream exports
// it, or it is not a run of this session.
func (r *runPlace) adoptsNobody() bool { return r.isCopy() || r.standing == account.Orphan }

// exports reports whether any part of the run is exported.
func (r *runPlace) exports() bool { return r.standing == account.First || r.late }

// opens reports whether ev begins a new run while r is the current one, or nil.
//
// A run ends with its result. In formats without result lines (transcripts), the next prompt ends it, and if the
// process died, the next start line does. The stream of a sub-agent has one run. An event that is no sign of new work,
// such as a notice of a background task, belongs to the previous run.
func (r *run) opens(ev *events.DisplayEvent) bool {
	if r == nil {
		return !content.CostAlone(ev) // the cost is that of earlier runs
	}
	if ev.ParentID != "" {
		return false
	}
	if r.subAgent {
		return r.opensTask(ev) // anything else after its span was closed is late, not new work
	}
	switch ev.Kind {
	case events.KindSessionStarted:
		return content.StartsSession(ev) && (r.closed || r.shape.start || r.shape.message || !r.begin.header && r.isOfOther(ev))
	case events.KindPrompt:
		return !ev.Synthetic && (r.closed || r.shape.message && !r.shape.start && !r.shape.turns)
	case events.KindTurnStarted:
		return r.closed || r.shape.message
	case events.KindText, events.KindReasoning, events.KindToolUse:
		return r.closed
	case events.KindUsage, events.KindNotice:
		// An answer without other content, such as one that was filtered.
		return r.closed && (ev.MessageID != "" && ev.MessageID != r.lastMessage || r.closing.abandoned && content.HasTokens(ev))
	case events.KindSessionEnded:
		// A second end: a call that failed before it said anything.
		return r.closed && r.end.by == events.KindSessionEnded
	default:
		return false
	}
}

// isOfOther reports whether ev is of another session than the run.
func (r *run) isOfOther(ev *events.DisplayEvent) bool {
	return r.sessionID != "" && ev.SessionID != "" && ev.SessionID != r.sessionID
}

// elsewhere returns the agent that represents sub-agents whose work another stream exports and whose call was not seen
// here. None of its work is exported from here.
func (r *run) elsewhere() *agent {
	if r.others == nil {
		r.others = &agent{run: r, role: roleDuplicate}
	}
	return r.others
}

// openRun opens the run that begins with waiting. It closes the previous one, whose result never came.
func (s *runs) openRun(key *runKey, waiting pending.Events) {
	compacted := false
	if before := s.run; before != nil {
		if !before.closed {
			s.closeRun(before, otlp.CloseReasonSuperseded)
		}
		s.reportDue(before)
		compacted = before.top.thread.Compacted
	}
	s.writeUnwritten()
	s.noteStart(waiting)
	r := &run{
		runIdentity: runIdentity{key: key.String(), sessionID: strings.Clone(waiting.Session())},
		resource:    s.resource, begin: runStart{clock: s.startOf(waiting)},
	}
	r.idSession = s.idSession(r.sessionID)
	if s.links.child.IsZero() { // otherwise the run is its parent's, and adopt handles it
		r.standing, r.account = s.classifyRun(r.idSession, key, waiting)
		if a := r.account; r.standing == account.Second && a != nil && !a.Recalled() && a.Run() == nil {
			r.standing = account.First // the other one waits for this one or has not reached it
		}
	}
	s.past.runs++
	occurrence := s.seen.Nth(&s.seen.Runs, r.key)
	if occurrence > 0 {
		r.key += "~" + strconv.Itoa(occurrence)
	}
	r.top = &agent{
		run: r, ledger: ledger.Ledger{Prices: &s.registry.settings.Prices}, name: r.resource.AgentName(), thread: modelcall.Thread{Compacted: compacted},
		spanID: otlp.NewSpanID(otlp.DomainRun, 0, s.settings.Agent.Provider, r.idSession, r.key),
	}
	if r.standing == account.Second && r.account != nil && r.account.Run() != nil {
		s.joinAccount(r)
		s.beginCourse(r, waiting[0].At)
	} else {
		if alone := s.placeRun(r); !alone || !key.byMessage || r.sessionID == "" {
			r.idScope = r.key
		}
		s.beginCourse(r, waiting[0].At)
		r.ref = s.registry.links.NewRun(&link.Run{
			RunID: link.RunID{Trace: r.traceID, Top: r.top.spanID}, Key: r.key, Scope: r.idScope, Session: r.sessionID,
			Exported: r.exports(), Recorded: s.recorded, Account: key.account, Begun: r.course.Begun(),
		})
	}
	if r.standing == account.Second {
		// The first account is from an earlier process: the position of its run follows from IDs alone.
		s.stepOfAccount(r, nil, otlp.SpanRef{Trace: r.ownTrace(s.settings.Agent.Provider), Span: r.top.spanID})
	}
	opening := waiting[0].At
	r.begin.header, r.begin.model = content.IsHeader(&waiting[0].Event), waiting[0].Event.Model != ""
	r.begin.floating = r.begin.header || opening.Source == clock.SourceCarried && !opening.Ahead
	if r.continues = s.run.continuedBy(&waiting[0].Event, r.sessionID); r.continues.shown && s.run.end.by == events.KindUnspecified {
		r.top.ledger.Continue(&s.run.top.ledger)
		r.continues.calls, s.run.continues.calls = &s.run.calls, nil // only one earlier run is kept
		s.announceTurn(r, s.run.turn)
	}
	s.run = r
	if r.standing == account.First && r.account != nil {
		s.opened(r)
	}
	s.announceRun(r, waiting[0].At)
}

// startOf returns the start of the run that begins with waiting: by the system clock if it is live, else by its lines.
func (s *runs) startOf(waiting pending.Events) clock.Instant {
	if s.live || !waiting[0].At.Known() {
		return clock.InstantOf(s.registry.settings.Now())
	}
	return waiting[0].At.At
}

// joinPipeline counts a sub-agent whose parent was not found among the runs of its pipeline.
func (s *runs) joinPipeline(r *run) {
	if s.settings.Parent.Empty() && r.exports() {
		_, r.inPipeline = s.registry.runStarted(r.resource, true)
	}
}

// watch starts progress reports of the current run if it is live. They begin with its start or with the first line that
// was written while the stream was followed.
func (s *runs) watch() bool {
	r := s.run
	if !s.live || r == nil || r.closed || r.standing != account.First || r.subAgent || r.watched {
		return false
	}
	r.watched = true
	s.registry.startTimer(waitProgress, s.self)
	return true
}

// stepStarted writes the start record of a live run that is no second account.
func (s *runs) stepStarted(r *run, waiting pending.Events) {
	if !s.watch() {
		return
	}
	s.sink.AddRunStarted(r.resource, r.liveRecord(s.registry.settings.Now(), otlp.EventNameStepStarted, 0), s.settings.Agent.ServiceName, waiting.Model())
}

// waitsForFirst reports whether the run is a second account that was opened before the first one ended. Its events stay
// pending. Those that exceed the limits are dropped, because the first account most likely has them.
func (r *run) waitsForFirst() bool {
	if r == nil || !r.isJoined() || r.late {
		return false
	}
	r.late = r.account.Over()
	return !r.late
}

// outside reports whether a span of a second account is not within the exported span of the first account above it.
func (r *run) outside(a *agent, i *clock.Interval) bool {
	if !r.isJoined() {
		return a.role == roleJoined
	}
	over := r.account.Run().Span()
	return a.call != nil || over == nil || !over.Contains(*i)
}

// isChild reports whether the run is a sub-agent's task in a separate stream.
func (r *run) isChild() bool { return r != nil && !r.childKey.IsZero() }

// opensTask reports whether an event begins a further task of the sub-agent that works in the stream.
func (r *run) opensTask(ev *events.DisplayEvent) bool {
	switch ev.Kind {
	case events.KindTurnStarted:
		return r.end.line != nil
	case events.KindPrompt:
		return !ev.Synthetic && !r.shape.turns && r.shape.message && r.signs.ShowEnd()
	default:
		return false
	}
}

// noteTurn records how a turn of a sub-agent ended. The sub-agent's work ends with its call.
func (r *run) noteTurn(ev *events.DisplayEvent) {
	r.end.line, r.end.own = endOf(ev.End), !ev.Synthetic
	if r.end.line == nil {
		r.end.line = &events.End{}
	}
}

// unnamedAgents returns the number of calls that are open, or were when the run closed, whose sub-agents have no ID. These work in
// other streams, if at all.
func (r *run) unnamedAgents() int {
	n := 0
	for _, c := range r.calls.open {
		if c.startsAgent() && c.AgentID == "" {
			n++
		}
	}
	return max(n, r.end.agents)
}

// liveRecord returns a record about the run at the current time.
func (r *run) liveRecord(now time.Time, name string, n int) *otlp.Record {
	uid := otlp.RecordUID(n, name, r.traceID.String(), r.top.spanID.String())
	of := recordAt(clock.Moment{At: clock.InstantOf(now), Source: clock.SourceArrival}, now, r.top.ref(), uid)
	of.Conversation, of.Agent = r.sessionID, r.top.name
	return &of
}
