// Package toolcall has what is known of a tool call from its start to its span.
//
// A [Call] is made of the event that starts it ([New]). Results and notices say what they lack of it ([Call.Describe],
// [Call.Measure]), and in the end it gives the value of its span ([Call.Shown]). A result that comes before its call waits as an
// [EarlyResult].
//
// The package does not know who made a call and what else is open: that is its owner's. Its values are used by one goroutine at
// a time. Nothing of an event is kept: texts have memory of their own.
package toolcall
