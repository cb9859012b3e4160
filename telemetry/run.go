package telemetry

import (
	"strconv"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/ledger"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/modelcall"
	"github.com/tailspan/tailspan/session/outcome"
)

// run is a prompt (or start line) to its result: one invoke_agent span at the top, and all that lies below.
type run struct {
	runIdentity
	runPlace
	runChild
	toolCounts // of all agents of the run that work in this stream
	mainThread
	resource   *otlp.Resource
	top        *agent
	others     *agent // stands for sub-agents whose work another stream has
	calls      calls
	work       runWork
	signs      outcome.Signs // what its last events show of its end
	continues  continuation
	begin      runStart
	shape      runShape
	end        runEnd
	watched    bool // live, for its progress
	inPipeline bool
	closed     bool
	closing    closing
}

// runIdentity is what the ids of a run and of all that lies in it are made of.
type runIdentity struct {
	traceID   otlp.TraceID
	key       string // with what it needs to be this run's alone; see [runKey]
	sessionID string
	idSession string // what ids have for the session: its id, or of a stream without one the stream's fingerprint
	// idScope keeps the ids of two runs apart where they could meet: the run's key, if the format counts its items anew in
	// each run, or if the trace has other runs, among them maybe a second account under another key. Empty where the key is
	// the id of a model message, beside which all ids are unique, and the trace is the run's own. A sub-agent has its run's.
	idScope string
}

// ownTrace is the trace of a run alone.
func (r *runIdentity) ownTrace(provider string) otlp.TraceID {
	return otlp.NewTraceID(0, provider, r.idSession, r.key)
}

// chatID is the id of a model call of the run.
func (r *runIdentity) chatID(provider string, occurrence int, parts ...string) otlp.SpanID {
	all := append(make([]string, 0, 8), provider, r.idSession, r.key) // on the stack
	return otlp.NewSpanID(otlp.DomainChat, occurrence, append(all, parts...)...)
}

// runPlace is what a run is among the accounts of it.
type runPlace struct {
	standing account.Standing
	account  *account.Account // the first of the run
	likes    memory.Counter   // its calls, as twins have them in common
	// overAgents are sub-agents that this stream was the first with, and that are over; other accounts of them wait for the run.
	overAgents []*agent
	late       bool // a second account of a run that is over: what the first lacks is exported
}

// runChild is whose work a run in a stream of a sub-agent's own is.
type runChild struct {
	ref      *link.Run // what sub-agents in streams of their own need to know
	childKey link.Key  // the sub-agent that this is the run of, in its own stream
	orphan   string    // the same, but its parent never came
	// subAgent is set if this is a sub-agent's work: one task, whose prompt need not stand at its beginning (2.1.30).
	subAgent bool
}

// mainThread is what the main thread of a run came to.
type mainThread struct {
	first       *chat  // the first model call, if it waits for the run's end
	chats       int    // model calls that are over
	lastMessage string // the last model message
	turn        string // the turn id that was announced last
}

// toolCounts are the calls of an agent or a run, and those of them that failed.
type toolCounts struct{ toolCalls, toolErrors int }

// runStart is when a run began.
type runStart struct {
	clock clock.Instant // for its progress
	known bool          // the line that opened it has a time
	// floating is set if its opening line has no time, so the start is that of the line before; see [Stream.beginsAt].
	floating bool
}

// runShape is what a run has of what formats differ in.
type runShape struct {
	start   bool // a start line: the stream has starts and results
	turns   bool // the format marks turns, so that a prompt in the middle of one begins nothing
	message bool // the model said something
}

// runEnd is how a run ended, as far as lines say.
type runEnd struct {
	line     *events.End // nil before it
	by       events.Kind // what closed the run, if the format has its end
	own      bool        // line is the agent's own, and not given in its place
	leftOpen bool        // calls had no result when the run closed
}

