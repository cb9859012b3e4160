package reader

import (
	"time"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/fingerprint"
)

// Kind is what a worker does with a file.
type Kind uint8

// The kinds of jobs.
const (
	KindProbe   Kind = iota // find out which file it is
	KindRead                // read from the offset
	KindFinish              // read what the handle of an unlinked file still has, and close
	KindEvict               // close the consumer, since no line arrived for long
	KindSuspend             // suspend the consumer, since no line arrived for a while
)

// Job is one visit of a worker to one file.
type Job struct {
	// Open is the file's stream, which belongs to the worker until it returns the result.
	Open *Open
	Kind Kind
	Path string
	Way  discover.Way // to the file, when its folder was last scanned
	ID   fingerprint.FileID
	Pos  fingerprint.Position // as acknowledged
	// Size and MTime are as last seen by the owner of the file, and then by the worker.
	Size  int64
	MTime int64
	// Live is true if the end was reached before.
	Live  bool
	Flush bool
	// Recent, for KindFinish, is true if lines arrived recently. If the file still has a link that no pattern matches, its
	// writer may not be done.
	Recent bool
	// Links are other paths of the file; LostLink is true if it lost one.
	Links    []string
	LostLink bool
	// Again, for KindSuspend, is how long not to ask a consumer again after it refused.
	Again time.Duration
	// Seek, for KindProbe, is the offset to start at: the size of the file at start. Zero or less: the beginning.
	Seek int64
	// Claims, for KindProbe, are known files. The worker finds the first that the file is related to.
	Claims []Claim
}

// Claim is how far a known file was read and, if it still exists, that file.
type Claim struct {
	Pos    fingerprint.Position
	Beside *Standing
}

// Standing describes a known file that exists.
type Standing struct {
	Path string
	ID   fingerprint.FileID
	// Lost is true if it lost a link. Size is its size when all of it had been read, or -1.
	Lost bool
	Size int64
}

// Relation is how a file is related to a known one.
type Relation uint8

// The relations.
const (
	RelationOther   Relation = iota
	RelationNext             // it continues where reading of the known file stopped
	RelationCopy             // it contains what was read of the known file, which still exists
	RelationEqual            // it equals the known file, which still exists and was read to its end
	RelationUnclear          // the known file has to be read first
)

// Outcome is how a visit ended.
type Outcome uint8

// The outcomes.
const (
	OutcomeEnd       Outcome = iota // read to the end, or probed
	OutcomeMore                     // there is more; other files have their turn
	OutcomeUnlinked                 // nothing is at its path any more
	OutcomeReplaced                 // another file is at its path
	OutcomeRewritten                // the content before the offset differs from what was read
	OutcomeRefused                  // the consumer did not acknowledge the lines
	OutcomeFailed                   // the system reported an error
	OutcomeIgnored                  // not a regular file
	OutcomeLink                     // a link to a file that is read under its own name
	OutcomeStopped                  // the source is shutting down
)

// Result is what a worker returns.
type Result struct {
	Job
	Outcome  Outcome
	Err      error
	Read     bool   // lines were acknowledged
	Tail     bool   // an unfinished line remains that may be flushed later
	Named    bool   // for KindFinish: some path still leads to the file
	Head     []byte // for KindProbe: the beginning of the file
	Claimed  int    // for KindProbe: index of the claim that it is related to by Relation
	Relation Relation
	// Stored, for KindProbe, is the checkpoint under the stream ID that the file would get.
	Stored *checkpoint.Checkpoint
	// Unusable, for KindProbe, is why a value under that ID can't be read.
	Unusable error
	// Moved, for KindEvict, is when another stream last worked for the consumer, which stays open for that.
	Moved time.Time
}
