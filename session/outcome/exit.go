package outcome

import (
	"strconv"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
)

// Exit is how the process that wrote a stream ended.
type Exit struct {
	// Code is what it returned, where no signal ended it.
	Code int
	// Signal is the name of the signal that ended it, such as "SIGTERM"; empty if none did.
	Signal string
	// Started is when it began, zero if that is not known; Time is when it ended.
	Started, Time time.Time
	// Dropped is how many bytes of its output were lost before they could be read.
	Dropped int64
	// Stderr is the end of what it wrote to standard error, fit for a log.
	Stderr string
	// Incomplete is set if the stream has no end, by its parser. It then gets one that reports the failure.
	Incomplete bool
	// Interrupted shows that the user stopped it: SIGINT was forwarded to it.
	Interrupted bool
	// Stopped shows that tailspan asked it to end; StopReason is the limit that it did so for, empty if there was another reason.
	Stopped    bool
	StopReason otlp.StopReason
}

// interruptCode is what a program returns that SIGINT ended: 128 and the signal's number.
const interruptCode = 130

// interrupted reports whether the user ended the process.
func (e *Exit) interrupted() bool { return e.Signal == "SIGINT" || e.Code == interruptCode }

// verdict is the one on a run whose process ended so, where that decides over what its lines show.
func (e *Exit) verdict(shown events.Outcome) (v Verdict, decides bool) {
	switch {
	case e == nil:
		return v, false
	case e.interrupted() || e.Interrupted && shown != events.OutcomeOK:
		return Verdict{Outcome: events.OutcomeInterrupted, Reason: otlp.CloseReasonInterrupted}, true
	case e.Signal != "" || e.Stopped && shown != events.OutcomeOK:
		v = Verdict{Outcome: events.OutcomeKilled, Reason: otlp.CloseReasonKilled, Message: e.String()}
		if shown == events.OutcomeUnknown {
			v.Message += beforeResult
		}
		return v, true
	case e.Code != 0 && (shown == events.OutcomeOK || shown == events.OutcomeUnknown):
		v = Verdict{Outcome: events.OutcomeError, Reason: otlp.CloseReasonResult, Cause: events.CauseProcessExit, Message: e.String()}
		if shown == events.OutcomeUnknown {
			v.Reason = otlp.CloseReasonNoResult
			v.Message += beforeResult
		}
		return v, true
	default:
		return v, false
	}
}

// Failed reports whether the process ended otherwise than a program does that did its work.
func (e *Exit) Failed() bool { return e.Signal != "" || e.Code != 0 }

// Verdict is that on a process that wrote no run: what it returned is all that shows how its work ended.
func (e *Exit) Verdict() Verdict { return (&Evidence{End: &events.End{}, Exit: e}).Verdict() }

// Reason is why that closes which the process left open.
func (e *Exit) Reason() otlp.CloseReason {
	return (&Evidence{Exit: e, Why: otlp.CloseReasonNoResult}).Verdict().Reason
}

// String says how it ended: "exit code 3", "ended by SIGTERM".
func (e *Exit) String() string {
	if e.Signal != "" {
		return "ended by " + e.Signal
	}
	return "exit code " + strconv.Itoa(e.Code)
}

// IncompleteEnd is the end that the process did not live to write.
func (e *Exit) IncompleteEnd() *events.DisplayEvent {
	v := (&Evidence{Exit: e, Why: otlp.CloseReasonNoResult}).Verdict()
	end := &events.End{Error: true, Code: otlp.EndCodeIncomplete, Decided: v.Outcome, Cause: events.Cause(v.ErrorType()), Err: e.String() + beforeResult}
	if v.Outcome == events.OutcomeInterrupted {
		end.Error, end.Interrupted = false, true
	}
	return &events.DisplayEvent{Kind: events.KindSessionEnded, Synthetic: true, End: end}
}

// Shown is what the span of the run that it ended shows of it; nil without one.
func (e *Exit) Shown() *otlp.Exit {
	if e == nil {
		return nil
	}
	return &otlp.Exit{Code: e.Code, Signal: e.Signal, Dropped: e.Dropped, StopReason: e.StopReason}
}
