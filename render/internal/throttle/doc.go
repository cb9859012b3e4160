// Package throttle lets at most one event an interval through a gate, the newest, and ensures by a timer that the last one
// always appears. Everything else passes at once.
//
// A Gate serves several goroutines: it holds its lock while the next Sink runs. It starts no goroutine but the one of its timer,
// which runs only while an event is held.
package throttle
