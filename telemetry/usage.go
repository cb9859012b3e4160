package telemetry

import (
	"cmp"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/otlp/metrics"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/ledger"
)

// useTokens adds the usage of an event to the ledgers of the agent and of its run. It returns usage that is too late
// for any span, or nil.
func (s *talk) useTokens(a *agent, ev *events.DisplayEvent, at clock.Moment) (late *events.Usage) {
	u, ofRun := ev.Usage, &a.run.top.ledger
	if u == nil {
		return nil
	}
	if u.Scope != events.UsageScopeCall && a.run.subAgent { // no agent writes totals into a sub-agent's own stream
		s.count().OtherAccount++
		return nil
	}
	if u.Scope == events.UsageScopeProcess || u.Scope == events.UsageScopeSession {
		part := s.sinceLast(ev)
		u = &part
	}
	placed := a.chat != nil && a.chat.Take(ev) || s.placeLate(a, ev, at)
	switch {
	case u.Scope != events.UsageScopeCall && ofRun.Closed:
		sum := ofRun.AddLateTotal(ev.Model, u)
		if part := sum.Usage(); part.Tokens != (events.Tokens{}) || part.CostUSD != 0 {
			return &part
		}
		return nil
	case u.Scope != events.UsageScopeCall:
		ofRun.AddTotal(ev.Model, u)
	case a.role == roleDuplicate:
		ofRun.AddElsewhere(u)
		return nil
	case a == a.run.top || a.ledger.Closed: // only the run's own span is left
		if a.run.isChild() && a.closed {
			a.run.closing.report = usageDue
		}
		ofRun.AddCall(ev.Model, u, placed)
	default:
		a.ledger.AddCall(ev.Model, u, placed)
		ofRun.AddCall(ev.Model, u, true)
		return nil
	}
	if placed || !ofRun.Closed {
		return nil
	}
	return u
}

// placeLate writes a model call with what a sub-agent reports of an earlier one after its own span was written, or that of its run if
// the sub-agent is unknown. The span of that call was written without it, when a silence closed both.
func (s *talk) placeLate(a *agent, ev *events.DisplayEvent, at clock.Moment) bool {
	r, id := a.run, cmp.Or(ev.MessageID, ev.ItemID)
	if !a.ledger.Closed || !content.HasTokens(ev) || ev.Usage.Scope != events.UsageScopeCall || a == r.top && !r.subAgent && ev.ParentID == "" {
		return false
	}
	if a.isJoined() || !a.exports() || r.top.ledger.HasTotals() || s.counted(r) {
		return false // another account has it, or the totals of the run
	}
	c := &chat{Call: a.thread.Rest(ev, s.settings.Agent.System, at)}
	occurrence := s.seen.Nth(&s.seen.Chats, r.key, a.spanID.String(), id, domainLate)
	c.ID = r.chatID(s.settings.Agent.Provider, occurrence, a.spanID.String(), id, domainLate)
	of := s.span(a, c.ID, a.spanID, &c.Span)
	if of.Trace.IsEmpty() {
		return true
	}
	of.Background = !a.span.Contains(c.Span)
	out := c.Chat(of, a.name, "", false)
	s.sink.AddChat(r.resource, &out)
	return true
}

// domainLate separates the ID of a model call that stands for late usage from that of the answer.
const domainLate = "late"

// countUsage adds to the metrics what a model call used and what is too late for its run's span. The rest of the totals
// is added with that span.
func (s *talk) countUsage(a *agent, ev *events.DisplayEvent, at clock.Moment, late *events.Usage) {
	in := a.ref()
	if late != nil {
		s.count().LateUsage++
		a.use(s.self, at, in, Used{Model: ev.Model, Tokens: late.Tokens, CostUSD: late.CostUSD})
	} else if u := ev.Usage; u != nil && u.Scope == events.UsageScopeCall && !s.counted(s.run) {
		if a.chat.isNamed(ev) {
			in.Span = a.chat.ID
		}
		a.use(s.self, at, in, Used{Model: ev.Model, Tokens: u.Tokens, CostUSD: u.CostUSD})
	}
}

