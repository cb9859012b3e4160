package outcome

import (
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
)

// Call is how a tool call ended.
type Call struct {
	Reason    otlp.CloseReason
	ErrorType string // empty: it did not fail
	Message   string
	ExitCode  int
	HasExit   bool
	// Abridged is set if the result's line was too long and read in part, so the result is not known whole.
	Abridged bool
	// HasResult is set if the call had a result, whatever it closes for.
	HasResult bool
	// Background is set if the work of the call's agent goes on.
	Background bool
	// Result is its output, captured only.
	Result string
	// ApprovalWait is how long the call waited for approval, where that is known.
	ApprovalWait time.Duration
}

// OfResult is how a call ended that has a result.
func OfResult(t *events.Tool, abridged bool) Call {
	c := Call{
		HasResult: true, Reason: otlp.CloseReasonResult, ExitCode: t.ExitCode, HasExit: t.HasExitCode,
		Background: t.State == events.ToolStateBackground, Abridged: abridged,
	}
	switch {
	case t.State == events.ToolStateStopped && !t.Denied: // the user did, while it ran or when leave for it was asked
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

// WithoutResult is how a call ended that is closed for a reason without a result of its own. What was interrupted or replaced
// did not fail.
func WithoutResult(reason otlp.CloseReason) Call {
	switch reason {
	case otlp.CloseReasonInterrupted, otlp.CloseReasonSuperseded:
		return Call{Reason: reason}
	default:
		return Call{Reason: reason, ErrorType: otlp.ErrorTypeNoResult}
	}
}

// Verdict is the one on the agent that the call started: it ended as the call did.
func (c *Call) Verdict() Verdict {
	if c.Reason == otlp.CloseReasonResult && c.ErrorType != "" {
		return failed(c.Message)
	}
	return Closed(c.Reason)
}

// CloseReason is the reason as it is exported.
func (c *Call) CloseReason() otlp.CloseReason {
	if c.Abridged && c.Reason == otlp.CloseReasonResult {
		return otlp.CloseReasonTruncated
	}
	return c.Reason
}

// OfAgent is the verdict on a sub-agent in the foreground: its call's result shows its end.
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

// OfNotice is the verdict on a sub-agent in the background whose call a notice is about; ok is false if its work goes on.
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
