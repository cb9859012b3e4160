package decode

import "github.com/tailspan/tailspan/events"

// Parser turns the lines of one stream of a provider into events.
type Parser interface {
	// Parse reads one line, without its newline, or one document.
	Parse(line []byte) Result
	// Quiet returns the events of a quiet stream that are pending only because the agent may continue.
	Quiet() []events.DisplayEvent
	// Flush returns the pending events of the ended stream. Its status is malformed if the end shows that a line
	// counted as ignored was torn, since it could have continued.
	Flush() Result
	// State returns what the stream keeps between lines.
	State() State
	// Drop omits the arguments of calls, or the texts of results, from all further events; see [events.Tool].
	Drop(inputs, outputs bool)
}

// Result is the result of parsing one line.
type Result struct {
	Events []events.DisplayEvent
	Status events.LineStatus
	// UnknownType names the type if Status is LineUnknownType, such as "system/new_thing".
	UnknownType string
}

// State is what a stream keeps between two lines.
type State struct {
	// Pending is true if Flush would return events.
	Pending bool
	// Incomplete is true if a run has begun and the end that the format promises is missing.
	Incomplete bool
	// Dropped counts texts in deltas that were evicted.
	Dropped int
}
