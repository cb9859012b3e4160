package telemetry

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/events"
)

// outcome is how a call ended: reason and failure travel together.
type outcome struct {
	reason    CloseReason
	errorType string // empty: it did not fail
	message   string
	exitCode  int
	hasExit   bool
}

// failure is the outcome of a call that is closed for reason without a result of its own. What was interrupted or
// replaced did not fail.
func failure(reason CloseReason) outcome {
	switch reason {
	case CloseReasonInterrupted, CloseReasonSuperseded:
		return outcome{reason: reason}
	default:
		return outcome{reason: reason, errorType: ErrorTypeNoResult}
	}
}

// finishCall closes the call that a result answers. A second result changes nothing.
func (s *Stream) finishCall(c *call, ev *events.DisplayEvent, at moment) {
	switch {
	case c == nil:
		return
	case c.closed:
		s.counts.LateResults++
		return
	}
	t := &ev.Tool
	c.span.end = at
	if c.agentID != "" {
		if t.State == events.ToolStateBackground {
			s.registry.inBackground(s.keyOf(c))
		} else {
			s.tell(s.registry.endAgent(s.keyOf(c), CloseReasonResult, t.Error))
		}
	}
	if c.child != nil {
		if t.State == events.ToolStateBackground {
			c.child.background = true
		} else {
			s.closeAgent(c.child, CloseReasonResult, false)
		}
		if at.at.Before(c.child.span.end.at) && !c.child.background {
			c.span.end = c.child.span.end
		}
	}
	out := outcome{reason: CloseReasonResult, exitCode: t.ExitCode, hasExit: t.HasExitCode}
	if t.Error {
		out.errorType, out.message = ErrorTypeTool, t.Err
		if t.Denied {
			out.errorType = ErrorTypeDenied
		}
	}
	s.closeCall(c, out)
}

// finishBackground closes a sub-agent in the background when word comes that its work ended.
func (s *Stream) finishBackground(c *call, ev *events.DisplayEvent) {
	if c == nil || !c.closed {
		return // word of a call in the foreground: its result follows
	}
	reason, failed := CloseReasonResult, false
	switch ev.Tool.State {
	case events.ToolStateCompleted:
	case events.ToolStateFailed:
		failed = true
	case events.ToolStateStopped:
		reason = CloseReasonInterrupted
	default:
		return
	}
	if c.agentID != "" {
		s.tell(s.registry.endAgent(s.keyOf(c), reason, failed))
	}
	if c.child != nil && (c.child.background || c.child.detached) {
		s.closeAgent(c.child, reason, failed)
	}
}

// finishRun closes the run with what its last line tells.
func (s *Stream) finishRun(a *agent, ev *events.DisplayEvent) {
	if a.call != nil {
		if a.detached { // its call is over, so this is all that tells its end
			s.closeAgent(a, CloseReasonResult, ev.End != nil && ev.End.Error)
		}
		return
	}
	if a.run.closed || a.run.subAgent && ev.Kind == events.KindTurnDone {
		return // a sub-agent may have several turns: its work ends with its call
	}
	a.run.end, a.run.endedBy = ev.End, ev.Kind
	reason := CloseReasonResult
	if ev.End != nil && ev.End.Interrupted {
		reason = CloseReasonInterrupted
	}
	s.closeRun(a.run, reason)
}

// closeRun closes all that the run has open but sub-agents in the background, and then the run.
func (s *Stream) closeRun(r *run, reason CloseReason) {
	inner := reason
	if reason == CloseReasonResult {
		inner = CloseReasonNoResult
	}
	for _, a := range s.innermostFirst() {
		if a.run == r && !a.inBackground() {
			s.closeAgent(a, inner, inner == CloseReasonNoResult)
		}
	}
	for _, c := range slices.Clone(r.calls.open) {
		if !c.caller.inBackground() {
			s.closeCall(c, failure(inner))
		}
	}
	s.closeChat(r.top)
	r.closed, r.top.closed = true, true
	s.registry.liveEnded(s)
	if len(r.calls.open) > 0 {
		s.linger(r)
	}
	if r.kin != (agentKey{}) {
		s.writeChild(r, reason)
		s.registry.childClosed(s)
		s.registry.agentDone(r.kin)
		return
	}
	r.ref.ended.Store(true)
	s.writeAgent(r.top, reason, runFailed(r, reason))
	if r.inPipeline {
		s.registry.runEnded(r.resource, r.top.span, runFailed(r, reason))
	}
}

