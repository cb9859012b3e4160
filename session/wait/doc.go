// Package wait keeps who waits for what, in the order in which they came.
//
// A [List] has waiters by what they wait for: any value that can be the key of a map. A waiter can wait for several things, and
// waits for each of them once. [List.Take] takes out those that a thing is there for, [List.Of] names them and leaves
// them, [List.Remove] takes out one that waits no more.
//
// A session may have thousands of sub-agents in streams of their own, so no call goes through more waiters than it returns. The
// zero value of a List is empty. A List is used by one goroutine at a time.
package wait
