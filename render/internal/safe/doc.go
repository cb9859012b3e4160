// Package safe makes text that an agent controls safe to show: [Sanitize] and [Sanitizer] remove what a terminal would obey
// and what a reader would not see, [Line] makes one line of anything, and a [Filter] finds what a CI system would take for a
// command to it.
//
// It knows nothing of events and looks. Results are new memory or the input itself, and stay valid. A Sanitizer, a Filter and
// a writer of [Breaker] are used by one goroutine at a time.
package safe
