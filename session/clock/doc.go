// Package clock determines the times of the events of a stream.
//
// An [Instant] is a point in time, a [Moment] an instant with its [Source], and an [Interval] the time between two
// moments, such as that of a span. A [Clock] dates the events of one stream line by line: [Clock.Begin] starts a line,
// and [Clock.Of] returns the time of one of its events and the [Change] that this time makes to earlier events.
// [Clock.State] is what a clock needs after a restart in addition to the lines. A [Course] keeps the times of a run in
// order if the agent's clock is set back during it.
//
// The package does not know events, spans or runs. It reads no system clock and holds no locks. A Clock is not safe for
// concurrent use. Instants are in nanoseconds since 1970, and zero means none.
package clock
