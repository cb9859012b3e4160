package events

// Outcome is how a run ended.
type Outcome uint8

// The outcomes of a run.
const (
	// OutcomeUnknown is that of a run whose end is not known yet.
	OutcomeUnknown Outcome = iota
	// OutcomeOK is a success: a result that is one, or a last message that ends the turn.
	OutcomeOK
	// OutcomeError is a failure: of the API, of a limit, of the program.
	OutcomeError
	// OutcomeInterrupted is a stop by the user, or a refusal on principle.
	OutcomeInterrupted
	// OutcomeKilled is an end by a signal or a crash, as far as an exit record shows it.
	OutcomeKilled
	// OutcomeIncomplete is an input that stops without any sign of the run's end.
	OutcomeIncomplete

	outcomeEnd
)

var outcomeNames = [outcomeEnd]string{"", "ok", "error", "interrupted", "killed", "incomplete"}

// String gives the wire name; the unknown outcome is the empty string.
func (o Outcome) String() string {
	if o < outcomeEnd {
		return outcomeNames[o]
	}
	return ""
}

// Failed reports whether a run with this outcome failed. What the user stopped did not, nor what was only read in part.
func (o Outcome) Failed() bool { return o == OutcomeError || o == OutcomeKilled }

// ParseOutcome is the inverse of [Outcome.String]; an unknown word is [OutcomeUnknown].
func ParseOutcome(word string) Outcome {
	for o := range outcomeEnd {
		if outcomeNames[o] == word {
			return o
		}
	}
	return OutcomeUnknown
}

// MarshalText gives the wire name.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText is the inverse of MarshalText; an unknown word is [OutcomeUnknown].
func (o *Outcome) UnmarshalText(word []byte) error {
	*o = ParseOutcome(string(word))
	return nil
}

// Cause is why a run or a model call failed, one of a few values that all formats share. It is empty where nothing
// failed.
type Cause string

// The causes that formats name, by a code, an HTTP status or in words.
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
	// CauseProcessExit is an exit code other than 0.
	CauseProcessExit Cause = "process_exit"
	// CauseOther is a failure that names no cause.
	CauseOther Cause = "_OTHER"
)

// Sign is what an event shows of the end of its run, in formats that have no line for the end. Work that follows it on the
// same thread takes it back.
type Sign struct {
	// Outcome is how the run ends if nothing follows; [OutcomeUnknown] is no sign.
	Outcome Outcome
	// Cause is why it failed.
	Cause Cause
	// ModelCall shows that what failed is a model call, for good.
	ModelCall bool
	// Weak marks a text that may be the last one: it counts when the input ends, but is no reason to wait for no more.
	Weak bool
}

// Outcome is how the run ended, as its end line shows it: unknown where that shows only that it ended. An answer that was
// cut off by a filter has a cause and no error where the program itself goes on after it.
func (e *End) Outcome() Outcome {
	switch {
	case e == nil:
		return OutcomeUnknown
	case e.Decided != OutcomeUnknown:
		return e.Decided
	case e.Interrupted || e.Principle != "": // a refusal on principle is no failure
		return OutcomeInterrupted
	case e.Error || e.Cause != "":
		return OutcomeError
	case e.Unjudged:
		return OutcomeUnknown
	default:
		return OutcomeOK
	}
}
