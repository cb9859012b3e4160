package source

import "time"

const (
	// copyWait is how long a file that begins like one that is followed is held back: it may be the copy of a
	// copytruncate, whose original is about to be emptied.
	copyWait = time.Second
	// busyWait is how long a decision waits for a worker to bring back the file that it depends on.
	busyWait = 10 * time.Millisecond
	// maxLooked is how many files with the same head that are there are looked at, the youngest first: thousands may be
	// forks of one session.
	maxLooked = 64
	// maxPassed is how many are passed in search of one whose path tells that it is the one.
	maxPassed = 4096
	// maxHeld is how often a file waits for a known one that has lost its path and is not yet found to be gone, and how
	// often one of the store is tried that can't be read.
	maxHeld = 10
)

// identify is the table of DESIGN section 4: which file is it that stands under a new path?
func (t *table) identify(f *file, res result) {
	if f.state == stateAlias {
		if res.id == f.target.id {
			t.touch(f.target)
			return
		}
		t.unalias(f)
	}
	if f.id != res.id {
		t.release(f)
	}
	if f.disowned && f.id != res.id || len(res.head) == 0 {
		f.held, f.disowned = 0, false // that was said of another file
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
		t.touch(f)
	case len(res.head) == 0: // nothing to tell it by yet, but a known file of that number is not what is there
		if known := t.ids[res.id]; known != nil && known.pos.offset > 0 {
			known.presentAt = ""
		}
	case len(f.claims) > 0:
		t.decide(f, res)
	case t.sameFile(f, res):
	case !f.disowned && t.sameContent(f, res):
	default:
		t.follow(f, res)
	}
}

// follow begins to read a file that is none of those known.
func (t *table) follow(f *file, res result) {
	f.state, f.id, f.pos, f.first, f.seek = stateFollowed, res.id, res.pos, false, 0
	f.lastRead = time.Now()
	t.enter(f)
}

// enter makes a file known by what it is, and has it read.
func (t *table) enter(f *file) {
	t.enterID(f)
	t.heads.add(f)
	t.touch(f)
}

// sameFile deals with an inode that is known: the same file under another path, or an inode that was given to a new
// file. It says whether the path is settled, or will be.
func (t *table) sameFile(f *file, res result) bool {
	known := t.ids[res.id]
	if known == nil || res.id == (fileID{}) {
		return false
	}
	// What was compressed has another inode than what is, and the size of neither tells the other's.
	packed := isCompressed(f.path)
	fits := packed == isCompressed(known.path) && known.pos.sameHead(res.head) && (packed || res.size >= known.pos.offset)
	switch {
	case known.state == stateFollowed && under(known):
		t.release(f)
		f.state, f.target, f.first, f.seek = stateAlias, known, false, 0
		known.aliases = append(known.aliases, f)
		t.touch(known)
	case known.busy:
		t.hold(f, busyWait)
	case fits && (known.handle != nil || packed || !t.surpassed(known, res)):
		t.adopt(known, f, res.id)
	case fits: // it stays known, and is asked by its content after the one that was read further
		return false
	case !f.rechecked:
		// The look may be older than what was read since, if the file was renamed while it grew.
		f.rechecked = true
		t.hold(f, busyWait)
	default:
		delete(t.ids, res.id)
		known.presentAt = ""
		t.touch(known)
		return false
	}
	return true
}

// surpassed tells whether another known file that begins alike was read further than this one, and no further than what was
// looked at has. An inode that nobody holds open may have been given to a copy or a longer version of that.
func (t *table) surpassed(known *file, res result) bool {
	found, passed := false, 0
	t.heads.find(res.head, func(other *file) bool {
		passed++
		found = other != known && other.pos.offset > known.pos.offset && other.pos.offset <= res.size
		return !found && passed < maxPassed
	})
	return found
}

// adopt has a known file go on under the path of f, which was only a name for it.
func (t *table) adopt(known, f *file, id fileID) {
	strayed := known.id == id && (known.strayed || known.path != f.path)
	t.drop(f)
	t.adoptAs(known, f.path, id)
	known.strayed, known.ghost = strayed, false
	t.touch(known)
}

// adoptAs has a known file go on under a path.
func (t *table) adoptAs(known *file, path string, id fileID) {
	switch known.state {
	case stateFollowed:
		if t.paths[known.path] == known {
			delete(t.paths, known.path)
			t.touch(t.newFile(known.path)) // gone, or another file by now
		}
	case stateGone:
		delete(t.gone, known)
	case stateClosed:
		t.closed.Remove(known.slot)
		known.slot = nil
		known.streamID = t.names.again(known.streamID)
	}
	if known.id != id {
		t.letGo(known)
		t.forgetID(known)
	}
	known.strayed = false
	known.state, known.path, known.id = stateFollowed, path, id
	known.tries, known.retryAt, known.seen = 0, time.Time{}, t.look
	known.presentAt = ""        // from now on its state tells
	known.lastRead = time.Now() // it is not idle for long as long as nobody has looked
	known.size = -1             // to be looked at
	t.enterID(known)
	t.paths[path] = known
	t.disarm(known)
}

// stored takes in what a worker found in a store that can't tell all that it holds.
func (t *table) stored(res result) {
	if res.saveErr != nil {
		t.unusable(checkpointPrefix, res.saveErr)
	}
	if res.stored != nil && t.names.vacant(res.stored.Stream) && t.restored[storedKey{res.stored.Path, fileID{res.stored.Device, res.stored.Inode}}] == nil {
		t.recall(res.stored)
	}
}
