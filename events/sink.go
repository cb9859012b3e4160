package events

// Sink consumes events. Emit is called by one goroutine at a time and must not block for ever; the event and its
// borrowed fields are valid during the call only.
type Sink interface {
	Emit(e *DisplayEvent)
}

// FuncSink makes a Sink of a function.
type FuncSink func(e *DisplayEvent)

// Emit calls the function.
func (f FuncSink) Emit(e *DisplayEvent) { f(e) }

// Discard drops every event.
var Discard Sink = FuncSink(func(*DisplayEvent) {})
