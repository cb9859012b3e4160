// Package clock gives the events of a stream their times.
//
// An [Instant] is a point in time, a [Moment] an instant with its [Source], an [Interval] the time between two moments,
// such as that of a span. A [Clock] dates the events of one stream, line by line: [Clock.Begin] starts a line, and
// [Clock.Of] returns the time of an event of it and what that time changes for events before it ([Change]). What a clock
// has to know after a restart beside the lines is in [Clock.State].
//
// The package knows no events, spans or runs, asks no clock and holds no locks. A Clock is used by one goroutine at a time.
// Instants are whole nanoseconds since 1970, and zero is none.
package clock
