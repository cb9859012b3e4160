package tail

import (
	"time"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/fingerprint"
)

// jobKind says what a worker is to do with a file.
type jobKind uint8

const (
	jobProbe   jobKind = iota // find out which file it is
	jobRead                   // read on
	jobFinish                 // it is unlinked: read what an open handle still has, close
	jobEvict                  // nothing came for long: close the consumer
	jobSuspend                // nothing came for a while: suspend the consumer
)

// job is one visit of a worker to one file.
type job struct {
	file *file
	kind jobKind
	path string
	id   fingerprint.FileID
	pos  fingerprint.Position // as acknowledged
	// size and mtime are as last seen, by the manager and then by the worker.
	size  int64
	mtime int64
	// live is true if the end was reached before.
	live  bool
	flush bool
	// recent is true, of jobFinish, if lines came a short while ago: if the file still has a link that no pattern matches, its
	// writer may not be done.
	recent bool
	// links are other paths of the file; lostLink, that it lost one.
	links    []string
	lostLink bool
	// seek, of a probe: start here, because that is how long the file was at start. Negative: at the beginning.
	seek int64
	// claims, of a probe: find the first of these that the file is related to.
	claims []claim
}

// claim is how far a known file was read, and that file, if it is there still.
type claim struct {
	pos    fingerprint.Position
	beside *standing
}

// standing is a known file that exists.
type standing struct {
	path string
	id   fingerprint.FileID
	// lost is true if it lost a link; size, what its size was when all of it had been read, or -1.
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
	isUnclear          // the known one has to be read first
)

// outcome says how a visit ended.
type outcome uint8

const (
	outcomeEnd       outcome = iota // read to the end, or probed
	outcomeMore                     // there is more; others are to have their turn
	outcomeUnlinked                 // nothing is under its path any more
	outcomeReplaced                 // another file is under its path
	outcomeRewritten                // the content before the offset is not what was read
	outcomeRefused                  // the consumer did not take the lines
	outcomeFailed                   // the system reported an error
	outcomeIgnored                  // no regular file
	outcomeLink                     // a link to a file that is read under its own name
	outcomeStopped                  // the source is shutting down
)

// result is what a worker brings back.
type result struct {
	job
	outcome  outcome
	err      error
	dirty    bool   // something happened to the file meanwhile
	read     bool   // lines were acknowledged
	tail     bool   // an unfinished line that may be taken later
	named    bool   // of jobFinish: some path still leads to the file
	head     []byte // of a probe: how the file begins
	claimed  int    // of a probe: the claim that it is related to, and how
	relation relation
	// stored, of a probe: the checkpoint under the stream id that the file would get.
	stored *checkpoint.Checkpoint
	// saveIn is the time to the next write of a changed checkpoint. 0: it is written.
	saveIn  time.Duration
	saveErr error
}
