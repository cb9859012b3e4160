package emit

import (
	"cmp"
	"strconv"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/otlp/metrics"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/work"
)

// Agent writes the invoke_agent span of a run or a sub-agent that said something. exit is that of the run's process, or nil if it is unknown.
func (e *Emitter) Agent(a *work.Agent, v outcome.Verdict, said *otlp.Messages, exit *outcome.Exit) {
	r := a.Run
	if a.Role == work.RoleJoined || r.IsJoined() && a == r.Top {
		return // the first account has the span
	}
	isRun := a.Call == nil && !r.IsChild()
	of := e.span(a, a.SpanID, a.Parent, &a.Time)
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
		Span: of, Name: a.Name, AgentID: a.ID, System: e.set.Program.Agent.System, Outcome: v.Outcome,
		ToolCalls: a.ToolCalls, ToolErrors: a.ToolErrors, Usage: e.usageOf(a), Messages: said,
	}
	out.Models, out.MoreModels = a.Thread.Models.List()
	if a.Call == nil {
		out.Session = e.set.Program.Shown()
	}
	if isRun {
		out.Run = &otlp.Run{Key: r.Key, End: r.End.Line, Exit: exit.Shown()}
		e.Meter.Count(metrics.Key{
			Instrument: metrics.InstrumentRuns, Agent: a.Name, Model: a.Thread.Models.First(), Outcome: v.Outcome, ErrorType: of.ErrorType,
		}, a.Span())
	}
	e.Sink.AddAgent(r.Resource, &out)
	e.measure(metrics.Key{
		Instrument: metrics.InstrumentInvokeAgent, Agent: a.Name, Model: a.Thread.Models.First(), Outcome: v.Outcome, ErrorType: of.ErrorType,
	}, &a.Time, a.Span())
}

// usageOf returns an agent's own tokens and its total. It adds to the metrics what no call used.
func (e *Emitter) usageOf(a *work.Agent) otlp.AgentUsage {
	rest, total, models := a.Ledger.Rest(), a.Ledger.Total(), a.Ledger.Models()
	own := rest.Total()
	if a == a.Run.Top { // it includes the calls of the sub-agents in its stream
		for _, one := range a.Ledger.Estimate() {
			e.Use(a, a.Time.End, a.Span(), Used{Model: one.Model, EstimateUSD: one.CostUSD})
		}
	}
	used := total.Usage()
	each := make([]otlp.ModelUsage, 0, len(models))
	for i := range models {
		each = append(each, otlp.ModelUsage{Model: models[i].Model, Usage: models[i].Usage()})
	}
	for _, one := range a.Ledger.Found {
		e.Use(a, a.Time.End, a.Span(), Used{Model: one.Model, Tokens: one.Tokens})
	}
	for _, one := range a.Ledger.Unseen() {
		e.Use(a, a.Time.End, a.Span(), Used{Model: cmp.Or(one.Model, a.Thread.Models.Only()), Tokens: one.Tokens, CostUSD: one.CostUSD})
	}
	return otlp.AgentUsage{Own: own.Tokens, Total: used, Models: each, Incomplete: a.Ledger.IsIncomplete()}
}

// Call writes the span of a finished call.
func (e *Emitter) Call(c *work.Call, out outcome.Call, clamped bool) {
	if c.Elsewhere {
		return
	}
	of := e.span(c.Caller, c.SpanID, c.Caller.SpanID, &c.Span)
	if of.Trace.IsEmpty() {
		return
	}
	of.Background = of.Background || c.IsOutside()
	if of.Clamped = of.Clamped || clamped; of.Clamped {
		e.Count().ClampedSpans++
	}
	span := c.Shown(of, c.Caller.Name, c.Child != nil, &out)
	e.Sink.AddCall(c.Caller.Run.Resource, &span)
	key := metrics.Key{
		Instrument: metrics.InstrumentExecuteTool, Agent: span.Agent, Tool: span.Tool, ToolType: span.Type, Kind: span.Kind, Server: span.Server,
		ErrorType: out.ErrorType,
	}
	e.measure(key, &c.Span, of.Ref())
	key.Instrument = metrics.InstrumentToolCalls
	e.Meter.Count(key, of.Ref())
}