// writeChild writes the span of a sub-agent in a stream of its own, under the call that started it. If nobody told of
// that call it hangs under the run, with a mark.
func (s *Stream) writeChild(r *run, reason CloseReason) {
	k := s.registry.kinNow(r.kin)
	a := r.top
	failed := k.ended && k.failed
	if k.call != nil {
		a.parent, a.name = k.call.spanID, cmp.Or(k.call.agentType, a.name, k.call.toolName)
		a.background = k.background
	} else {
		a.parent = r.ref.topSpanID
		r.orphan = r.kin.agent
	}
	s.writeAgent(a, reason, failed || runFailed(r, reason))
}

// linger remembers a closed run for the calls that it still has open, and forgets those that have none left.
func (s *Stream) linger(r *run) {
	s.lingering = slices.DeleteFunc(s.lingering, func(x *run) bool { return x == r || len(x.calls.open) == 0 })
	s.lingering = append(s.lingering, r)
}

// runFailed tells whether a run counts as failed: as its result says, or because its process died.
func runFailed(r *run, reason CloseReason) bool {
	switch reason {
	case CloseReasonResult:
		return r.end != nil && r.end.Error
	case CloseReasonKilled, CloseReasonTruncated, CloseReasonTimeout, CloseReasonNoResult:
		return true
	default:
		return false
	}
}

// closeAgent closes a sub-agent and what it has open.
func (s *Stream) closeAgent(a *agent, reason CloseReason, failed bool) {
	if a.closed {
		return
	}
	for _, sub := range s.innermostFirst() {
		if sub.call.caller == a && !sub.background {
			s.closeAgent(sub, reason, failed)
		}
	}
	inner := reason
	if reason == CloseReasonResult {
		inner = CloseReasonNoResult
	}
	for _, c := range slices.Clone(a.run.calls.open) {
		if c.caller == a {
			s.closeCall(c, failure(inner))
		}
	}
	s.closeChat(a)
	a.closed = true
	s.writeAgent(a, reason, failed)
	s.agents = slices.DeleteFunc(s.agents, func(x *agent) bool { return x == a })
}

// closeChat writes the model call that the agent has open.
func (s *Stream) closeChat(a *agent) {
	c := a.chat
	if c == nil {
		return
	}
	a.chat = nil
	a.cover(c.span)
	span, ok := s.span(a, c.spanID, a.spanID, &c.span)
	if !ok {
		return
	}
	s.countDuration(a, seriesKey{instrument: instrumentInference, operation: OperationChat, model: c.model}, &c.span)
	span.SetName(spanName(OperationChat, c.model))
	span.SetKind(ptrace.SpanKindClient)
	m := span.Attributes()
	m.PutStr(AttrGenAIOperationName, OperationChat)
	putStr(m, AttrGenAIProviderName, c.system)
	putStr(m, AttrGenAIRequestModel, c.model)
	putStr(m, AttrGenAIResponseModel, c.model)
	m.PutStr(AttrGenAIResponseID, c.messageID)
	putStr(m, AttrGenAIAgentName, a.name)
	m.PutStr(AttrCloseReason, string(CloseReasonResult))
	if c.hasUsage {
		m.PutInt(AttrGenAIInputTokens, c.usage.Input)
		m.PutInt(AttrGenAIOutputTokens, c.usage.Output)
		putPositive(m, AttrGenAICacheRead, c.usage.CacheRead)
		putPositive(m, s.writer.semconv.cacheWrite(), c.usage.CacheWrite)
		putPositive(m, AttrGenAIReasoningTokens, c.usage.Reasoning)
	}
}

