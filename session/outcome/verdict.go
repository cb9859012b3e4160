package outcome

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
)

// Evidence is everything that shows how a run ended.
type Evidence struct {
	End   *events.End // the agent's own end line; nil if there is none
	Signs Signs       // of the last events of the main thread
	Open  bool        // calls had no result when the run closed
	Why   otlp.CloseReason
	Exit  *Exit // how its process ended; nil if unknown
}

// Verdict is how a run or a sub-agent ended.
type Verdict struct {
	Outcome events.Outcome   `json:"outcome,omitempty"`
	Reason  otlp.CloseReason `json:"reason,omitempty"`
	Cause   events.Cause     `json:"cause,omitempty"`
	Message string           `json:"-"` // it may hold content
}

// beforeResult follows the exit of a process that gave no result.
const beforeResult = " before its result"

// Verdict decides how the run ended; see the package documentation.
func (e *Evidence) Verdict() Verdict {
	shown := e.shown()
	if v, ok := e.Exit.verdict(shown); ok {
		return v
	}
	v := Verdict{Outcome: shown, Reason: otlp.CloseReasonResult}
	switch shown {
	case events.OutcomeUnknown:
		return Closed(e.incomplete())
	case events.OutcomeInterrupted:
		v.Reason = otlp.CloseReasonInterrupted
	case events.OutcomeError:
		v.Cause, v.Message = e.failure()
	}
	return v
}

// shown returns the outcome that lines show.
func (e *Evidence) shown() events.Outcome {
	shown := e.End.Outcome()
	if shown == events.OutcomeIncomplete {
		shown = events.OutcomeUnknown // decided for the record of the end, not shown by a line
	}
	last := e.Signs.last
	if shown == events.OutcomeUnknown && (last.Outcome != events.OutcomeOK || !e.Open && !(last.Weak && e.lost())) {
		shown = last.Outcome
	}
	return shown
}

// lost reports whether output was lost, so that another line may have followed the last one that was read.
func (e *Evidence) lost() bool {
	return e.Why == otlp.CloseReasonTruncated || e.Exit != nil && e.Exit.Dropped > 0
}

// failure returns why a run failed, from its end line or else from its signs.
func (e *Evidence) failure() (cause events.Cause, message string) {
	cause, message = e.Signs.last.Cause, e.Signs.text
	if e.End != nil && e.End.Err != "" {
		message = e.End.Err
	}
	if e.End.Outcome() == events.OutcomeError {
		cause = e.End.Cause
	}
	if cause == "" {
		cause = events.CauseOther
	}
	return cause, message
}

// incomplete returns the close reason of a run whose end is not shown.
func (e *Evidence) incomplete() otlp.CloseReason {
	switch {
	case e.lost():
		return otlp.CloseReasonTruncated
	case e.Why == otlp.CloseReasonResult:
		return otlp.CloseReasonNoResult // the end line does not show how the run ended
	default:
		return e.Why
	}
}

// Closed returns the verdict on an item that was closed for a reason and whose own end is not shown.
func Closed(reason otlp.CloseReason) Verdict {
	v := Verdict{Reason: reason}
	switch reason {
	case otlp.CloseReasonResult:
		v.Outcome = events.OutcomeOK
	case otlp.CloseReasonInterrupted:
		v.Outcome = events.OutcomeInterrupted
	case otlp.CloseReasonKilled:
		v.Outcome = events.OutcomeKilled
	default:
		v.Outcome = events.OutcomeIncomplete
	}
	return v
}

// failed returns the verdict on a sub-agent that reported a failure.
func failed(message string) Verdict {
	return Verdict{Outcome: events.OutcomeError, Reason: otlp.CloseReasonResult, Cause: events.CauseOther, Message: message}
}

// Inner returns the close reason for items that are still open inside the one that ended.
func (v *Verdict) Inner() otlp.CloseReason {
	if v.Reason == otlp.CloseReasonResult {
		return otlp.CloseReasonNoResult
	}
	return v.Reason
}

// ErrorType returns the low-cardinality error type: the cause, or else what ended the item. It is empty if nothing
// failed, which includes items that the user stopped and items that were superseded, evicted or no longer read.
func (v *Verdict) ErrorType() string {
	switch v.Outcome {
	case events.OutcomeError:
		return string(v.Cause)
	case events.OutcomeKilled:
		return string(otlp.CloseReasonKilled)
	case events.OutcomeIncomplete:
		if v.Reason.Failed() {
			return string(v.Reason)
		}
	}
	return ""
}

// Result returns the result, in terms of the semantic conventions, of a step or pipeline whose worst run has this verdict.
func (v *Verdict) Result() string {
	switch v.Outcome {
	case events.OutcomeOK:
		return otlp.ResultSuccess
	case events.OutcomeError:
		return otlp.ResultFailure
	case events.OutcomeInterrupted:
		return otlp.ResultCancellation
	case events.OutcomeKilled:
		return otlp.ResultError
	default:
		if v.Reason == otlp.CloseReasonTimeout {
			return otlp.ResultTimeout
		}
		return otlp.ResultIncomplete
	}
}

// WorseThan reports whether the verdict outranks another: killed, then error, timeout, interrupted, incomplete.
func (v *Verdict) WorseThan(other *Verdict) bool { return v.severity() > other.severity() }

func (v *Verdict) severity() int {
	switch v.Outcome {
	case events.OutcomeKilled:
		return 6
	case events.OutcomeError:
		return 5
	case events.OutcomeInterrupted:
		return 3
	case events.OutcomeIncomplete:
		if v.Reason == otlp.CloseReasonTimeout {
			return 4
		}
		return 2
	case events.OutcomeOK:
		return 1
	default:
		return 0
	}
}
