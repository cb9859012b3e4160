// Package label calls the streams of a log by the least that distinguishes them: the step, with its pipeline, run or step run
// where another open stream has the same, or the beginning of the session's id.
//
// A [Set] has the labels of the open streams; a label changes when such a stream comes or goes. The owner of the Set serves
// one goroutine at a time.
package label
