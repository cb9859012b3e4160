package telemetry

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/otlp/metrics"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/outcome"
)

// finishCall closes the call that a result answers. A second result changes nothing.
func (s *Stream) finishCall(c *call, t *events.Tool, at clock.Moment, abridged bool) {
	switch {
	case c == nil:
		return
	case c.closed:
		s.count().LateResults++
		return
	}
	out := outcome.OfResult(t, abridged)
	c.Span.End = at
	if !out.Background { // otherwise the duration may be that of the work, which continues
		if waited := c.Span.Lasts(t.Duration); c.Asks {
			out.ApprovalWait = waited
		}
	}
	if c.child != nil {
		if out.Background {
			c.child.background = true
		} else {
			s.closeAgent(c.child, outcome.OfAgent(t))
			c.Span.CoverAll(&c.child.span)
		}
	}
	if s.registry.settings.Capture.ToolOutput {
		out.Result = string(t.Output)
	}
	s.closeCall(c, out)
}

// finishBackground closes a background sub-agent when a notice reports the end of its work.
func (s *Stream) finishBackground(c *call, ev *events.DisplayEvent) {
	if c == nil || !c.closed {
		return // a foreground call: its result follows
	}
	v, over := outcome.OfNotice(&ev.Tool)
	if !over {
		return
	}
	if c.AgentID != "" {
		s.followUp.notify(s.registry.links.End(s.keyOf(c), link.End{Verdict: v, Took: ev.Tool.Duration}))
	}
	if c.child != nil && (c.child.background || c.child.detached) {
		if c.task == 0 && !c.child.closed { // the duration reported later is since the start of the first task
			c.child.coverDuration(ev.Tool.Duration)
		}
		s.closeAgent(c.child, v)
	}
}

// closeCall closes a call and everything open below it.
func (s *Stream) closeCall(c *call, out outcome.Call) {
	if c.closed {
		return
	}
	if c.caller.run.calls.close(c, s.registry.settings.Limits.RememberedIDs) {
		s.count().ForgottenIDs++
	}
	s.open.callClosed(c.caller.run)
	if c.Requested && out.ErrorType == otlp.ErrorTypeNoResult {
		out.ErrorType = ""
	}
	if out.ErrorType != "" {
		c.caller.callFailed()
	}
	if out.Reason != otlp.CloseReasonResult && !out.HasResult {
		if !c.Requested {
			s.count().UnclosedCalls++
		}
		if c.child != nil && !c.child.background {
			s.closeAgent(c.child, outcome.Closed(out.Reason))
		}
		// It lasted as long as its agent was active.
		c.Span.Cover(&c.caller.span.End)
	}
	clamped := c.Span.Clamp()
	switch {
	case !c.caller.closed:
		c.caller.cover(&c.Span.Start, &c.Span.End)
	case c.Span.Start.At.After(c.caller.span.End.At):
		c.background = true // it was made after its agent's span was closed
	default:
		clamped = c.Span.ClampInto(c.caller.span) || clamped // the parent's span was exported already
	}
	c.caller.inside.CoverAll(&c.Span)
	s.announceEnd(c, out)
	s.writeCall(c, out, clamped)
	s.open.dropArguments(c) // a closed call is remembered for long
	s.allWritten(c.caller.run)
}

// writeCall writes the span of a finished call.
func (s *Stream) writeCall(c *call, out outcome.Call, clamped bool) {
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
