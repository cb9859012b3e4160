package telemetry

import (
	"cmp"
	"strconv"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/otlp/metrics"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/outcome"
)

// writing writes the spans and records of a stream.
type writing struct {
	family
	process processEnd
}

// writeAgent writes the invoke_agent span of a run or a sub-agent.
func (s *writing) writeAgent(a *agent, v outcome.Verdict) {
	r := a.run
	a.ledger.Closed = true
	said, size := a.thread.End(v.Outcome, v.Cause)
	s.open.arguments -= size
	if a.role == roleJoined || r.isJoined() && a == r.top {
		return // the first account has the span
	}
	isRun := a.call == nil && !r.isChild()
	of := s.span(a, a.spanID, a.parent, &a.span)
	if of.Trace.IsEmpty() {
		return
	}
	if first := r.continues.of; isRun && first != nil && r.continues.shown {
		of.Links = []otlp.SpanRef{{Trace: first.Trace, Span: first.Top}}
	}
	of.ErrorType, of.Error, of.Reason = v.ErrorType(), v.Message, v.Reason
	of.Background = of.Background || a.background || a.outlivesCall()
	of.ParentUnknown = cmp.Or(a.unknownParent, r.orphan)
	out := otlp.Agent{
		Span: of, Name: a.name, AgentID: a.id, System: s.settings.Agent.System, Outcome: v.Outcome,
		ToolCalls: a.toolCalls, ToolErrors: a.toolErrors, Usage: s.usageOf(a), Messages: said,
	}
	out.Models, out.MoreModels = a.thread.Models.List()
	if a.call == nil {
		out.Session = s.session.shown()
	}
	if isRun {
		out.Run = &otlp.Run{Key: r.key, End: r.end.line, Exit: s.process.of(r).Shown()}
		s.meter.Count(metrics.Key{
			Instrument: metrics.InstrumentRuns, Agent: a.name, Model: a.thread.Models.First(), Outcome: v.Outcome, ErrorType: of.ErrorType,
		}, a.ref())
	}
	s.sink.AddAgent(r.resource, &out)
	measureSpan(&s.meter, metrics.Key{
		Instrument: metrics.InstrumentInvokeAgent, Agent: a.name, Model: a.thread.Models.First(), Outcome: v.Outcome, ErrorType: of.ErrorType,
	}, &a.span, a.ref())
}

// usageOf returns an agent's own tokens and its total. It adds to the metrics what no call used.
func (s *writing) usageOf(a *agent) otlp.AgentUsage {
	rest, total, models := a.ledger.Rest(), a.ledger.Total(), a.ledger.Models()
	own := rest.Total()
	if a == a.run.top { // it includes the calls of the sub-agents in its stream
		for _, one := range a.ledger.Estimate() {
			a.use(s.self, a.span.End, a.ref(), Used{Model: one.Model, EstimateUSD: one.CostUSD})
		}
	}
	used := total.Usage()
	each := make([]otlp.ModelUsage, 0, len(models))
	for i := range models {
		each = append(each, otlp.ModelUsage{Model: models[i].Model, Usage: models[i].Usage()})
	}
	for _, one := range a.ledger.Found {
		a.use(s.self, a.span.End, a.ref(), Used{Model: one.Model, Tokens: one.Tokens})
	}
	for _, one := range a.ledger.Unseen() {
		a.use(s.self, a.span.End, a.ref(), Used{Model: cmp.Or(one.Model, a.thread.Models.Only()), Tokens: one.Tokens, CostUSD: one.CostUSD})
	}
	return otlp.AgentUsage{Own: own.Tokens, Total: used, Models: each, Incomplete: a.ledger.IsIncomplete()}
}

// writeCall writes the span of a finished call.
func (s *writing) writeCall(c *call, out outcome.Call, clamped bool) {
	if c.elsewhere {
		return
	}
	of := s.span(c.caller, c.SpanID, c.caller.spanID, &c.Span)
	if of.Trace.IsEmpty() {
		return
	}
	of.Background = of.Background || c.background
	if of.Clamped = of.Clamped || clamped; of.Clamped {
		s.count().ClampedSpans++
	}
	span := c.Shown(of, c.caller.name, c.child != nil, &out)
	s.sink.AddCall(c.caller.run.resource, &span)
	key := metrics.Key{
		Instrument: metrics.InstrumentExecuteTool, Agent: span.Agent, Tool: span.Tool, ToolType: span.Type, Kind: span.Kind, Server: span.Server,
		ErrorType: out.ErrorType,
	}
	measureSpan(&s.meter, key, &c.Span, of.Ref())
	key.Instrument = metrics.InstrumentToolCalls
	s.meter.Count(key, of.Ref())
}

