// Package toolcall tracks a tool call from its start to its span.
//
// The event that starts a call makes a [Call] ([New]). The call completes its results and notices ([Call.Describe],
// [Call.Measure]) and finally returns its span ([Call.Shown]). A result that is read before its call is stored as an
// [EarlyResult].
//
// The package does not know who made a call or what else is open: its owner does. Its types are not safe for concurrent
// use. They copy texts and keep no reference to an event.
package toolcall