// closeCall writes the span of a call.
func (s *Stream) closeCall(c *call, out outcome) {
	if c.closed {
		return
	}
	c.caller.run.calls.close(c)
	if out.errorType != "" {
		c.caller.toolErrors++
	}
	if out.reason != CloseReasonResult {
		s.counts.UnclosedCalls++
		if c.child != nil && !c.child.background {
			s.closeAgent(c.child, out.reason, out.errorType != "")
		}
		// It lasted as long as its agent was at work.
		c.span.cover(c.caller.span.end)
	}
	clamped := c.span.clamp()
	if c.caller.closed {
		clamped = c.span.clampInto(c.caller.span) || clamped // the parent's span is out already
	} else {
		c.caller.cover(c.span)
	}
	span, ok := s.span(c.caller, c.spanID, c.caller.spanID, &c.span)
	if !ok {
		return
	}
	s.countDuration(c.caller, seriesKey{
		instrument: instrumentExecuteTool, operation: OperationExecuteTool, agent: c.caller.name, tool: c.name, toolType: toolType(c), errorType: out.errorType,
	}, &c.span)
	span.SetName(spanName(OperationExecuteTool, c.name))
	span.SetKind(ptrace.SpanKindInternal)
	m := span.Attributes()
	m.PutStr(AttrGenAIOperationName, OperationExecuteTool)
	m.PutStr(AttrGenAIToolName, c.name)
	putStr(m, AttrGenAIToolCallID, c.id)
	m.PutStr(AttrGenAIToolType, toolType(c))
	putStr(m, AttrGenAIAgentName, c.caller.name)
	putStr(m, AttrToolTarget, c.target)
	putStr(m, AttrProcessExecutable, c.executable)
	putStr(m, AttrToolServer, c.server)
	putStr(m, AttrToolAgentType, c.agentType)
	putStr(m, AttrGenAIToolArguments, c.arguments)
	putStr(m, AttrParentUnknown, c.unknownParent)
	m.PutStr(AttrCloseReason, string(out.reason))
	if out.hasExit {
		m.PutInt(AttrProcessExitCode, int64(out.exitCode))
	}
	if clamped {
		s.counts.ClampedSpans++
		m.PutBool(AttrTimeClamped, true)
	}
	setError(span, out.errorType, out.message)
}

func toolType(c *call) string {
	if c.server != "" {
		return ToolTypeExtension
	}
	return ToolTypeFunction
}

// writeAgent writes an invoke_agent span: a run's or a sub-agent's.
func (s *Stream) writeAgent(a *agent, reason CloseReason, failed bool) {
	r := a.run
	span, ok := s.span(a, a.spanID, a.parent, &a.span)
	if !ok {
		return
	}
	span.SetName(spanName(OperationInvokeAgent, a.name))
	span.SetKind(ptrace.SpanKindInternal)
	m := span.Attributes()
	m.PutStr(AttrGenAIOperationName, OperationInvokeAgent)
	putStr(m, AttrGenAIProviderName, s.settings.Agent.System)
	putStr(m, AttrGenAIAgentName, a.name)
	putStr(m, AttrAgentID, a.id)
	m.PutStr(AttrCloseReason, string(reason))
	putTrue(m, AttrBackground, a.background || a.outlivesCall())
	if len(a.models) == 1 {
		m.PutStr(AttrGenAIRequestModel, a.models[0])
	}
	if len(a.models) > 0 {
		models := m.PutEmptySlice(AttrModels)
		for _, model := range a.models {
			models.AppendEmpty().SetStr(model)
		}
	}
	putPositive(m, AttrToolCalls, int64(a.toolCalls))
	putPositive(m, AttrToolErrors, int64(a.toolErrors))
	putStr(m, AttrParentUnknown, r.orphan)
	errorType, message := "", ""
	if failed {
		errorType = ErrorTypeOther
	}
	if a.call == nil && r.kin == (agentKey{}) {
		if failed {
			errorType = errorTypeOf(r, reason)
		}
		message = s.putRun(m, r)
	} else {
		s.putAgentUsage(m, events.Usage{Tokens: a.usage})
	}
	setError(span, errorType, message)
	s.countDuration(a, seriesKey{instrument: instrumentInvokeAgent, operation: OperationInvokeAgent, agent: a.name, errorType: errorType}, &a.span)
}

// putRun writes what a run's own span has over that of a sub-agent, counts what no model call told, and returns the
// error's text.
func (s *Stream) putRun(m pcommon.Map, r *run) string {
	m.PutStr(AttrRunKey, r.key)
	s.putAgentUsage(m, r.usage.Sum())
	message := ""
	if r.end != nil {
		putPositive(m, AttrTurns, int64(r.end.Turns))
		putStr(m, AttrEndCode, r.end.Code)
		message = r.end.Err
	}
	s.countRemainder(r)
	return message
}

