package events

// Outcome is how a run ended.
type Outcome uint8

// The outcomes of a run.
const (
	// OutcomeUnknown is the outcome of a run that has not ended yet.
	OutcomeUnknown Outcome = iota
	// OutcomeOK is a success: a successful result, or a last message that ends the turn.
	OutcomeOK
	// OutcomeError is a failure of the API or the program, or a limit that was reached.
	OutcomeError
	// OutcomeInterrupted is a stop by the user, or a refusal on principle.
	OutcomeInterrupted
	// OutcomeKilled is an end by a signal or a crash, as shown by an exit record.
	OutcomeKilled
	// OutcomeIncomplete is an input that stops without any sign of the end of the run.
	OutcomeIncomplete

	outcomeEnd
)

var outcomeNames = [outcomeEnd]string{"", "ok", "error", "interrupted", "killed", "incomplete"}

// String returns the wire name. It returns the empty string for the unknown outcome.
func (o Outcome) String() string {
	if o < outcomeEnd {
		return outcomeNames[o]
	}
	return ""
}

// Failed reports whether the outcome is a failure. An interrupted run or one that was read only in part is not.
func (o Outcome) Failed() bool { return o == OutcomeError || o == OutcomeKilled }

// ParseOutcome is the inverse of [Outcome.String]. It returns [OutcomeUnknown] for an unknown word.
func ParseOutcome(word string) Outcome {
	for o := range outcomeEnd {
		if outcomeNames[o] == word {
			return o
		}
	}
	return OutcomeUnknown
}

// MarshalText returns the wire name.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText is the inverse of MarshalText. It sets [OutcomeUnknown] for an unknown word.
func (o *Outcome) UnmarshalText(word []byte) error {
	*o = ParseOutcome(string(word))
	return nil
}

// Cause is the reason why a run or a model call failed, from a small set of values that all formats share. It is
// empty if nothing failed.
type Cause string

// The causes that formats express by a code, an HTTP status or in words.
const (
	CauseAuthentication  Cause = "authentication_failed"
	CauseRateLimit       Cause = "rate_limit"
	CauseOverloaded      Cause = "overloaded"
	CauseServerError     Cause = "server_error"
	CauseInvalidRequest  Cause = "invalid_request"
	CauseContextLength   Cause = "context_length"
	CauseMaxOutputTokens Cause = "max_output_tokens"
	CauseContentFilter   Cause = "content_filter"
	CauseMaxTurns        Cause = "max_turns"
	CauseBudget          Cause = "budget"
	// CauseProcessExit is a non-zero exit code.
	CauseProcessExit Cause = "process_exit"
	// CauseOther is a failure whose cause is not given.
	CauseOther Cause = "_OTHER"
)

// Sign is evidence in an event for the end of its run, in formats that have no line for the end. Later work on the same
// thread cancels it.
type Sign struct {
	// Outcome is the outcome of the run if nothing follows; [OutcomeUnknown] means that there is no sign.
	Outcome Outcome
	// Cause is the reason for a failure.
	Cause Cause
	// ModelCall marks the final failure of a model call.
	ModelCall bool
	// Weak marks a text that may be the last one. It counts when the input ends whole but does not justify closing the run earlier.
	Weak bool
}

// Outcome returns the outcome that the end line shows. It is unknown if the line shows only that the run ended. An answer
// that a filter cut off has a cause but no error if the program itself continues after it.
func (e *End) Outcome() Outcome {
	switch {
	case e == nil:
		return OutcomeUnknown
	case e.Decided != OutcomeUnknown:
		return e.Decided
	case e.Interrupted || e.Principle != "": // a refusal on principle is not a failure
		return OutcomeInterrupted
	case e.Error || e.Cause != "":
		return OutcomeError
	case e.Unjudged:
		return OutcomeUnknown
	default:
		return OutcomeOK
	}
}
