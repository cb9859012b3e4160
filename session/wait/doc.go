// Package wait keeps who waits for what: a [List] for things that others bring, [Timers] for a time to pass.
//
// A [List] has waiters by what they wait for, any value that can be the key of a map, in the order in which they came. A waiter
// can wait for several things, and waits for each of them once. [List.Take] takes out those that a thing is there for,
// [List.Of] names them and leaves them, [List.Remove] takes out one that waits no more. A session may have thousands of
// sub-agents in streams of their own, so no call goes through more waiters than it returns. A List is used by one goroutine at a time.
//
// [Timers] have since when one waits, by the kind of what it waits for. They ask no clock, and are safe for use by many
// goroutines.
//
// The zero value of both is empty.
package wait