// countRemainder adds to the metrics what the run's total tells beyond its model calls: calls that the stream does not
// show, and output that it told too early to know.
func (s *Stream) countRemainder(r *run) {
	known := r.top.models
	for model, total := range r.totals {
		told := events.Tokens{}
		if len(r.totals) == 1 { // it is that of all calls, whatever model they named
			for _, t := range r.callUsage {
				told.Add(*t)
			}
		} else if t := r.callUsage[model]; t != nil {
			told = *t
		}
		if model == "" && len(known) == 1 {
			model = known[0]
		}
		s.registry.metrics.tokens(r.resource, model, total.Tokens.Sub(told), total.CostUSD-r.callCost)
	}
}

// countDuration adds a span's duration to the metrics.
func (s *Stream) countDuration(a *agent, key seriesKey, i *interval) {
	of := resourceKey(a.run.resource)
	key.service, key.pipeline, key.task, key.system = of.service, of.pipeline, of.task, of.system
	s.registry.metrics.record(key, i.end.at.Sub(i.start.at).Seconds())
}

// errorTypeOf is the low-cardinality word for why a run failed: the format's own code, else the way it ended.
func errorTypeOf(r *run, reason CloseReason) string {
	if reason != CloseReasonResult {
		return string(reason)
	}
	if r.end != nil && r.end.Code != "" && r.end.Code != ResultSuccess {
		return r.end.Code
	}
	return ErrorTypeOther
}

// putAgentUsage writes the total of an agent. The convention of the newest version has no cache counts on agent spans,
// since they mislead over several models; they stand under own names.
func (s *Stream) putAgentUsage(m pcommon.Map, u events.Usage) {
	if u.Tokens == (events.Tokens{}) && !u.HasCost {
		return
	}
	m.PutInt(AttrGenAIInputTokens, u.Tokens.Input)
	m.PutInt(AttrGenAIOutputTokens, u.Tokens.Output)
	cacheRead, cacheWrite, reasoning := AttrUsageCacheRead, AttrUsageCacheWrite, AttrUsageReasoning
	if s.writer.semconv == SemconvV141 {
		cacheRead, cacheWrite, reasoning = AttrGenAICacheRead, attrCacheWriteV141, AttrGenAIReasoningTokens
	}
	putPositive(m, cacheRead, u.Tokens.CacheRead)
	putPositive(m, cacheWrite, u.Tokens.CacheWrite)
	putPositive(m, reasoning, u.Tokens.Reasoning)
	if u.HasCost {
		m.PutDouble(AttrCostUSD, u.CostUSD)
	}
}

// span appends a span with what all spans of a run have; ok is false if it is not to go out: folded silently, told by
// another file before, or history of another session.
func (s *Stream) span(a *agent, id, parent pcommon.SpanID, i *interval) (span ptrace.Span, ok bool) {
	if a.run.copied || a.muted || !s.registry.firstSpan(a.run.traceID, id) || s.silent {
		return span, false
	}
	span = s.sink.span(a.run.resource)
	span.SetTraceID(a.run.traceID)
	span.SetSpanID(id)
	span.SetParentSpanID(parent)
	span.SetStartTimestamp(pcommon.NewTimestampFromTime(i.start.at))
	span.SetEndTimestamp(pcommon.NewTimestampFromTime(i.end.at))
	m := span.Attributes()
	m.EnsureCapacity(18)
	putStr(m, AttrSessionID, a.run.sessionID)
	putStr(m, AttrGenAIConversationID, a.run.sessionID)
	m.PutStr(AttrTimeSource, string(worst(i.start.source, i.end.source)))
	return span, true
}

// spanName is "{operation} {what}", or the operation alone where nothing more is known.
func spanName(operation, what string) string {
	if what == "" {
		return operation
	}
	return operation + " " + what
}

func setError(span ptrace.Span, errorType, message string) {
	if errorType == "" {
		return
	}
	span.Status().SetCode(ptrace.StatusCodeError)
	span.Status().SetMessage(events.CutRunes(message, errTextRunes))
	span.Attributes().PutStr(AttrErrorType, errorType)
}
