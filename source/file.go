package source

import (
	"container/list"
	"time"
)

// fileState is what is known of a path. The package documentation has the table of transitions.
type fileState uint8

const (
	// stateNew: seen and not identified: nothing was read yet, perhaps because there is nothing to read.
	stateNew fileState = iota
	// stateFollowed: identified, read as it grows.
	stateFollowed
	// stateAlias: another path (a hard or symbolic link) of a file that is followed.
	stateAlias
	// stateGone: its path is gone; it may come back under another one.
	stateGone
	// stateClosed: gone for good, as far as we know; kept to be recognised.
	stateClosed
)

// file is what is kept of each path: some 500 bytes, and 200 more with a store, besides the path.
//
// While busy is set, a worker has it, and the fields of the second group are the worker's alone. The manager reads and
// writes all others, at any time, and those of the second group only while busy is not set.
type file struct {
	path  string
	id    fileID
	pos   position
	size  int64 // as last seen; of the compressed bytes
	mtime int64 // as last seen, in ns
	state fileState

	busy   bool // a worker has it
	queued bool // waits for a worker
	dirty  bool // something happened while it was busy
	// caughtUp tells that the end was reached once.
	caughtUp bool
	// evict tells that the consumer is to be closed, since nothing came for long.
	evict bool
	// rest tells that the consumer is to be asked to rest.
	rest bool
	// tail tells that an unfinished last line waits for its time; flush, that the time has come.
	tail, flush bool
	// tries counts refusals and failures in a row; until retryAt it is left alone.
	tries   uint8
	retryAt time.Time

	target  *file     // of an alias
	aliases []*file   // other paths of this file
	claims  []*file   // files that are gone and that this one may continue, to be looked into
	broke   *breakOff // nil: it did not
	// named tells, of one that is gone, that some path led to it still when it was last seen. before is what it left behind
	// there when it went on as another inode; that is a ghost, which is told by its inode alone.
	before       *file
	named, ghost bool
	// strayed tells that a path that led to it does not any more, while another one does: a longer version of it may stand
	// there, or where that was renamed to with nobody looking.
	strayed bool
	// seek is where a file begins to be read that was there at start: its size then, with [StartAtEnd].
	seek int64
	// restored tells that it is known from the store; presentAt is where its inode was seen at start, if anywhere.
	presentAt string
	restored  bool
	first     bool // was there at start, with content
	// rechecked tells that it was looked at twice, since it has the inode and not the content of a known one.
	rechecked bool
	// held counts how often it was held back, as a possible copy of a file that is there; disowned tells that it continues
	// none of the files that begin like it.
	disowned bool
	held     uint8
	// seen numbers the last look at all files that found it.
	seen uint32

	nextHead *file // chain in heads
	wakeAt   time.Time
	wakeSlot int           // in the heap of timers, -1 if in none
	kept     *list.Element // among the files with an open handle
	slot     *list.Element // among the closed files
	awake    *list.Element // among those whose consumer is open and does not rest
	lastRead time.Time

	consumer Consumer
	handle   handle
	streamID string
	behind   int64  // bytes that were not accepted, as last told
	stored   *saved // what the store has; nil: nothing
	begin    int64  // where the first line that was accepted begins, if begun
	replayAt int64  // where replaying goes on
	// consumerState is what the consumer gave last; open, that it owes something that needs no further line.
	consumerState []byte
	open          bool
	owesIdle      bool // lines were accepted and Idle was not
	begun         bool // a line was accepted
	atEnd         bool // nothing stood behind the position
	// replaying tells that the consumer has not yet been given again all that was accepted; resting, that it has let go
	// of that and is to be given it before the next line.
	replaying, resting bool
	// rests counts how often the consumer rested; before restAt it is not asked to, which is restAgain after it would not.
	rests     uint8
	restAt    time.Time
	restAgain time.Duration
}

// breakOff is how a compressed file looked when its content broke off, and since when it looks so.
type breakOff struct {
	size, mtime int64
	at          time.Time
}

// timers is a heap of files by the time they want to be looked at.
type timers []*file

func (t timers) Len() int           { return len(t) }
func (t timers) Less(i, j int) bool { return t[i].wakeAt.Before(t[j].wakeAt) }
func (t timers) Swap(i, j int) {
	t[i], t[j] = t[j], t[i]
	t[i].wakeSlot, t[j].wakeSlot = i, j
}

// Push is container/heap's.
func (t *timers) Push(x any) {
	f := x.(*file)
	f.wakeSlot = len(*t)
	*t = append(*t, f)
}

// Pop is container/heap's.
func (t *timers) Pop() any {
	last := len(*t) - 1
	f := (*t)[last]
	(*t)[last] = nil
	*t = (*t)[:last]
	f.wakeSlot = -1
	return f
}
