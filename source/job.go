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
	// size and mtime are as last seen, by the manager and then by the worker.
	size  int64
	mtime int64
	// live tells that the end was reached before.
	live  bool
	flush bool
	// lively tells, of jobFinish, that lines came a short while ago: if the file has a name still, which nobody follows, its
	// writer may not be done.
	lively bool
	// names are other names that the file has; strayed, that it lost one.
	names   string
	strayed bool
	// seek, of a probe: start here, because that is how long the file was at start. Negative: at the beginning.
	seek int64
	// claims, of a probe: tell the first of these that the file is related to.
	claims []claim
}

// claim is how far a known file was read, and that file, if it is there still.
type claim struct {
	pos    position
	beside *standing
}

// standing is a known file that is there.
type standing struct {
	path string
	id   fileID
	// lost tells that it lost a name; size, what its size was when all of it had been read, or -1.
	lost bool
	size int64
}

// relation is what one file is to a known one.
type relation uint8

const (
	isOther   relation = iota
	isNext             // it goes on where the known one was read up to
	isCopy             // it has what was read of the known one, which is there still
	isEqual            // it has all that the known one has, which is there still and was read to its end, and no more
	isUnclear          // the known one has to be looked at first
)

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
	outcomeLink                     // a link to a file that is read under its own name
	outcomeStopped                  // the source is shutting down
)

// result is what a worker brings back.
type result struct {
	job
	outcome  outcome
	err      error
	read     bool   // lines were accepted
	tail     bool   // an unfinished line that may be taken later
	named    bool   // of jobFinish: some path led to the file still
	head     []byte // of a probe: how the file begins
	claimed  int    // of a probe: the claim that it is related to, and how
	relation relation
	// stored, of a probe: what the store has under the name that the file would be given.
	stored *checkpoint
	// saveIn is when a position that was not written is to be written. 0: nothing is owed.
	saveIn  time.Duration
	saveErr error
}
