// Package stream is what a source of lines and its receiver have in common.
//
// A source opens a [Consumer] at the [Handler] for each [Stream], and delivers its [Line]s to it. What the Consumer
// acknowledges is never delivered again, except to rebuild its state: a Consumer that is [Stateful] has a state that is
// stored, and a [Suspender] releases what its lines rebuild. [Names] gives each stream an id that a restart does not change.
// An [Observer] receives counts of what happens.
package stream
