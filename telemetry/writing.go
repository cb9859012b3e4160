package telemetry

import (
	"cmp"
	"strconv"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/otlp/metrics"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/pending"
	"github.com/tailspan/tailspan/session/runkey"
	"github.com/tailspan/tailspan/session/share"
	"github.com/tailspan/tailspan/session/work"
)

// writing writes the spans and records of a stream.
type writing struct {
	core
	process processEnd
}

// writeAgent writes the invoke_agent span of a run or a sub-agent.
func (s *writing) writeAgent(a *work.Agent, v outcome.Verdict) {
	r := a.Run
	a.Ledger.Closed = true
	said, size := a.Thread.End(v.Outcome, v.Cause)
	s.open.Hold(-size)
	if a.Role == work.RoleJoined || r.IsJoined() && a == r.Top {
		return // the first account has the span
	}
	isRun := a.Call == nil && !r.IsChild()
	of := s.span(a, a.SpanID, a.Parent, &a.Time)
	if of.Trace.IsEmpty() {
		return
	}
	if first := r.Continues.Of; isRun && first != nil && r.Continues.Shown {
		of.Links = []otlp.SpanRef{{Trace: first.Trace, Span: first.Top}}
	}
	of.ErrorType, of.Error, of.Reason = v.ErrorType(), v.Message, v.Reason
	of.Background = of.Background || a.Background || a.OutlivesCall()
	of.ParentUnknown = cmp.Or(a.UnknownParent, r.Orphan)
	out := otlp.Agent{
		Span: of, Name: a.Name, AgentID: a.ID, System: s.program.Agent.System, Outcome: v.Outcome,
		ToolCalls: a.ToolCalls, ToolErrors: a.ToolErrors, Usage: s.usageOf(a), Messages: said,
	}
	out.Models, out.MoreModels = a.Thread.Models.List()
	if a.Call == nil {
		out.Session = s.program.Shown()
	}
	if isRun {
		out.Run = &otlp.Run{Key: r.Key, End: r.End.Line, Exit: s.process.of(r).Shown()}
		s.meter.Count(metrics.Key{
			Instrument: metrics.InstrumentRuns, Agent: a.Name, Model: a.Thread.Models.First(), Outcome: v.Outcome, ErrorType: of.ErrorType,
		}, a.Span())
	}
	s.sink.AddAgent(r.Resource, &out)
	measureSpan(&s.meter, metrics.Key{
		Instrument: metrics.InstrumentInvokeAgent, Agent: a.Name, Model: a.Thread.Models.First(), Outcome: v.Outcome, ErrorType: of.ErrorType,
	}, &a.Time, a.Span())
}

// usageOf returns an agent's own tokens and its total. It adds to the metrics what no call used.
func (s *writing) usageOf(a *work.Agent) otlp.AgentUsage {
	rest, total, models := a.Ledger.Rest(), a.Ledger.Total(), a.Ledger.Models()
	own := rest.Total()
	if a == a.Run.Top { // it includes the calls of the sub-agents in its stream
		for _, one := range a.Ledger.Estimate() {
			s.use(a, a.Time.End, a.Span(), Used{Model: one.Model, EstimateUSD: one.CostUSD})
		}
	}
	used := total.Usage()
	each := make([]otlp.ModelUsage, 0, len(models))
	for i := range models {
		each = append(each, otlp.ModelUsage{Model: models[i].Model, Usage: models[i].Usage()})
	}
	for _, one := range a.Ledger.Found {
		s.use(a, a.Time.End, a.Span(), Used{Model: one.Model, Tokens: one.Tokens})
	}
	for _, one := range a.Ledger.Unseen() {
		s.use(a, a.Time.End, a.Span(), Used{Model: cmp.Or(one.Model, a.Thread.Models.Only()), Tokens: one.Tokens, CostUSD: one.CostUSD})
	}
	return otlp.AgentUsage{Own: own.Tokens, Total: used, Models: each, Incomplete: a.Ledger.IsIncomplete()}
}

// writeCall writes the span of a finished call.
func (s *writing) writeCall(c *work.Call, out outcome.Call, clamped bool) {
	if c.Elsewhere {
		return
	}
	of := s.span(c.Caller, c.SpanID, c.Caller.SpanID, &c.Span)
	if of.Trace.IsEmpty() {
		return
	}
	of.Background = of.Background || c.IsOutside()
	if of.Clamped = of.Clamped || clamped; of.Clamped {
		s.count().ClampedSpans++
	}
	span := c.Shown(of, c.Caller.Name, c.Child != nil, &out)
	s.sink.AddCall(c.Caller.Run.Resource, &span)
	key := metrics.Key{
		Instrument: metrics.InstrumentExecuteTool, Agent: span.Agent, Tool: span.Tool, ToolType: span.Type, Kind: span.Kind, Server: span.Server,
		ErrorType: out.ErrorType,
	}
	measureSpan(&s.meter, key, &c.Span, of.Ref())
	key.Instrument = metrics.InstrumentToolCalls
	s.meter.Count(key, of.Ref())
}

