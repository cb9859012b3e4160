package events

// Sink consumes events. Emit is called by one goroutine at a time and must not block forever. The event and its
// borrowed fields are valid only during the call.
type Sink interface {
	Emit(e *DisplayEvent)
}

// FuncSink adapts a function to a [Sink].
type FuncSink func(e *DisplayEvent)

// Emit calls f(e).
func (f FuncSink) Emit(e *DisplayEvent) { f(e) }

// Discard is a [Sink] that drops every event.
var Discard Sink = FuncSink(func(*DisplayEvent) {})
