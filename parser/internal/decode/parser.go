package decode

import "github.com/tailspan/tailspan/events"

// Parser turns the lines of one stream of a provider into events.
type Parser interface {
	// Parse reads one line, without its newline, or one document.
	Parse(line []byte) Result
	// Quiet returns the events that are pending only because the agent may go on, for a stream that has been quiet.
	Quiet() []events.DisplayEvent
	// Flush returns the pending events of the ended stream. Its status is malformed where the end proves torn what
	// counted as ignored, since it could have gone on.
	Flush() Result
	// State returns what the stream holds.
	State() State
	// Drop leaves the arguments of calls, and the texts of results, out of all further events; see [events.Tool].
	Drop(inputs, outputs bool)
}

// Result is what one line gave.
type Result struct {
	Events []events.DisplayEvent
	Status events.LineStatus
	// UnknownType is the name of the type that made Status LineUnknownType, such as "system/new_thing".
	UnknownType string
}

// State is what a stream holds between two lines.
type State struct {
	// Pending reports whether Flush would return events.
	Pending bool
	// Incomplete reports whether a run has begun whose end the format promises, and lacks it.
	Incomplete bool
	// Dropped counts the texts in deltas that were evicted.
	Dropped int
}
