package telemetry

import "encoding/hex"

// sequencer numbers the records of one stream in the order of its events, from 1. Records reach a back end in any order
// (parallel senders, retries); the stream's id and the number restore it.
//
// A number depends on the stream's lines alone, so a replay gives the same ones. A record that another stream exported
// first has a number too, and leaves a gap.
type sequencer struct {
	stream string // the value of [AttrStreamID]
	last   int64
}

// newSequencer makes the sequencer of the stream with an id. The id may hold a path, so its hash is exported.
func newSequencer(id string) *sequencer {
	sum := hash(domainStream, 0, id)
	return &sequencer{stream: hex.EncodeToString(sum[:8])}
}

// next is the number of the next record.
func (q *sequencer) next() int64 {
	q.last++
	return q.last
}
