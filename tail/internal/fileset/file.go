package fileset

import (
	"container/list"
	"slices"
	"time"

	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/internal/retry"
	"github.com/tailspan/tailspan/tail/internal/reader"
)

// State is the state of a path. The document of package tail has the table of transitions.
type State uint8

const (
	// stateNew: seen but not identified, because nothing was read yet; the file may be empty.
	stateNew State = iota
	// stateFollowing: identified and read as it grows.
	stateFollowing
	// stateLink: another path (a hard or symbolic link) of a followed file.
	stateLink
	// stateUnlinked: its path no longer leads to it; it may reappear under another one.
	stateUnlinked
	// stateRetired: closed, but kept to be recognized if it reappears.
	stateRetired
)

// File is what is known of a path. While a worker has it, stream belongs to the worker alone. Everything else belongs to the
// Set, which accesses stream only while no worker has the file.
type File struct {
	identity
	evidence
	schedule
	stream  reader.Open
	state   State
	way     discover.Way // to the path, when its folder was last scanned
	indexed indexed
}

// newFile returns a file for a path of which nothing is known.
func newFile(path string) *File {
	return &File{identity: identity{path: path}, schedule: schedule{wakeSlot: -1}}
}

// identity is which file a path leads to and how far it was read.
type identity struct {
	path  string
	id    fingerprint.FileID
	pos   fingerprint.Position
	size  int64 // as last seen, in bytes; compressed size for compressed files
	mtime int64 // as last seen, in ns

	target *File   // the file that a link leads to
	links  []*File // other paths of this file
	// lostLink is true if one of its paths no longer leads to it while another does. That path may now lead to a longer
	// version of it, or it may have been renamed between two scans.
	lostLink bool
	// live is true once the end was reached.
	live bool
	// seen is the number of the last full scan that found it.
	seen uint32
}

// origin is where a file comes from.
type origin uint8

const (
	originNew    origin = iota
	originStart         // it existed at start, with content
	originStored        // it comes from a checkpoint and was not read yet
)

// evidence helps to decide which file a path leads to.
type evidence struct {
	origin origin
	// seek is where reading of a file that existed at start begins: at its size then, with start_at: end.
	seek int64
	// presentAt is the path where the inode of a file with a checkpoint was seen at start, if any.
	presentAt string
	claims    []*File // unlinked files that this one may continue, still to be compared
	// before is the file left under another link when this one continued as another inode.
	before *File
	// named, for an unlinked file, is true if some path led to it when it was last seen.
	named bool
	// tombstone is true if the file is matched by inode only.
	tombstone bool
	// rechecked is true if it was probed twice because it has the inode of a known file but not its content.
	rechecked bool
	// rejected is true if it continues none of the files with the same fingerprint.
	rejected bool
	// delays counts how often it was delayed as a possible copy of an existing file.
	delays uint8
}

// confirm records that reading the file has confirmed its checkpoint.
func (e *evidence) confirm() {
	if e.origin == originStored {
		e.origin = originNew
	}
}

// turn is whether a file waits for a worker or is with one.
type turn uint8

const (
	turnIdle   turn = iota
	turnQueued      // it waits for a worker
	turnBusy        // a worker has it
	turnDirty       // a worker has it, and something has happened since
)

// due is what the next visit is for.
type due uint8

const (
	dueRead    due = iota
	dueFlush       // flush an unfinished last line that has waited long enough
	dueEvict       // close the consumer, since no line arrived for long
	dueSuspend     // suspend the consumer, since no line arrived for a while
)

// schedule is when a worker visits a file, and what for.
type schedule struct {
	turn    turn
	due     due
	flushAt time.Time // when an unfinished last line has waited long enough; zero: there is none
	// tries counts consecutive refusals and failures; the file is not read again before retryAt.
	tries    retry.Tries
	retryAt  time.Time
	wakeAt   time.Time
	wakeSlot int // index in the heap of timers, -1 if not in it
	lastRead time.Time
	again    time.Duration // for dueSuspend: how long not to ask again after a refusal
	// truncated is set if the content of a compressed file is cut off.
	truncated *truncation
}