func (s *writing) writeChat(a *work.Agent, c *work.Chat) {
	if c.Elsewhere {
		a.LacksCall(c)
		return
	}
	of := s.span(a, c.ID, a.SpanID, &c.Span)
	if of.Trace.IsEmpty() {
		if !s.suppressed {
			a.LacksCall(c) // another account exported it
		}
		return
	}
	of.Background = of.Background || a.Closed && !a.Time.Contains(c.Span)
	a.Run.ExportsCall(c)
	var cause events.Cause
	if a == a.Run.Top { // only the last model call of the run can have a cause, because work revokes a sign
		cause = a.Run.Signs.Last().Cause
	}
	out := c.Chat(of, a.Name, cause, s.counted(a.Run))
	s.sink.AddChat(a.Run.Resource, &out)
	measureSpan(&s.meter, metrics.Key{
		Instrument: metrics.InstrumentInference, Model: c.Model, Agent: a.Name, ErrorType: out.ErrorType,
	}, &c.Span, out.Ref())
}

// counted reports whether the tokens of the run's calls are already in the totals of its first account or, for a
// sub-agent's separate stream, in the totals of its run.
func (s *writing) counted(r *work.Run) bool {
	if r.IsJoined() {
		return r.Account.Run().HasTotals()
	}
	return r.SubAgent && s.program.Agent.TotalsOfAgents && !r.Ref.Recorded && r.Ref.HasTotals()
}

// writeFirst writes the model call that was stored until the end of its run.
func (s *writing) writeFirst(r *work.Run) {
	if c := r.First; c != nil {
		r.First = nil
		s.writeChat(r.Top, c)
	}
}

// writeProcess writes the span of a process that wrote no run, such as an agent that was not asked for its stream. Its
// parent is the step or the outer span; else it has its own trace. Only the exit code shows how its work ended.
func (s *writing) writeProcess(ended clock.Moment) otlp.SpanRef {
	e := s.process.exit
	span := clock.Interval{Start: ended, End: ended}
	if !e.Started.IsZero() {
		began := clock.Moment{At: clock.InstantOf(e.Started), Source: clock.SourceArrival}
		span.Cover(&began)
	}
	of := []string{s.program.Agent.Provider, s.program.Fingerprint, strconv.FormatInt(int64(span.Start.At), 10), strconv.FormatInt(int64(ended.At), 10)}
	v := e.Verdict()
	out := otlp.Program{Executable: s.program.Agent.ServiceName, Exit: e.Shown()}
	out.ID = otlp.NewSpanID(otlp.DomainProcess, 0, of...)
	out.Trace = otlp.NewTraceID(0, append([]string{otlp.DomainProcess}, of...)...)
	out.Start, out.End, out.TimeSource = span.Times()
	out.ErrorType, out.Error, out.Reason = v.ErrorType(), v.Message, v.Reason
	if parent := s.settings.Parent; !parent.Empty() {
		out.Trace, out.Parent = parent.TraceID, parent.SpanID
	} else if parent, ok := s.registry.pipelines.Start(s.program.Resource, true); ok {
		out.Trace, out.Parent = parent.Trace, parent.Span
		out.Background = s.registry.pipelines.End(s.program.Resource, span, v, s.registry.settings.Now())
	}
	s.sink.AddProgram(s.program.Resource, &out)
	return out.Ref()
}

// exitUID returns the UID of the record of an exit. It is that of the last run, or of the time if there was no run.
func (s *writing) exitUID(at clock.Moment) otlp.UID {
	of := strconv.FormatInt(int64(at.At), 10)
	session := s.program.Fingerprint
	if s.run != nil {
		of, session = s.run.Key, s.run.IDSession
	}
	return otlp.RecordUID(0, s.program.Agent.Provider, session, of, otlp.EventNameProcessExited)
}

