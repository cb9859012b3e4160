// Package safe makes text that an agent controls safe to show. [Sanitize] and [Sanitizer] remove what a terminal would obey
// and what a reader would not see, [Line] turns anything into one line, and a [Filter] finds what a CI system would take for
// a command.
//
// It knows nothing about events or styles. Results are new memory or the input itself, and stay valid. A Sanitizer, a Filter
// and a writer of [Breaker] must be used by one goroutine at a time.
package safe
