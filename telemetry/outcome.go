package telemetry

import (
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/otlp/metrics"
	"github.com/tailspan/tailspan/session/clock"
)

// outcome is how a call ended: reason and failure travel together.
type outcome struct {
	reason    otlp.CloseReason
	errorType string // empty: it did not fail
	message   string
	exitCode  int
	hasExit   bool
	result    string // captured only
	// abridged is true if the result's line was too long and read in part, so the result is not known whole.
	abridged bool
	// approvalWait is how long the call waited for approval, where that is known.
	approvalWait time.Duration
	// hasResult is true if the call had a result, whatever it closes for.
	hasResult bool
	// background is true if the work of the call's agent goes on.
	background bool
}

// verdict is the one on the agent that the call started: it ended as the call did.
func (o *outcome) verdict() verdict {
	if o.reason == otlp.CloseReasonResult && o.errorType != "" {
		return failedWith(o.message)
	}
	return closedFor(o.reason)
}

// closeReason is the reason as it is exported.
func (o *outcome) closeReason() otlp.CloseReason {
	if o.abridged && o.reason == otlp.CloseReasonResult {
		return otlp.CloseReasonTruncated
	}
	return o.reason
}

// failure is the outcome of a call that is closed for reason without a result of its own. What was interrupted or
// replaced did not fail.
func failure(reason otlp.CloseReason) outcome {
	switch reason {
	case otlp.CloseReasonInterrupted, otlp.CloseReasonSuperseded:
		return outcome{reason: reason}
	default:
		return outcome{reason: reason, errorType: otlp.ErrorTypeNoResult}
	}
}

// finishCall closes the call that a result answers. A second result changes nothing.
func (s *Stream) finishCall(c *call, t *events.Tool, at clock.Moment, abridged bool) {
	switch {
	case c == nil:
		return
	case c.closed:
		s.count().LateResults++
		return
	}
	out := outcome{
		hasResult: true, reason: otlp.CloseReasonResult, exitCode: t.ExitCode, hasExit: t.HasExitCode, background: t.State == events.ToolStateBackground,
		abridged: abridged,
	}
	c.span.End = at
	if !out.background { // else the duration may be that of the work, which goes on
		if waited := c.span.Lasts(t.Duration); c.asks {
			out.approvalWait = waited
		}
	}
	if c.child != nil {
		if out.background {
			c.child.background = true
		} else {
			s.closeAgent(c.child, verdictOf(t))
			c.span.CoverAll(&c.child.span)
		}
	}
	if s.registry.settings.Capture.ToolOutput {
		out.result = string(t.Output)
	}
	switch {
	case t.State == events.ToolStateStopped && !t.Denied: // the user did, while it ran or when leave for it was asked
		out.reason = otlp.CloseReasonInterrupted
		if t.Error {
			out.errorType, out.message = string(otlp.CloseReasonInterrupted), t.Err
		}
	case t.Error:
		out.errorType, out.message = otlp.ErrorTypeTool, t.Err
		if t.Denied {
			out.errorType = otlp.ErrorTypeDenied
		}
	}
	s.closeCall(c, out)
}

// verdictOf is the verdict on a sub-agent in the foreground: its call's result shows its end.
func verdictOf(t *events.Tool) verdict {
	switch {
	case t.State == events.ToolStateStopped:
		return closedFor(otlp.CloseReasonInterrupted)
	case t.Error:
		return failedWith(t.Err)
	default:
		return closedFor(otlp.CloseReasonResult)
	}
}

// finishBackground closes a sub-agent in the background when word comes that its work ended.
func (s *Stream) finishBackground(c *call, ev *events.DisplayEvent) {
	if c == nil || !c.closed {
		return // a call in the foreground: its result follows
	}
	var v verdict
	switch ev.Tool.State {
	case events.ToolStateCompleted, events.ToolStateStopped:
		v = verdictOf(&ev.Tool)
	case events.ToolStateFailed:
		v = failedWith(ev.Tool.Err)
	default:
		return
	}
	if c.agentID != "" {
		s.followUp.notify(s.registry.endAgent(s.keyOf(c), ending{verdict: v, took: ev.Tool.Duration}))
	}
	if c.child != nil && (c.child.background || c.child.detached) {
		if c.task == 0 && !c.child.closed { // the time that is reported later is since the first task began
			c.child.took(ev.Tool.Duration)
		}
		s.closeAgent(c.child, v)
	}
}

// closeCall ends a call, and what is open below it.
func (s *Stream) closeCall(c *call, out outcome) {
	if c.closed {
		return
	}
	if c.caller.run.calls.close(c, s.registry.settings.Limits.RememberedIDs) {
		s.count().ForgottenIDs++
	}
	s.open.callClosed(c.caller.run)
	if out.errorType != "" {
		c.caller.callFailed()
	}
	if out.reason != otlp.CloseReasonResult && !out.hasResult {
		s.count().UnclosedCalls++
		if c.child != nil && !c.child.background {
			s.closeAgent(c.child, closedFor(out.reason))
		}
		// It lasted as long as its agent was at work.
		c.span.Cover(&c.caller.span.End)
	}
	clamped := c.span.Clamp()
	switch {
	case !c.caller.closed:
		c.caller.cover(&c.span.Start, &c.span.End)
	case c.span.Start.At.After(c.caller.span.End.At):
		c.background = true // it was made after its maker's span was closed
	default:
		clamped = c.span.ClampInto(c.caller.span) || clamped // the parent's span is out already
	}
	c.caller.inside.CoverAll(&c.span)
	s.announceEnd(c, out)
	s.writeCall(c, out, clamped)
	s.open.dropArguments(c) // a closed call stays known for long
	s.allWritten(c.caller.run)
}

// writeCall writes the span of a call that is over.
func (s *Stream) writeCall(c *call, out outcome, clamped bool) {
	if c.elsewhere {
		return
	}
	of := s.span(c.caller, c.spanID, c.caller.spanID, &c.span)
	if of.Trace.IsEmpty() {
		return
	}
	of.ErrorType, of.Error, of.Reason = out.errorType, out.message, out.closeReason()
	of.Background = of.Background || c.background
	if of.Clamped = clamped; clamped {
		s.count().ClampedSpans++
	}
	span := otlp.Call{
		Span: of, Agent: c.caller.name, Tool: c.name, CallID: c.id, Type: toolType(c), Kind: c.kind(), Server: c.server, AgentType: c.agentType,
		Target: c.target, Result: out.result, ApprovalWait: out.approvalWait, ExitCode: out.exitCode, HasExitCode: out.hasExit,
	}
	if shown := c.shown; shown != nil {
		span.Executable, span.Arguments, span.ParentUnknown = shown.executable, shown.arguments, shown.unknownParent
	}
	s.sink.AddCall(c.caller.run.resource, &span)
	key := metrics.Key{
		Instrument: metrics.InstrumentExecuteTool, Agent: span.Agent, Tool: span.Tool, ToolType: span.Type, Kind: span.Kind, Server: span.Server,
		ErrorType: out.errorType,
	}
	measureSpan(&s.meter, key, &c.span, of.Ref())
	key.Instrument = metrics.InstrumentToolCalls
	s.meter.Count(key, of.Ref())
}
