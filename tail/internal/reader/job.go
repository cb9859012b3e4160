package reader

import (
	"time"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/fingerprint"
)

// Kind says what a worker is to do with a file.
type Kind uint8

// The kinds of jobs.
const (
	KindProbe   Kind = iota // find out which file it is
	KindRead                // read on
	KindFinish              // it is unlinked: read what an open handle still has, close
	KindEvict               // nothing came for long: close the consumer
	KindSuspend             // nothing came for a while: suspend the consumer
)

// Job is one visit of a worker to one file.
type Job struct {
	// Open is the file's stream, which is the worker's until the result is there.
	Open *Open
	Kind Kind
	Path string
	ID   fingerprint.FileID
	Pos  fingerprint.Position // as acknowledged
	// Size and MTime are as last seen, by the owner of the file and then by the worker.
	Size  int64
	MTime int64
	// Live is true if the end was reached before.
	Live  bool
	Flush bool
	// Recent is true, of KindFinish, if lines came a short while ago: if the file still has a link that no pattern matches, its
	// writer may not be done.
	Recent bool
	// Links are other paths of the file; LostLink, that it lost one.
	Links    []string
	LostLink bool
	// Again, of KindSuspend: a consumer that refuses is not asked again for so long.
	Again time.Duration
	// Seek, of a probe: start here, because that is how long the file was at start. Negative: at the beginning.
	Seek int64
	// Claims, of a probe: find the first of these that the file is related to.
	Claims []Claim
}

// Claim is how far a known file was read, and that file, if it is there still.
type Claim struct {
	Pos    fingerprint.Position
	Beside *Standing
}

// Standing is a known file that exists.
type Standing struct {
	Path string
	ID   fingerprint.FileID
	// Lost is true if it lost a link; Size, what its size was when all of it had been read, or -1.
	Lost bool
	Size int64
}

// Relation is what one file is to a known one.
type Relation uint8

// The relations.
const (
	RelationOther   Relation = iota
	RelationNext             // it goes on where the known one was read up to
	RelationCopy             // it has what was read of the known one, which is there still
	RelationEqual            // it has all that the known one has, which is there still and was read to its end, and no more
	RelationUnclear          // the known one has to be read first
)

// Outcome says how a visit ended.
type Outcome uint8

// The outcomes.
const (
	OutcomeEnd       Outcome = iota // read to the end, or probed
	OutcomeMore                     // there is more; others are to have their turn
	OutcomeUnlinked                 // nothing is under its path any more
	OutcomeReplaced                 // another file is under its path
	OutcomeRewritten                // the content before the offset is not what was read
	OutcomeRefused                  // the consumer did not take the lines
	OutcomeFailed                   // the system reported an error
	OutcomeIgnored                  // no regular file
	OutcomeLink                     // a link to a file that is read under its own name
	OutcomeStopped                  // the source is shutting down
)

// Result is what a worker brings back.
type Result struct {
	Job
	Outcome  Outcome
	Err      error
	Read     bool   // lines were acknowledged
	Tail     bool   // an unfinished line that may be taken later
	Named    bool   // of KindFinish: some path still leads to the file
	Head     []byte // of a probe: how the file begins
	Claimed  int    // of a probe: the claim that it is related to, and how
	Relation Relation
	// Stored, of a probe: the checkpoint under the stream id that the file would get.
	Stored *checkpoint.Checkpoint
	// SaveIn is the time to the next write of a changed checkpoint. 0: it is written.
	SaveIn  time.Duration
	SaveErr error
}
