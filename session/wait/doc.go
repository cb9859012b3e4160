// Package wait tracks waiters: a [List] those that wait for something another stream provides, a [Barrier] those that wait for a set of other
// streams, [Timers] those that wait for time to pass. [Latest] is for those that wait until nothing happens.
//
// A [List] groups waiters by key, which is any comparable value, in the order of their arrival. A waiter can wait for several
// keys and is listed once per key. [List.Take] returns and removes the waiters of a key, [List.Of] only returns them, and
// [List.Remove] removes one waiter from all keys. A session may have thousands of sub-agents in separate streams, so the cost
// of a call does not depend on the waiters that it does not return. A List is not safe for concurrent use.
//
// [Timers] record when each waiter started, by kind. They read no clock and are safe for concurrent use.
//
// The zero value of each is empty.
package wait
