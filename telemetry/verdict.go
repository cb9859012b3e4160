package telemetry

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
)

// evidence is all that shows how a run ended.
type evidence struct {
	end  *events.End      // the agent's own end line; nil without one
	sign events.Sign      // of the last events of the main thread
	text string           // of a failure that sign shows
	open bool             // calls had no result when the run closed
	why  otlp.CloseReason // what closed it
	exit *Exit            // how its process ended; nil where that is not known
}

// verdict is how a run or a sub-agent ended. Outcome, cause, text and close reason travel together.
type verdict struct {
	outcome events.Outcome
	reason  otlp.CloseReason
	cause   events.Cause
	message string
}

// beforeResult follows how a process ended that gave no result.
const beforeResult = " before its result"

// verdict decides. It is the one place that does: an outcome is a success only where a line shows it.
func (e *evidence) verdict() verdict {
	shown := e.end.Outcome()
	if shown == events.OutcomeIncomplete {
		shown = events.OutcomeUnknown // so it was decided for the record of the end
	}
	if shown == events.OutcomeUnknown && (!e.open || e.sign.Outcome != events.OutcomeOK) {
		shown = e.sign.Outcome
	}
	v := verdict{outcome: shown, reason: otlp.CloseReasonResult}
	switch exit := e.exit; {
	case exit != nil && (exit.interrupted() || exit.Interrupted && shown != events.OutcomeOK):
		return verdict{outcome: events.OutcomeInterrupted, reason: otlp.CloseReasonInterrupted}
	case exit != nil && (exit.Signal != "" || exit.Stopped && shown != events.OutcomeOK):
		v = verdict{outcome: events.OutcomeKilled, reason: otlp.CloseReasonKilled, message: exit.String()}
		if shown == events.OutcomeUnknown {
			v.message += beforeResult
		}
		return v
	case exit != nil && exit.Code != 0 && (shown == events.OutcomeOK || shown == events.OutcomeUnknown):
		v = verdict{outcome: events.OutcomeError, reason: otlp.CloseReasonResult, cause: events.CauseProcessExit, message: exit.String()}
		if shown == events.OutcomeUnknown {
			v.reason = otlp.CloseReasonNoResult
			v.message += beforeResult
		}
		return v
	}
	switch shown {
	case events.OutcomeUnknown:
		return closedFor(e.incomplete())
	case events.OutcomeInterrupted:
		v.reason = otlp.CloseReasonInterrupted
	case events.OutcomeError:
		v.cause, v.message = e.sign.Cause, e.text
		if e.end != nil && e.end.Err != "" {
			v.message = e.end.Err
		}
		if e.end.Outcome() == events.OutcomeError {
			v.cause = e.end.Cause
		}
		if v.cause == "" {
			v.cause = events.CauseOther
		}
	}
	return v
}

// incomplete is the close reason of a run that shows no end.
func (e *evidence) incomplete() otlp.CloseReason {
	switch {
	case e.exit != nil && e.exit.Dropped > 0:
		return otlp.CloseReasonTruncated
	case e.why == otlp.CloseReasonResult:
		return otlp.CloseReasonNoResult // its end line does not show how it ended
	default:
		return e.why
	}
}

// closedFor is the verdict on a sub-agent that is closed for reason, and whose own end is not shown.
func closedFor(reason otlp.CloseReason) verdict {
	v := verdict{reason: reason}
	switch reason {
	case otlp.CloseReasonResult:
		v.outcome = events.OutcomeOK
	case otlp.CloseReasonInterrupted:
		v.outcome = events.OutcomeInterrupted
	case otlp.CloseReasonKilled:
		v.outcome = events.OutcomeKilled
	default:
		v.outcome = events.OutcomeIncomplete
	}
	return v
}

// failedWith is the verdict on a sub-agent that reported a failure.
func failedWith(message string) verdict {
	return verdict{outcome: events.OutcomeError, reason: otlp.CloseReasonResult, cause: events.CauseOther, message: message}
}

// errorType is the low-cardinality word for a failure: its cause, else what ended it; empty where nothing failed. What the
// user stopped did not fail, nor did what was replaced, evicted, or only no longer read.
func (v *verdict) errorType() string {
	switch v.outcome {
	case events.OutcomeError:
		return string(v.cause)
	case events.OutcomeKilled:
		return string(otlp.CloseReasonKilled)
	case events.OutcomeIncomplete:
		if v.reason.Failed() {
			return string(v.reason)
		}
	}
	return ""
}

// noteSign keeps what an event of the main thread shows of the run's end. Work takes an earlier sign back; results of calls
// that come after a stop do not.
func (r *run) noteSign(ev *events.DisplayEvent) {
	if ev.ParentID != "" {
		return
	}
	if ev.Sign.Outcome != events.OutcomeUnknown {
		r.sign, r.signText = ev.Sign, ""
		if ev.Sign.Outcome == events.OutcomeError {
			r.signText = strings.Clone(events.CutRunes(ev.Text, otlp.ErrTextRunes))
		}
		return
	}
	switch ev.Kind {
	case events.KindToolResult:
		if ev.Tool.State == events.ToolStateStopped {
			r.sign = events.Sign{Outcome: events.OutcomeInterrupted}
		} else if r.sign.Outcome == events.OutcomeOK {
			r.sign = events.Sign{}
		}
	case events.KindText, events.KindReasoning, events.KindToolUse, events.KindTurnStarted:
		r.sign = events.Sign{}
	case events.KindPrompt:
		if !ev.Synthetic {
			r.sign = events.Sign{}
		}
	}
}

// evidenceOf is what is known of the end of a run that is closed for why.
func (s *Stream) evidenceOf(r *run, why otlp.CloseReason) *evidence {
	e := &evidence{sign: r.sign, text: r.signText, open: r.end.leftOpen || len(r.calls.open) > 0, why: why, exit: s.exitOf(r)}
	if r.end.own {
		e.end = r.end.line
	}
	return e
}

// exitOf is how the process ended that a run was the last of; nil if that is not known.
func (s *Stream) exitOf(r *run) *Exit {
	if r.closing.exitKnown {
		return r.closing.exit
	}
	return s.exit
}