// isSecond reports whether another stream is the first with the run.
func (r *runPlace) isSecond() bool {
	return r.standing.IsSecond()
}

// isJoined reports whether the run is a second account, whose spans lie below the run of the first.
func (r *runPlace) isJoined() bool { return r.standing.IsJoined() }

// isCopy reports whether the run is history of another session.
func (r *runPlace) isCopy() bool { return r.standing.IsCopy() }

// adoptsNobody reports whether the run is none that sub-agents can hang under: whether another stream exports it is not
// known, or it is not the run of this session.
func (r *runPlace) adoptsNobody() bool { return r.isCopy() || r.standing == account.Orphan }

// exports reports whether anything of the run goes out.
func (r *runPlace) exports() bool { return r.standing == account.First || r.late }

// opens reports whether ev begins a new run while r is the current one (nil if there is none).
//
// A run ends with its result. Formats without result lines (transcripts) end it with the next prompt; a stream whose
// process died ends it with the next start line. The stream of a sub-agent has one. What is no sign of new work, such as a notice of a task in the
// background, belongs to the run before.
func (r *run) opens(ev *events.DisplayEvent) bool {
	if r == nil {
		return !costAlone(ev) // which is that of runs before
	}
	if ev.ParentID != "" {
		return false
	}
	if r.subAgent {
		return r.opensTask(ev) // all else that it does after its span was closed is late, no new work
	}
	switch ev.Kind {
	case events.KindSessionStarted:
		return startsSession(ev) && (r.closed || r.shape.start || r.shape.message)
	case events.KindPrompt:
		return !ev.Synthetic && (r.closed || r.shape.message && !r.shape.start && !r.shape.turns)
	case events.KindTurnStarted:
		return r.closed || r.shape.message
	case events.KindText, events.KindReasoning, events.KindToolUse:
		return r.closed
	case events.KindUsage, events.KindNotice:
		// An answer that holds nothing else, such as one that was filtered.
		return r.closed && ev.MessageID != "" && ev.MessageID != r.lastMessage
	case events.KindSessionEnded:
		// A second end: a call that failed before it said anything.
		return r.closed && r.end.by == events.KindSessionEnded
	default:
		return false
	}
}

// startsSession reports whether ev is the start of a session that is no sub-agent's. That of a sub-agent may come before it
// is known whose it is.
func startsSession(ev *events.DisplayEvent) bool {
	return ev.Kind == events.KindSessionStarted && (ev.Session == nil || !ev.Session.SubAgent && ev.Session.ParentID == "")
}

// ends reports whether ev ends the run.
func ends(ev *events.DisplayEvent) bool {
	if ev.ParentID != "" {
		return false
	}
	switch ev.Kind {
	case events.KindSessionEnded, events.KindTurnDone, events.KindTurnAborted:
		return true
	default:
		return false
	}
}

// modelWorks reports whether ev shows a model at work on the main thread.
func modelWorks(ev *events.DisplayEvent) bool {
	if ev.ParentID != "" {
		return false
	}
	switch ev.Kind {
	case events.KindText, events.KindReasoning, events.KindMessage, events.KindToolUse:
		return true
	default:
		return false
	}
}

// modelSaid reports whether ev is a part of a model message of the main thread, which names the run.
func modelSaid(ev *events.DisplayEvent) bool {
	return ev.MessageID != "" && ev.ParentID == ""
}

// elsewhere stands for a sub-agent whose work another stream has, and whose call was not seen in this one. Nothing of what
// it does goes out from here.
func (r *run) elsewhere() *agent {
	if r.others == nil {
		r.others = &agent{run: r, role: roleDuplicate}
	}
	return r.others
}

