package fileset

import (
	"time"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/errorlog"
	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/tail/internal/reader"
)

const (
	// copyWait is how long a file that begins like a followed one is delayed: it may be the copy of a copytruncate whose
	// original is about to be emptied.
	copyWait = time.Second
	// busyWait is how long a decision waits for the worker that has the file it depends on.
	busyWait = 10 * time.Millisecond
	// maxCompared is how many existing files with the same fingerprint are compared, newest first: there may be thousands of
	// forks of one session.
	maxCompared = 64
	// maxPassed is how many are visited in search of one with the right path.
	maxPassed = 4096
	// maxDelays is how often a file waits for a known one that has lost its path but is not unlinked yet, and how often an
	// unreadable file with a checkpoint is tried.
	maxDelays = 10
)

// matcher decides which known file a path leads to.
type matcher struct {
	*index
	*scheduler
	*handles
	settings *Settings
	log      *errorlog.Log
	starts   map[fingerprint.FileID]*File // with start_at: end, files that existed at start and are not identified yet
	// restored are the files with checkpoints, until all existing files were visited; lastRun is when the latest checkpoint
	// was written, in Unix seconds.
	restored map[storedKey]*File
	lastRun  int64
}

// identify decides which file a new path leads to, by the table in the document of package tail.
func (m *matcher) identify(f *File, res reader.Result) {
	if f.state == stateLink {
		if res.ID == f.target.id {
			m.schedule(f.target)
			return
		}
		m.unlinkName(f)
	}
	if f.id != res.ID {
		m.detachLinks(f)
	}
	if f.rejected && f.id != res.ID || len(res.Head) == 0 {
		f.delays, f.rejected = 0, false // those belonged to another file
	}
	f.size, f.mtime = res.Size, res.MTime
	if f.size < f.seek {
		f.seek = 0 // it was emptied since, so all of it is new
	}
	m.stored(res)
	start := m.starts[res.ID]
	delete(m.starts, res.ID)
	switch {
	case start != nil && start != f && f.origin != originStart && start.seek > 0:
		// It existed at start under another path.
		f.origin, f.id, f.seek = originStart, start.id, start.seek
		m.schedule(f)
	case len(res.Head) == 0: // no fingerprint yet, but the known file with that inode is not here
		if known := m.ids[res.ID]; known != nil && known.pos.Offset > 0 {
			known.presentAt = ""
		}
	case len(f.claims) > 0:
		m.decide(f, res)
	case m.matchInode(f, res):
	case !f.rejected && m.matchContent(f, res):
	default:
		m.follow(f, res)
	}
}

// follow starts reading a file that is not a known one.
func (m *matcher) follow(f *File, res reader.Result) {
	f.state, f.id, f.pos, f.origin, f.seek = stateFollowing, res.ID, res.Pos, originNew, 0
	f.lastRead = time.Now()
	m.enter(f)
}

// enter indexes a file by inode and head, and schedules it.
func (m *matcher) enter(f *File) {
	m.enterID(f)
	m.heads.add(f)
	m.schedule(f)
}

// matchInode handles a known inode: the same file under another path, or an inode reused for a new file. It reports whether
// the path is identified, or will be after a delay.
func (m *matcher) matchInode(f *File, res reader.Result) bool {
	known := m.ids[res.ID]
	if known == nil || res.ID == (fingerprint.FileID{}) {
		return false
	}
	// A file and its compressed form have different inodes and unrelated sizes.
	packed := openfile.IsCompressed(f.path)
	fits := packed == openfile.IsCompressed(known.path) && known.pos.SameHead(res.Head) && (packed || res.Size >= known.pos.Offset)
	switch {
	case known.state == stateFollowing && atPath(known):
		m.detachLinks(f)
		f.state, f.target, f.origin, f.seek = stateLink, known, originNew, 0
		known.links = append(known.links, f)
		m.schedule(known)
	case known.busy():
		m.delay(f, busyWait)
	case fits && (known.stream.HasHandle() || packed || !m.surpassed(known, res)):
		m.adopt(known, f, res.ID)
	case fits: // it stays known; content matching prefers the file that was read further
		return false
	case !f.rechecked:
		// If the file was renamed while it grew, the probe may be older than the last read.
		f.rechecked = true
		m.delay(f, busyWait)
	default:
		delete(m.ids, res.ID)
		known.presentAt = ""
		m.schedule(known)
		return false
	}
	return true
}

