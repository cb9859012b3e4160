// Package throttle passes at most one event per interval, the newest. A timer ensures that the last one always appears. All
// other events pass immediately.
//
// A Gate serves several goroutines and holds its lock while the next Sink runs. Its only goroutine is that of its timer, which
// runs only while an event is held.
package throttle