// recordExit writes the record of the exit, under the last run or else under the span of the process.
func (s *writing) recordExit(at clock.Moment) {
	e, stderr := s.process.exit, ""
	if e.Failed() {
		stderr = e.Stderr
	}
	out := work.RecordAt(at, s.registry.settings.Now(), otlp.SpanRef{}, s.exitUID(at))
	if r := s.run; r != nil {
		out.In, out.Conversation, out.Agent = r.Top.Span(), r.SessionID, r.Top.Name
	} else {
		out.In = s.writeProcess(at)
	}
	out.Sequence = s.program.Resource.NextNumber()
	s.sink.AddExit(s.program.Resource, &out, e.Shown(), e.Failed(), e.String(), stderr)
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
func (s *writing) use(a *work.Agent, at clock.Moment, in otlp.SpanRef, u Used) {
	r := a.Run
	by := metrics.User{Model: u.Model, Agent: r.Top.Name, In: in}
	s.meter.Tokens(by, u.Tokens, u.CostUSD)
	s.meter.EstimatedCost(by, u.EstimateUSD)
	if s.settings.OnUsed == nil {
		return
	}
	u.Time, u.Session, u.Agent, u.Pipeline = time.Unix(0, int64(at.At)), r.SessionID, r.Resource.AgentName(), r.Resource.Value(otlp.AttrPipelineName)
	u.Folder = s.program.Folder(r.SessionID)
	u.Tokens, u.CostUSD = u.Tokens.Beyond(events.Tokens{}), max(u.CostUSD, 0) // like the metrics, which cannot decrease
	s.settings.OnUsed(u)
}

// record writes the log record of an event, about a call or none, and reports whether it was exported.
func (s *writing) record(a *work.Agent, of *work.Call, what pending.Sighting) bool {
	switch s.share.Decide(a, of, what) {
	case share.Waits:
		return false
	case share.Dropped:
		s.dropped(a.Run)
		return false
	default:
		return s.writeRecord(a, of, what)
	}
}

// writeRecord writes the record after the accounts of the run decided to export it.
func (s *writing) writeRecord(a *work.Agent, of *work.Call, what pending.Sighting) bool {
	r, ev := a.Run, what.Event
	// A UID is made only for exported records. Most replayed lines and second accounts only need to know whether the
	// record was exported, which a cheaper hash of the same parts answers.
	parts := r.AppendUIDParts(make([]byte, 0, otlp.PartsRoom), s.program.Agent.Provider, of, what)
	number := what.Number
	if number == 0 {
		number = r.Resource.NextNumber()
	}
	isNew := s.registry.ids.FirstRecord(parts)
	if r.Standing == account.First && content.ModelWorks(ev) {
		s.share.NoteSigns(a, ev, !isNew)
		if key, ok := runkey.Item(&s.program, ev); ok {
			s.registry.ids.Say(&key)
		}
	}
	if !isNew || s.suppressed {
		if !isNew && r.IsSecond() {
			s.dropped(r)
		}
		return false
	}
	in := a.Span()
	if of != nil {
		in.Span = of.SpanID
	} else if a.Chat.IsNamed(ev) && !(r.Standing == account.Twin && a.Chat.Elsewhere) {
		in.Span = a.Chat.ID
	}
	out := work.RecordAt(what.At, s.moved, in, otlp.UIDOf(parts))
	out.Agent, out.Sequence = a.Name, number
	if a.Call == nil {
		out.ParentUnknown = ev.ParentID
	}
	s.sink.AddEvent(r.Resource, &out, ev, s.program.Agent.ServiceName)
	return true
}

// span returns the common part of a span of an agent's run. It has no trace if it must not be exported: it is replayed,
// was exported by another file, or is history of another session.
func (s *writing) span(a *work.Agent, id, parent otlp.SpanID, i *clock.Interval) otlp.Span {
	if !a.Exports() || !s.registry.ids.FirstSpan(otlp.SpanRef{Trace: a.Run.TraceID, Span: id}) || s.suppressed {
		return otlp.Span{}
	}
	of := otlp.Span{Trace: a.Run.TraceID, ID: id, Parent: parent, Conversation: a.Run.SessionID, Background: a.Run.Outside(a, i), Clamped: i.Clamped()}
	of.Start, of.End, of.TimeSource = i.Times()
	return of
}

// measureSpan records the duration of a span, unless it ends with the time of a file, which measures nothing.
func measureSpan(m *metrics.Meter, key metrics.Key, i *clock.Interval, in otlp.SpanRef) {
	if i.End.Source.Rank() != clock.SourceFile {
		m.Duration(key, i.End.At.Sub(i.Start.At), in)
	}
}

// recordEnd writes the record of a run's end if no line of the format ends the run, so that every run has one. It has
// the attributes of an event that ends a run.
func (s *writing) recordEnd(r *work.Run, why otlp.CloseReason) {
	if r.End.By != events.KindUnspecified || !r.Top.Exports() || r.IsSecond() {
		return
	}
	parts := otlp.AppendParts(make([]byte, 0, 256), otlp.DomainRecord, 0, s.program.Agent.Provider, r.SessionID, otlp.EventNameRunEnd, r.TraceID.String(), r.Top.SpanID.String())
	if !s.registry.ids.FirstRecord(parts) || s.suppressed {
		return
	}
	v := s.process.evidenceOf(r, why).Verdict()
	at := r.Top.Time.End
	end := events.End{
		Error: v.ErrorType() != "", Interrupted: v.Outcome == events.OutcomeInterrupted, Decided: v.Outcome,
		Cause: events.Cause(v.ErrorType()), Err: v.Message, Totals: r.TotalsAt(at),
	}
	out := work.RecordAt(at, s.moved, r.Top.Span(), otlp.UIDOf(parts))
	out.Conversation, out.Agent = r.SessionID, r.Top.Name
	s.sink.AddRunEnd(r.Resource, &out, &end, r.Top.ID, v.Reason)
}

// dropped counts a record that is not exported because another stream exports it or its original.
func (s *writing) dropped(r *work.Run) {
	switch {
	case s.suppressed:
	case r.IsCopy():
		s.count().Copied++
	default:
		s.count().OtherAccount++
	}
}