// surpassed reports whether another known file that begins alike was read further than this one, but not beyond the size of
// the probed file. An inode that was not held open may have been reused for a copy or a longer version of that file.
func (m *matcher) surpassed(known *File, res reader.Result) bool {
	found, passed := false, 0
	m.heads.find(res.Head, func(other *File) bool {
		passed++
		found = other != known && other.pos.Offset > known.pos.Offset && other.pos.Offset <= res.Size
		return !found && passed < maxPassed
	})
	return found
}

// adopt continues a known file under the path of f.
func (m *matcher) adopt(known, f *File, id fingerprint.FileID) {
	lostLink := known.id == id && (known.lostLink || known.path != f.path)
	m.drop(f)
	m.adoptAs(known, f.path, id)
	known.lostLink, known.tombstone = lostLink, false
	m.schedule(known)
}

// adoptAs continues a known file under a path.
func (m *matcher) adoptAs(known *File, path string, id fingerprint.FileID) {
	switch known.state {
	case stateFollowing:
		if m.paths[known.path] == known {
			delete(m.paths, known.path)
			m.schedule(m.newFile(known.path)) // the old path is unlinked or leads to another file by now
		}
	case stateUnlinked:
		delete(m.unlinked, known)
	case stateRetired:
		m.retired.Remove(known.indexed.slot)
		known.indexed.slot = nil
		known.stream.ID = m.names.Take(known.stream.ID)
	}
	if known.id != id {
		m.closeHandle(known)
		m.removeID(known)
	}
	known.lostLink = false
	known.state, known.path, known.id = stateFollowing, path, id
	known.tries, known.retryAt, known.seen = 0, time.Time{}, m.scans
	known.presentAt = ""        // superseded by the state
	known.lastRead = time.Now() // not idle before the first visit
	known.size = -1             // forces a visit
	m.enterID(known)
	m.paths[path] = known
	m.disarm(known)
}

// stored applies a checkpoint that a worker found in a store that can't list its keys.
func (m *matcher) stored(res reader.Result) {
	if res.Unusable != nil {
		m.unusable(checkpoint.FilePrefix, res.Unusable)
	}
	if res.Stored != nil && m.names.Vacant(res.Stored.Stream) && m.restored[storedKey{res.Stored.Path, res.Stored.ID()}] == nil {
		m.recall(res.Stored)
	}
}

// retire closes a file and keeps it for a while, so that it is recognized if it reappears.
func (m *matcher) retire(f *File) {
	delete(m.unlinked, f)
	m.disarm(f)
	m.closeHandle(f)
	m.names.Free(f.stream.ID)
	f.state = stateRetired
	if f.pos.Offset == 0 {
		m.evict(f)
		return
	}
	f.indexed.slot = m.retired.PushBack(f)
	if m.retired.Len() > maxRetired {
		m.evict(m.retired.Remove(m.retired.Front()).(*File))
	}
}

// unlinkName separates a link from the file it led to.
func (m *matcher) unlinkName(f *File) {
	f.target.lostLink = true
	m.schedule(f.target) // so that the lost link is saved
	f.target.links = without(f.target.links, f)
	f.reset()
}

// detachLinks separates the links of a file that turned out to be another one.
func (m *matcher) detachLinks(f *File) {
	for _, name := range f.links {
		name.reset()
		m.schedule(name)
	}
	f.links = nil
}

// drop removes a path.
func (m *matcher) drop(f *File) {
	if f.target != nil {
		m.unlinkName(f)
	}
	m.detachLinks(f)
	if m.paths[f.path] == f {
		delete(m.paths, f.path)
	}
	m.disarm(f)
}
