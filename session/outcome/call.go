package outcome

import (
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
)

// Call is how a tool call ended.
type Call struct {
	Reason    otlp.CloseReason
	ErrorType string // empty if the call did not fail
	Message   string
	ExitCode  int
	HasExit   bool
	// Abridged is true if the line of the result was too long and only partly read.
	Abridged bool
	// HasResult is true if the call had a result, whatever the close reason is.
	HasResult bool
	// Background is true if the work of the call's agent continues.
	Background bool
	// Result is the output, only when content is captured.
	Result string
	// ApprovalWait is how long the call waited for approval, if known.
	ApprovalWait time.Duration
}

// OfResult returns how a call with a result ended.
func OfResult(t *events.Tool, abridged bool) Call {
	c := Call{
		HasResult: true, Reason: otlp.CloseReasonResult, ExitCode: t.ExitCode, HasExit: t.HasExitCode,
		Background: t.State == events.ToolStateBackground, Abridged: abridged,
	}
	switch {
	case t.State == events.ToolStateStopped && !t.Denied: // the user stopped it while it ran or when asked for approval
		c.Reason = otlp.CloseReasonInterrupted
		if t.Error {
			c.ErrorType, c.Message = string(otlp.CloseReasonInterrupted), t.Err
		}
	case t.Error:
		c.ErrorType, c.Message = otlp.ErrorTypeTool, t.Err
		if t.Denied {
			c.ErrorType = otlp.ErrorTypeDenied
		}
	}
	return c
}

// WithoutResult returns how a call without a result ended that was closed for a reason. It did not fail if it was
// interrupted or superseded.
func WithoutResult(reason otlp.CloseReason) Call {
	switch reason {
	case otlp.CloseReasonInterrupted, otlp.CloseReasonSuperseded:
		return Call{Reason: reason}
	default:
		return Call{Reason: reason, ErrorType: otlp.ErrorTypeNoResult}
	}
}

// Verdict returns the verdict on the agent that the call started: the agent ended as the call did.
func (c *Call) Verdict() Verdict {
	if c.Reason == otlp.CloseReasonResult && c.ErrorType != "" {
		return failed(c.Message)
	}
	return Closed(c.Reason)
}

// CloseReason returns the exported reason.
func (c *Call) CloseReason() otlp.CloseReason {
	if c.Abridged && c.Reason == otlp.CloseReasonResult {
		return otlp.CloseReasonTruncated
	}
	return c.Reason
}

// OfAgent returns the verdict on a foreground sub-agent: the result of its call shows its end.
func OfAgent(t *events.Tool) Verdict {
	switch {
	case t.State == events.ToolStateStopped:
		return Closed(otlp.CloseReasonInterrupted)
	case t.Error:
		return failed(t.Err)
	default:
		return Closed(otlp.CloseReasonResult)
	}
}

// OfNotice returns the verdict on a background sub-agent from a notice about its call. ok is false if the sub-agent continues.
func OfNotice(t *events.Tool) (v Verdict, ok bool) {
	switch t.State {
	case events.ToolStateCompleted, events.ToolStateStopped:
		return OfAgent(t), true
	case events.ToolStateFailed:
		return failed(t.Err), true
	default:
		return v, false
	}
}
