package outcome

import (
	"strconv"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
)

// Exit is how the process that wrote a stream ended.
type Exit struct {
	// Code is the exit code, if no signal ended the process.
	Code int
	// Signal is the name of the signal that ended the process, such as "SIGTERM", or empty.
	Signal string
	// Started is the start time, or zero if unknown. Time is the end time.
	Started, Time time.Time
	// Dropped is the number of bytes of output that were lost before they could be read.
	Dropped int64
	// Stderr is the end of the standard error output, fit for a log.
	Stderr string
	// Incomplete is true if the parser found no end in the stream. The stream then gets one that reports the failure.
	Incomplete bool
	// Interrupted is true if the user stopped the process: SIGINT was forwarded to it.
	Interrupted bool
	// Stopped is true if tailspan stopped the process. StopReason is the limit that caused this, or empty for another cause.
	Stopped    bool
	StopReason otlp.StopReason
}

// interruptCode is the exit code of a program ended by SIGINT: 128 plus the signal number.
const interruptCode = 130

// interrupted reports whether the user ended the process.
func (e *Exit) interrupted() bool { return e.Signal == "SIGINT" || e.Code == interruptCode }

// verdict returns the verdict on the run if the exit overrides what the lines show.
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

// Failed reports whether the process ended with a signal or an exit code other than 0.
func (e *Exit) Failed() bool { return e.Signal != "" || e.Code != 0 }

// Verdict returns the verdict on a process that wrote no run: only its exit shows how it ended.
func (e *Exit) Verdict() Verdict { return (&Evidence{End: &events.End{}, Exit: e}).Verdict() }

// Reason returns the close reason for everything the process left open.
func (e *Exit) Reason() otlp.CloseReason {
	return (&Evidence{Exit: e, Why: otlp.CloseReasonNoResult}).Verdict().Reason
}

// String describes the exit, such as "exit code 3" or "ended by SIGTERM".
func (e *Exit) String() string {
	if e.Signal != "" {
		return "ended by " + e.Signal
	}
	return "exit code " + strconv.Itoa(e.Code)
}

// IncompleteEnd returns the end event that the process did not write.
func (e *Exit) IncompleteEnd() *events.DisplayEvent {
	v := (&Evidence{Exit: e, Why: otlp.CloseReasonNoResult}).Verdict()
	end := &events.End{Error: true, Code: otlp.EndCodeIncomplete, Decided: v.Outcome, Cause: events.Cause(v.ErrorType()), Err: e.String() + beforeResult}
	switch v.Outcome {
	case events.OutcomeInterrupted:
		end.Error, end.Interrupted = false, true
	case events.OutcomeIncomplete: // the exit shows no failure
		end.Err = "ended without a result"
	}
	return &events.DisplayEvent{Kind: events.KindSessionEnded, Synthetic: true, End: end}
}

// Shown returns the attributes of the exit for the span of the last run, or nil.
func (e *Exit) Shown() *otlp.Exit {
	if e == nil {
		return nil
	}
	return &otlp.Exit{Code: e.Code, Signal: e.Signal, Dropped: e.Dropped, StopReason: e.StopReason}
}
