// Package label names the streams of a log by the shortest label that distinguishes them: the step, with its pipeline, run or
// step run if another open stream has the same step; or the beginning of the session ID.
//
// A [Set] holds the labels of the open streams. A label changes when a stream with a similar one opens or closes. A Set must
// be used by one goroutine at a time.
package label
