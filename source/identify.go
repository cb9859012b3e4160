package source

import (
	"time"

	"github.com/tailspan/tailspan/source/internal/fingerprint"
)

const (
	// copyWait is how long a file that begins like a followed one is delayed: it may be the copy of a copytruncate, whose
	// original is about to be emptied.
	copyWait = time.Second
	// busyWait is how long a decision waits for the worker that has the file on which it depends.
	busyWait = 10 * time.Millisecond
	// maxCompared is how many existing files with the same fingerprint are compared, the youngest first: thousands may be forks
	// of one session.
	maxCompared = 64
	// maxPassed is how many are visited in search of one with the right path.
	maxPassed = 4096
	// maxDelays is how often a file waits for a known one that has lost its path and is not yet unlinked, and how often an
	// unreadable file of a checkpoint is tried.
	maxDelays = 10
)

// identify decides which file is under a new path: the table of the package documentation.
func (t *table) identify(f *file, res result) {
	if f.state == stateLink {
		if res.id == f.target.id {
			t.schedule(f.target)
			return
		}
		t.unlinkName(f)
	}
	if f.id != res.id {
		t.detachLinks(f)
	}
	if f.rejected && f.id != res.id || len(res.head) == 0 {
		f.delays, f.rejected = 0, false // those were another file's
	}
	f.size, f.mtime = res.size, res.mtime
	if f.size < f.seek {
		f.seek = 0 // it was emptied since: then all of it is new
	}
	t.stored(res)
	start := t.starts[res.id]
	delete(t.starts, res.id)
	switch {
	case start != nil && start != f && !f.first && start.seek > 0:
		// It was there at start, under another path.
		f.first, f.id, f.seek = true, start.id, start.seek
		t.schedule(f)
	case len(res.head) == 0: // no fingerprint yet, but the known file of that inode is not there
		if known := t.ids[res.id]; known != nil && known.pos.Offset > 0 {
			known.presentAt = ""
		}
	case len(f.claims) > 0:
		t.decide(f, res)
	case t.matchInode(f, res):
	case !f.rejected && t.matchContent(f, res):
	default:
		t.follow(f, res)
	}
}

// follow begins to read a file that is none of those known.
func (t *table) follow(f *file, res result) {
	f.state, f.id, f.pos, f.first, f.seek = stateFollowing, res.id, res.pos, false, 0
	f.lastRead = time.Now()
	t.enter(f)
}

// enter makes a file known by what it is, and has it read.
func (t *table) enter(f *file) {
	t.enterID(f)
	t.heads.add(f)
	t.schedule(f)
}

// matchInode handles a known inode: the same file under another path, or an inode that was reused for a new file. It reports
// whether the path is identified, or will be.
func (t *table) matchInode(f *file, res result) bool {
	known := t.ids[res.id]
	if known == nil || res.id == (fingerprint.FileID{}) {
		return false
	}
	// A file and its compressed form have different inodes and unrelated sizes.
	packed := isCompressed(f.path)
	fits := packed == isCompressed(known.path) && known.pos.SameHead(res.head) && (packed || res.size >= known.pos.Offset)
	switch {
	case known.state == stateFollowing && atPath(known):
		t.detachLinks(f)
		f.state, f.target, f.first, f.seek = stateLink, known, false, 0
		known.links = append(known.links, f)
		t.schedule(known)
	case known.busy:
		t.delay(f, busyWait)
	case fits && (known.handle != nil || packed || !t.surpassed(known, res)):
		t.adopt(known, f, res.id)
	case fits: // it stays known, and is matched by content after the one that was read further
		return false
	case !f.rechecked:
		// The probe may be older than what was read since, if the file was renamed while it grew.
		f.rechecked = true
		t.delay(f, busyWait)
	default:
		delete(t.ids, res.id)
		known.presentAt = ""
		t.schedule(known)
		return false
	}
	return true
}

// surpassed reports whether another known file that begins alike was read further than this one, and no further than the
// probed file reaches. An inode that nobody holds open may have been reused for a copy or a longer version of that.
func (t *table) surpassed(known *file, res result) bool {
	found, passed := false, 0
	t.heads.find(res.head, func(other *file) bool {
		passed++
		found = other != known && other.pos.Offset > known.pos.Offset && other.pos.Offset <= res.size
		return !found && passed < maxPassed
	})
	return found
}

// adopt continues a known file under the path of f, which was only a link to it.
func (t *table) adopt(known, f *file, id fingerprint.FileID) {
	lostLink := known.id == id && (known.lostLink || known.path != f.path)
	t.drop(f)
	t.adoptAs(known, f.path, id)
	known.lostLink, known.tombstone = lostLink, false
	t.schedule(known)
}

// adoptAs continues a known file under a path.
func (t *table) adoptAs(known *file, path string, id fingerprint.FileID) {
	switch known.state {
	case stateFollowing:
		if t.paths[known.path] == known {
			delete(t.paths, known.path)
			t.schedule(t.newFile(known.path)) // unlinked, or another file by now
		}
	case stateUnlinked:
		delete(t.unlinked, known)
	case stateRetired:
		t.retired.Remove(known.slot)
		known.slot = nil
		known.streamID = t.names.take(known.streamID)
	}
	if known.id != id {
		t.closeHandle(known)
		t.removeID(known)
	}
	known.lostLink = false
	known.state, known.path, known.id = stateFollowing, path, id
	known.tries, known.retryAt, known.seen = 0, time.Time{}, t.scans
	known.presentAt = ""        // replaced by its state
	known.lastRead = time.Now() // not idle before the first visit
	known.size = -1             // to be visited
	t.enterID(known)
	t.paths[path] = known
	t.disarm(known)
}

// stored applies a checkpoint that a worker found in a store that can't list its keys.
func (t *table) stored(res result) {
	if res.saveErr != nil {
		t.unusable(checkpointPrefix, res.saveErr)
	}
	if res.stored != nil && t.names.vacant(res.stored.Stream) && t.restored[storedKey{res.stored.Path, fingerprint.FileID{Device: res.stored.Device, Inode: res.stored.Inode}}] == nil {
		t.recall(res.stored)
	}
}