// openRun begins the run that waiting starts with. The one before is closed: its result never came.
func (s *Stream) openRun(key *runKey, waiting []pendingEvent) {
	compacted := false
	if before := s.run; before != nil {
		if !before.closed {
			s.closeRun(before, otlp.CloseReasonSuperseded)
		}
		compacted = before.top.thread.Compacted
	}
	s.writeUnwritten()
	s.noteStart(waiting)
	r := &run{
		runIdentity: runIdentity{key: key.String(), sessionID: strings.Clone(sessionOf(waiting))},
		resource:    s.resource, begin: runStart{clock: s.startOf(waiting)},
	}
	r.idSession = s.idSession(r.sessionID)
	if s.links.child.IsZero() { // else the run is its parent's, and adopt sees to it
		r.standing, r.account = s.stand(r.idSession, key, waiting)
		if a := r.account; r.standing == account.Second && a != nil && !a.Recalled() && a.Run() == nil {
			r.standing = account.First // the other one waits for this, or has not come to it
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
	} else {
		if alone := s.placeRun(r); !alone || !key.byMessage || r.sessionID == "" {
			r.idScope = r.key
		}
		r.ref = s.registry.links.NewRun(&link.Run{
			RunID: link.RunID{Trace: r.traceID, Top: r.top.spanID}, Key: r.key, Scope: r.idScope, Session: r.sessionID,
			Exported: r.exports(), Recorded: s.recorded, Account: key.account,
		})
	}
	if r.standing == account.Second {
		// The first account is of an earlier process: its run is where ids alone say.
		s.stepOfAccount(r, nil, otlp.SpanRef{Trace: r.ownTrace(s.settings.Agent.Provider), Span: r.top.spanID})
	}
	opening := waiting[0].at
	r.begin.floating = opening.Source == clock.SourceCarried && !opening.Ahead
	r.continues = s.run.continuedBy(&waiting[0].event, r.sessionID)
	s.run = r
	if r.standing == account.First && r.account != nil {
		s.opened(r)
	}
	s.announceRun(r, waiting[0].at)
}

// idSession is what ids have for a session.
func (s *Stream) idSession(session string) string {
	if session == "" {
		return s.settings.Fingerprint
	}
	return session
}

// startOf is when the run that waiting begins with began by the clock; for one that was not watched then, by its lines.
func (s *Stream) startOf(waiting []pendingEvent) clock.Instant {
	if s.live || !waiting[0].at.Known() {
		return clock.InstantOf(s.registry.settings.Now())
	}
	return waiting[0].at.At
}

// sessionOf is the session of the run that waiting begins with: that of the model's first work, which names the run; else
// the first one.
func sessionOf(waiting []pendingEvent) string {
	session := ""
	for i := range waiting {
		switch ev := &waiting[i].event; {
		case ev.SessionID == "":
		case modelWorks(ev):
			return ev.SessionID
		case session == "":
			session = ev.SessionID
		}
	}
	return session
}

// joinPipeline counts a sub-agent whose parent never came among the runs of its pipeline.
func (s *Stream) joinPipeline(r *run) {
	if s.settings.Parent.Empty() && r.exports() {
		_, r.inPipeline = s.registry.runStarted(r.resource, true)
	}
}

// placeRun gives the run its trace and the parent of its top span: the outer trace; else the pipeline's; else one of the
// session, or of its own. It reports whether the run is alone in its trace.
func (s *Stream) placeRun(r *run) (alone bool) {
	if outer := s.settings.Parent; !outer.Empty() {
		r.traceID, r.top.parent = outer.TraceID, outer.SpanID
		return false
	}
	counts := r.standing == account.First && s.links.child.IsZero()
	if parent, ok := s.registry.runStarted(r.resource, counts); ok {
		r.traceID, r.top.parent, r.inPipeline = parent.Trace, parent.Span, counts
		return false
	}
	if s.registry.settings.TraceBySession && r.sessionID != "" {
		r.traceID = otlp.NewTraceID(0, s.settings.Agent.Provider, r.sessionID)
		return false
	}
	r.traceID = r.ownTrace(s.settings.Agent.Provider)
	return true
}
