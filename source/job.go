package source

import "time"

// jobKind says what a worker is to do with a file.
type jobKind uint8

const (
	jobProbe  jobKind = iota // look what it is
	jobRead                  // read on
	jobFinish                // it is gone: read what an open handle still has, close
	jobEvict                 // nothing came for long: close the consumer
	jobRest                  // nothing came for a while: have the consumer let go of what its lines tell
)

// job is one visit of a worker to one file.
type job struct {
	file *file
	kind jobKind
	path string
	id   fileID
	pos  position // as it was accepted
	// live tells that the end was reached before.
	live  bool
	flush bool
	// seek, of a probe: start here, because that is how long the file was at start. Negative: at the beginning.
	seek int64
	// claim, of a probe: tell whether the file goes on where this position is.
	claim *position
}

// outcome says how a visit ended.
type outcome uint8

const (
	outcomeEnd       outcome = iota // read to the end, or probed
	outcomeMore                     // there is more; others are to have their turn
	outcomeGone                     // nothing is under its path any more
	outcomeReplaced                 // another file is under its path
	outcomeRewritten                // what was read is not what stands there now
	outcomeRefused                  // the handler did not accept
	outcomeFailed                   // the system did not let us
	outcomeIgnored                  // no regular file
	outcomeStopped                  // the source is shutting down
)

// result is what a worker brings back.
type result struct {
	job
	outcome outcome
	err     error
	size    int64
	mtime   int64
	read    bool   // lines were accepted
	tail    bool   // an unfinished line that may be taken later
	head    []byte // of a probe: how the file begins
	claimed bool   // of a probe: it does go on there
	// stored, of a probe: what the store has under the name that the file would be given.
	stored *checkpoint
	// saveIn is when a position that was not written is to be written. 0: nothing is owed.
	saveIn  time.Duration
	saveErr error
}