// countNotice counts the retries and compactions that notices report.
func (s *talk) countNotice(a *agent, ev *events.DisplayEvent) {
	key := metrics.Key{Agent: a.name, Model: cmp.Or(ev.Model, a.thread.Models.Only())}
	switch ev.Notice.Code {
	case events.NoticeAPIRetry:
		key.Instrument = metrics.InstrumentRetries
	case events.NoticeCompaction:
		key.Instrument = metrics.InstrumentCompactions
	default:
		return
	}
	s.meter.Count(key, a.ref())
}

// maxProcessModels bounds the models of a stream whose running totals are remembered.
const maxProcessModels = 1024

// sinceLast returns the difference to the previous running total. That of a process was reported in this stream, that
// of a session possibly in the stream of an earlier run.
func (s *talk) sinceLast(ev *events.DisplayEvent) events.Usage {
	u := ev.Usage
	key, ofSession := ledger.RunningKey{Model: ev.Model}, u.Scope == events.UsageScopeSession
	if ofSession {
		key.Provider, key.Session = s.settings.Agent.Provider, ev.SessionID
	}
	if s.past.totals == nil {
		totals := ledger.NewRunning(maxProcessModels)
		s.past.totals = &totals
	}
	before, known, evicted := s.past.totals.Swap(key, u)
	if evicted {
		s.count().ForgottenIDs++
	}
	if ofSession {
		shared, sharedKnown := s.registry.sessionTotal(key, u)
		if !known { // otherwise another stream of that session may belong to someone else
			before, known = shared, sharedKnown
		}
		if !known && s.settings.Resumed {
			s.run.top.ledger.Partial = true
			return events.Usage{Scope: u.Scope} // the part from earlier processes is unknown
		}
	}
	return u.Since(&before)
}

// Used is the usage of a model as the metrics count it, with the time, the session and its folder, which metrics lack.
// Usage that only the end of a run reports has the time of that end.
type Used struct {
	Time            time.Time
	Session, Folder string // Folder is empty if the stream does not name it
	Agent, Model    string // Agent is the persona, else the program
	Pipeline        string
	Tokens          events.Tokens
	CostUSD         float64
	EstimateUSD     float64 // of tokens that were reported before, by [Settings.Prices]
}

// use adds to the metrics what the agent used at a time, in a span, and reports it to OnUsed.
func (a *agent) use(s *Stream, at clock.Moment, in otlp.SpanRef, u Used) {
	r := a.run
	by := metrics.User{Model: u.Model, Agent: r.top.name, In: in}
	s.meter.Tokens(by, u.Tokens, u.CostUSD)
	s.meter.EstimatedCost(by, u.EstimateUSD)
	if s.settings.OnUsed == nil {
		return
	}
	u.Time, u.Session, u.Agent, u.Pipeline = time.Unix(0, int64(at.At)), r.sessionID, r.resource.AgentName(), r.resource.Value(otlp.AttrPipelineName)
	if start := s.session; start != nil && start.id == r.sessionID {
		u.Folder = start.folder
	}
	u.Tokens, u.CostUSD = u.Tokens.Beyond(events.Tokens{}), max(u.CostUSD, 0) // like the metrics, which cannot decrease
	s.settings.OnUsed(u)
}

// countLate counts the events of a sub-agent after its span was closed.
func (s *talk) countLate(a *agent, ev *events.DisplayEvent) {
	if a.closed && (a.call != nil || a.run.subAgent) && !(ev.Kind == events.KindTurnDone || ev.Kind == events.KindSessionEnded) {
		s.count().LateAgents++
	}
}

// measure sets the start of a run from its duration if no line has the start because the first answer is its first
// line. The start is not before the end of the previous run. The first model call gets the same start.
func (s *talk) measure(r *run) {
	if r.begin.known || r.end.line == nil || r.end.line.Duration <= 0 || !events.PlausibleDuration(r.end.line.Duration) {
		return
	}
	span := &r.top.span
	from := clock.Moment{At: span.End.At.Add(-r.end.line.Duration), Source: clock.DurationFrom(span.End)}
	if s.past.lastEnd.Known() && from.At.Before(s.past.lastEnd.At) {
		from.At = s.past.lastEnd.At
	}
	if from.At.Before(span.Start.At) {
		span.Start = from
		if r.chats == 0 {
			s.closeChat(r.top)
		}
		if r.first != nil {
			r.first.Span.Start = from
		}
	}
}