func (s *writing) writeChat(a *agent, c *chat) {
	if c.elsewhere {
		a.lacksCall(c)
		return
	}
	of := s.span(a, c.ID, a.spanID, &c.Span)
	if of.Trace.IsEmpty() {
		if !s.suppressed {
			a.lacksCall(c) // another account exported it
		}
		return
	}
	of.Background = of.Background || a.closed && !a.span.Contains(c.Span)
	a.run.exportsCall(c)
	var cause events.Cause
	if a == a.run.top { // only the last model call of the run can have a cause, because work revokes a sign
		cause = a.run.signs.Last().Cause
	}
	out := c.Chat(of, a.name, cause, s.counted(a.run))
	s.sink.AddChat(a.run.resource, &out)
	measureSpan(&s.meter, metrics.Key{
		Instrument: metrics.InstrumentInference, Model: c.Model, Agent: a.name, ErrorType: out.ErrorType,
	}, &c.Span, out.Ref())
}

// counted reports whether the tokens of the run's calls are already in the totals of its first account or, for a
// sub-agent's separate stream, in the totals of its run.
func (s *writing) counted(r *run) bool {
	if r.isJoined() {
		return r.account.Run().HasTotals()
	}
	return r.subAgent && s.settings.Agent.TotalsOfAgents && !r.ref.Recorded && r.ref.HasTotals()
}

// writeFirst writes the model call that was stored until the end of its run.
func (s *writing) writeFirst(r *run) {
	if c := r.first; c != nil {
		r.first = nil
		s.writeChat(r.top, c)
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
	of := []string{s.settings.Agent.Provider, s.settings.Fingerprint, strconv.FormatInt(int64(span.Start.At), 10), strconv.FormatInt(int64(ended.At), 10)}
	v := e.Verdict()
	out := otlp.Program{Executable: s.settings.Agent.ServiceName, Exit: e.Shown()}
	out.ID = otlp.NewSpanID(otlp.DomainProcess, 0, of...)
	out.Trace = otlp.NewTraceID(0, append([]string{otlp.DomainProcess}, of...)...)
	out.Start, out.End, out.TimeSource = span.Times()
	out.ErrorType, out.Error, out.Reason = v.ErrorType(), v.Message, v.Reason
	if parent := s.settings.Parent; !parent.Empty() {
		out.Trace, out.Parent = parent.TraceID, parent.SpanID
	} else if parent, ok := s.registry.runStarted(s.resource, true); ok {
		out.Trace, out.Parent = parent.Trace, parent.Span
		out.Background = s.registry.runEnded(s.resource, span, v)
	}
	s.sink.AddProgram(s.resource, &out)
	return out.Ref()
}

// exitUID returns the UID of the record of an exit. It is that of the last run, or of the time if there was no run.
func (s *writing) exitUID(at clock.Moment) otlp.UID {
	of := strconv.FormatInt(int64(at.At), 10)
	session := s.settings.Fingerprint
	if s.run != nil {
		of, session = s.run.key, s.run.idSession
	}
	return otlp.RecordUID(0, s.settings.Agent.Provider, session, of, otlp.EventNameProcessExited)
}

// recordExit writes the record of the exit, under the last run or else under the span of the process.
func (s *writing) recordExit(at clock.Moment) {
	e, stderr := s.process.exit, ""
	if e.Failed() {
		stderr = e.Stderr
	}
	out := recordAt(at, s.registry.settings.Now(), otlp.SpanRef{}, s.exitUID(at))
	if r := s.run; r != nil {
		out.In, out.Conversation, out.Agent = r.top.ref(), r.sessionID, r.top.name
	} else {
		out.In = s.writeProcess(at)
	}
	out.Sequence = s.resource.NextNumber()
	s.sink.AddExit(s.resource, &out, e.Shown(), e.Failed(), e.String(), stderr)
}
