package fileset

import (
	"container/list"
	"slices"
	"time"

	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/internal/retry"
	"github.com/tailspan/tailspan/tail/internal/reader"
)

// State is what is known of a path. The document of package tail has the table of transitions.
type State uint8

const (
	// stateNew: seen and not identified: nothing was read yet, perhaps because there is nothing to read.
	stateNew State = iota
	// stateFollowing: identified, read as it grows.
	stateFollowing
	// stateLink: another path (a hard or symbolic link) of a file that is followed.
	stateLink
	// stateUnlinked: its path leads to it no more; it may come back under another one.
	stateUnlinked
	// stateRetired: closed; kept to be recognised when it comes back.
	stateRetired
)

// File is what is known of a path. While a worker has it, stream is the worker's alone; all else is the Set's, which reads and
// writes stream only while no worker has the file.
type File struct {
	identity
	evidence
	schedule
	stream  reader.Open
	state   State
	indexed indexed
}

// newFile makes a file of a path of which nothing is known.
func newFile(path string) *File {
	return &File{identity: identity{path: path}, schedule: schedule{wakeSlot: -1}}
}

// identity is which file a path leads to, and how far it was read.
type identity struct {
	path  string
	id    fingerprint.FileID
	pos   fingerprint.Position
	size  int64 // as last seen; of the compressed bytes
	mtime int64 // as last seen, in ns

	target *File   // of a link
	links  []*File // other paths of this file
	// lostLink is true if one of its paths leads to it no more while another one does: a longer version of it may be there,
	// or where that was renamed to between two scans.
	lostLink bool
	// live is true once the end was reached.
	live bool
	// seen is the number of the last full scan that found it.
	seen uint32
}

// origin says where a file comes from.
type origin uint8

const (
	originNew    origin = iota
	originStart         // it existed at start, with content
	originStored        // its checkpoint says so, and it was not read yet
)

// evidence is what helps to decide which file is under a path.
type evidence struct {
	origin origin
	// seek is where a file begins to be read that existed at start: its size then, with start_at: end.
	seek int64
	// presentAt is where the inode of a file with a checkpoint was seen at start, if anywhere.
	presentAt string
	claims    []*File // unlinked files that this one may continue, to be compared
	// before is what the file left under another link when it continued as another inode.
	before *File
	// named is true, of an unlinked file, if some path led to it when it was last seen.
	named bool
	// tombstone is true if only the inode matches the file.
	tombstone bool
	// rechecked is true if it was probed twice, since it has the inode and not the content of a known one.
	rechecked bool
	// rejected is true if it continues none of the files with the same fingerprint.
	rejected bool
	// delays counts how often it was delayed, as a possible copy of an existing file.
	delays uint8
}

// confirm records that what a checkpoint says of the file was confirmed by reading it.
func (e *evidence) confirm() {
	if e.origin == originStored {
		e.origin = originNew
	}
}

// turn says whether a file waits for a worker or is with one.
type turn uint8

const (
	turnIdle   turn = iota
	turnQueued      // it waits for a worker
	turnBusy        // a worker has it
	turnDirty       // a worker has it, and something happened since
)

// due says what the next visit is for.
type due uint8

const (
	dueRead    due = iota
	dueFlush       // an unfinished last line has had its time
	dueEvict       // nothing came for long: close the consumer
	dueSuspend     // nothing came for a while: suspend the consumer
)

// schedule is when a worker visits a file, and what for.
type schedule struct {
	turn    turn
	due     due
	flushAt time.Time // when an unfinished last line has waited long enough; zero: there is none
	// tries counts refusals and failures in a row; it is not read before retryAt.
	tries    retry.Tries
	retryAt  time.Time
	wakeAt   time.Time
	wakeSlot int // in the heap of timers, -1 if in none
	lastRead time.Time
	again    time.Duration // of dueSuspend: after a refusal it is not asked again for so long
	// truncated is set if the content of a compressed file broke off.
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

// takeBack takes the file from its worker. It reports whether something happened meanwhile.
func (s *schedule) takeBack() (dirty bool) {
	dirty = s.turn == turnDirty
	s.turn = turnIdle
	return dirty
}

// indexed are the places of a file in the lists of the table.
type indexed struct {
	nextHead *File         // chain in heads
	kept     *list.Element // among the files with an open handle
	slot     *list.Element // among the retired files
	active   *list.Element // among those whose consumer is open and active
}

// truncation is the stat of a compressed file whose content breaks off, and since when it is so.
type truncation struct {
	size, mtime int64
	at          time.Time
}

// timers is a heap of files by the time of their next visit.
type timers []*File

func (t timers) Len() int           { return len(t) }
func (t timers) Less(i, j int) bool { return t[i].wakeAt.Before(t[j].wakeAt) }
func (t timers) Swap(i, j int) {
	t[i], t[j] = t[j], t[i]
	t[i].wakeSlot, t[j].wakeSlot = i, j
}

// Push is container/heap's.
func (t *timers) Push(x any) {
	f := x.(*File)
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

// isPresent reports whether a file of a checkpoint, which is not followed yet, was seen at start and is still there, under
// whatever path: it is about to be found, or is another one by now.
func (f *File) isPresent() bool {
	return f.presentAt != "" && f.indexed.slot != nil && fingerprint.LeadsTo(f.presentAt, f.id)
}

// hasLostLink reports whether an existing file lost a link, also if that was not noticed yet.
func (f *File) hasLostLink() bool {
	return f.lostLink || slices.ContainsFunc(f.links, func(name *File) bool { return !fingerprint.LeadsTo(name.path, f.id) })
}

// reset clears what is known of a path, which may lead to another file by now.
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

// job is a visit of a file as it is now.
func (f *File) job() reader.Job {
	return reader.Job{
		Open: &f.stream, Path: f.path, ID: f.id, Pos: f.pos, Size: f.size, MTime: f.mtime, Links: f.linkNames(), LostLink: f.lostLink,
	}
}

// unverified reports whether a file is followed by its checkpoint alone, and was not read yet. After some tries of an
// unreadable one the checkpoint has to do, or files with the same fingerprint would wait for ever.
func (f *File) unverified() bool {
	return f.origin == originStored && f.state == stateFollowing && f.tries < maxDelays
}