func (s *schedule) busy() bool { return s.turn == turnBusy || s.turn == turnDirty }

// mark records that something happened. It reports whether the file has to be queued.
func (s *schedule) mark() bool {
	s.due = dueRead
	switch s.turn {
	case turnIdle:
		if time.Now().Before(s.retryAt) {
			return false
		}
		s.turn = turnQueued
		return true
	case turnBusy:
		s.turn = turnDirty
	case turnQueued, turnDirty:
	}
	return false
}

// give hands the file to a worker.
func (s *schedule) give() { s.turn, s.due, s.flushAt = turnBusy, dueRead, time.Time{} }

// takeBack takes the file back from its worker. It reports whether something happened in the meantime.
func (s *schedule) takeBack() (dirty bool) {
	dirty = s.turn == turnDirty
	s.turn = turnIdle
	return dirty
}

// indexed holds the places of a file in the lists of the Set.
type indexed struct {
	nextHead *File         // next in the chain of heads
	kept     *list.Element // among the files with an open handle
	slot     *list.Element // among the retired files
	active   *list.Element // among those whose consumer is open and active
}

// truncation is the stat of a compressed file whose content is cut off, and when that was first seen.
type truncation struct {
	size, mtime int64
	at          time.Time
}

// timers is a heap of files, ordered by the time of their next visit.
type timers []*File

func (t timers) Len() int           { return len(t) }
func (t timers) Less(i, j int) bool { return t[i].wakeAt.Before(t[j].wakeAt) }
func (t timers) Swap(i, j int) {
	t[i], t[j] = t[j], t[i]
	t[i].wakeSlot, t[j].wakeSlot = i, j
}

// Push implements [container/heap.Interface].
func (t *timers) Push(x any) {
	f := x.(*File)
	f.wakeSlot = len(*t)
	*t = append(*t, f)
}

// Pop implements [container/heap.Interface].
func (t *timers) Pop() any {
	last := len(*t) - 1
	f := (*t)[last]
	(*t)[last] = nil
	*t = (*t)[:last]
	f.wakeSlot = -1
	return f
}

// isPresent reports whether a file with a checkpoint that is not followed yet was seen at start and still exists under that
// path: it is about to be found, or turns out to be another file.
func (f *File) isPresent() bool {
	return f.presentAt != "" && f.indexed.slot != nil && fingerprint.LeadsTo(f.presentAt, f.id)
}

// hasLostLink reports whether an existing file lost a link, even if that was not noticed yet.
func (f *File) hasLostLink() bool {
	return f.lostLink || slices.ContainsFunc(f.links, func(name *File) bool { return !fingerprint.LeadsTo(name.path, f.id) })
}

// reset clears what is known of a path, which may now lead to another file.
func (f *File) reset() {
	f.state, f.target, f.claims = stateNew, nil, nil
	f.delays, f.rejected, f.rechecked = 0, false, false
}

// moveLinks moves the links of a file to another one.
func (f *File) moveLinks(to *File) {
	for _, name := range f.links {
		name.target = to
	}
	to.links = append(to.links, f.links...)
	f.links = nil
}

// linkNames returns the other paths of a file.
func (f *File) linkNames() []string {
	if len(f.links) == 0 {
		return nil
	}
	names := make([]string, len(f.links))
	for i, link := range f.links {
		names[i] = link.path
	}
	return names
}

// job returns a visit of the file in its current state.
func (f *File) job() reader.Job {
	return reader.Job{
		Open: &f.stream, Path: f.path, Way: f.way, ID: f.id, Pos: f.pos, Size: f.size, MTime: f.mtime, Links: f.linkNames(), LostLink: f.lostLink,
	}
}

// unverified reports whether a file is followed only on the evidence of its checkpoint and was not read yet. After several
// failed reads the checkpoint is trusted, because files with the same fingerprint would otherwise wait forever.
func (f *File) unverified() bool {
	return f.origin == originStored && f.state == stateFollowing && f.tries < maxDelays
}