// Chat writes the span of a finished model call.
func (e *Emitter) Chat(a *work.Agent, c *work.Chat) {
	if c.Elsewhere {
		a.LacksCall(c)
		return
	}
	of := e.span(a, c.ID, a.SpanID, &c.Span)
	if of.Trace.IsEmpty() {
		if !e.Suppressed {
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
	out := c.Chat(of, a.Name, cause, e.Counted(a.Run))
	e.Sink.AddChat(a.Run.Resource, &out)
	e.measure(metrics.Key{
		Instrument: metrics.InstrumentInference, Model: c.Model, Agent: a.Name, ErrorType: out.ErrorType,
	}, &c.Span, out.Ref())
}

// First writes the model call that was stored until the end of its run.
func (e *Emitter) First(r *work.Run) {
	if c := r.First; c != nil {
		r.First = nil
		e.Chat(r.Top, c)
	}
}

// Rest writes a model call that stands for what an agent reports of earlier ones after its own span was written.
func (e *Emitter) Rest(a *work.Agent, c *work.Chat) {
	of := e.span(a, c.ID, a.SpanID, &c.Span)
	if of.Trace.IsEmpty() {
		return
	}
	of.Background = !a.Time.Contains(c.Span)
	out := c.Chat(of, a.Name, "", false)
	e.Sink.AddChat(a.Run.Resource, &out)
}

// Counted reports whether the tokens of the run's calls are already in the totals of its first account or, for a
// sub-agent's separate stream, in the totals of its run.
func (e *Emitter) Counted(r *work.Run) bool {
	if r.IsJoined() {
		return r.Account.Run().HasTotals()
	}
	return r.SubAgent && e.set.Program.Agent.TotalsOfAgents && !r.Ref.Recorded && r.Ref.HasTotals()
}

// process writes the span of a process that wrote no run, such as an agent that was not asked for its stream. Its
// parent is the step or the outer span; else it has its own trace. Only the exit code shows how its work ended.
func (e *Emitter) process(ended clock.Moment, exit *outcome.Exit, now time.Time) otlp.SpanRef {
	span := clock.Interval{Start: ended, End: ended}
	if !exit.Started.IsZero() {
		began := clock.Moment{At: clock.InstantOf(exit.Started), Source: clock.SourceArrival}
		span.Cover(&began)
	}
	started, over := strconv.FormatInt(int64(span.Start.At), 10), strconv.FormatInt(int64(ended.At), 10)
	of := []string{e.set.Program.Agent.Provider, e.set.Program.Fingerprint, started, over}
	v := exit.Verdict()
	out := otlp.Program{Executable: e.set.Program.Agent.ServiceName, Exit: exit.Shown()}
	out.ID = otlp.NewSpanID(otlp.DomainProcess, 0, of...)
	out.Trace = otlp.NewTraceID(0, append([]string{otlp.DomainProcess}, of...)...)
	out.Start, out.End, out.TimeSource = span.Times()
	out.ErrorType, out.Error, out.Reason = v.ErrorType(), v.Message, v.Reason
	if parent := e.set.Parent; !parent.Empty() {
		out.Trace, out.Parent = parent.TraceID, parent.SpanID
	} else if parent, ok := e.set.Pipelines.Start(e.set.Program.Resource, true); ok {
		out.Trace, out.Parent = parent.Trace, parent.Span
		out.Background = e.set.Pipelines.End(e.set.Program.Resource, span, v, now)
	}
	e.Sink.AddProgram(e.set.Program.Resource, &out)
	return out.Ref()
}

// span returns the common part of a span of an agent's run. It has no trace if it must not be exported: it is replayed,
// was exported by another file, or is history of another session.
func (e *Emitter) span(a *work.Agent, id, parent otlp.SpanID, i *clock.Interval) otlp.Span {
	if !a.Exports() || !e.set.IDs.FirstSpan(otlp.SpanRef{Trace: a.Run.TraceID, Span: id}) || e.Suppressed {
		return otlp.Span{}
	}
	of := otlp.Span{Trace: a.Run.TraceID, ID: id, Parent: parent, Conversation: a.Run.SessionID, Background: a.Run.Outside(a, i), Clamped: i.Clamped()}
	of.Start, of.End, of.TimeSource = i.Times()
	return of
}

// measure records the duration of a span, unless it ends with the time of a file, which measures nothing.
func (e *Emitter) measure(key metrics.Key, i *clock.Interval, in otlp.SpanRef) {
	if i.End.Source.Rank() != clock.SourceFile {
		e.Meter.Duration(key, i.End.At.Sub(i.Start.At), in)
	}
}
