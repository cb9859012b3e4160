// Package stream defines what a source of lines and its receiver share.
//
// A source opens a [Consumer] from the [Handler] for each [Stream] and delivers its [Line]s to it. Acknowledged lines are
// never delivered again, except to rebuild the consumer's state: the state of a [Stateful] consumer is stored, and a
// [Suspender] releases what its lines rebuild. [Names] assigns each stream an ID that survives restarts. An [Observer]
// receives counts of what happens.
package stream
