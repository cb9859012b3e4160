package source

import (
	"container/list"
	"time"

	"github.com/tailspan/tailspan/source/internal/fingerprint"
)

// fileState is what is known of a path. The package documentation has the table of transitions.
type fileState uint8

const (
	// stateNew: seen and not identified: nothing was read yet, perhaps because there is nothing to read.
	stateNew fileState = iota
	// stateFollowing: identified, read as it grows.
	stateFollowing
	// stateLink: another path (a hard or symbolic link) of a file that is followed.
	stateLink
	// stateUnlinked: its path leads to it no more; it may come back under another one.
	stateUnlinked
	// stateRetired: closed; kept to be recognised when it comes back.
	stateRetired
)

// file is what is kept of each path: some 500 bytes, and 200 more with a store, besides the path.
//
// While busy is set, a worker has it, and the fields of the second group are the worker's alone. The manager reads and
// writes all others, at any time, and those of the second group only while busy is not set.
type file struct {
	path  string
	id    fingerprint.FileID
	pos   fingerprint.Position
	size  int64 // as last seen; of the compressed bytes
	mtime int64 // as last seen, in ns
	state fileState

	busy   bool // a worker has it
	queued bool // waits for a worker
	dirty  bool // something happened while it was busy
	// caughtUp is true once the end was reached.
	caughtUp bool
	// evict asks for the consumer to be closed, since nothing came for long.
	evict bool
	// suspend asks for the consumer to be suspended.
	suspend bool
	// tail is true if an unfinished last line waits for its time; flush, that the time has come.
	tail, flush bool
	// tries counts refusals and failures in a row; it is not read before retryAt.
	tries   uint8
	retryAt time.Time

	target    *file       // of an alias
	links     []*file     // other paths of this file
	claims    []*file     // unlinked files that this one may continue, to be compared
	truncated *truncation // nil: it is whole
	// named is true, of an unlinked file, if some path led to it when it was last seen. before is what it left there when it
	// continued as another inode: a tombstone, which is matched by inode only.
	before           *file
	named, tombstone bool
	// lostLink is true if one of its paths leads to it no more while another one does: a longer version of it may be there,
	// or where that was renamed to between two scans.
	lostLink bool
	// seek is where a file begins to be read that was there at start: its size then, with [StartAtEnd].
	seek int64
	// restored is true if it comes from a checkpoint; presentAt is where its inode was seen at start, if anywhere.
	presentAt string
	restored  bool
	first     bool // was there at start, with content
	// rechecked is true if it was probed twice, since it has the inode and not the content of a known one.
	rechecked bool
	// delays counts how often it was delayed, as a possible copy of an existing file; rejected is true if it continues none
	// of the files with the same fingerprint.
	rejected bool
	delays   uint8
	// seen is the number of the last full scan that found it.
	seen uint32

	nextHead *file // chain in heads
	wakeAt   time.Time
	wakeSlot int           // in the heap of timers, -1 if in none
	kept     *list.Element // among the files with an open handle
	slot     *list.Element // among the retired files
	active   *list.Element // among those whose consumer is open and active
	lastRead time.Time

	consumer Consumer
	handle   handle
	streamID string
	behind   int64  // unacknowledged bytes, as last reported
	stored   *saved // what the store has; nil: nothing
	begin    int64  // where the first acknowledged line begins, if begun
	replayAt int64  // where replaying goes on
	// consumerState is the consumer's last state; pending, that it has pending output that needs no further line.
	consumerState []byte
	pending       bool
	idlePending   bool // lines were acknowledged and Idle was not called
	begun         bool // a line was acknowledged
	atEnd         bool // nothing followed the offset
	// replaying is true while acknowledged lines have to be replayed to the consumer; suspended, if it released its state and
	// they have to be replayed before the next line.
	replaying, suspended bool
	// suspends counts suspensions; nextSuspendAt is the earliest time of the next one, suspendRetry after a refused one.
	suspends      uint8
	nextSuspendAt time.Time
	suspendRetry  time.Duration
}

// truncation is the stat of a compressed file whose content breaks off, and since when it is so.
type truncation struct {
	size, mtime int64
	at          time.Time
}

// timers is a heap of files by the time of their next visit.
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
