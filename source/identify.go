package source

import (
	"cmp"
	"slices"
	"time"
)

const (
	// copyWait is how long a file that begins like one that is followed is held back: it may be the copy of a
	// copytruncate, whose original is about to be emptied.
	copyWait = time.Second
	// busyWait is how long a decision waits for a worker to bring back the file that it depends on.
	busyWait = 10 * time.Millisecond
	// maxLooked is how many files with the same head are looked at, the youngest first: thousands may be forks of
	// one session.
	maxLooked = 64
	// maxPassed is how many are passed in search of one whose path tells that it is the one.
	maxPassed = 4096
	// maxHeld is how often a file waits for a known one that has lost its path and is not yet found to be gone.
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
			known.present = false
		}
	case len(f.claims) > 0:
		t.decideClaim(f, res)
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
	if f.id != (fileID{}) {
		t.ids[f.id] = f
	}
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
	case known.busy:
		t.hold(f, busyWait)
	case known.state == stateFollowed && under(known):
		f.state, f.target, f.first, f.seek = stateAlias, known, false, 0
		known.aliases = append(known.aliases, f)
		t.touch(known)
	case fits && (known.handle != nil || packed || !t.surpassed(known, res)):
		left, strayed := known.path, known.strayed
		t.adopt(known, f, res.id)
		known.left, known.strayed = left, strayed || known.strayed || len(known.aliases) > 0
	case fits: // it stays known, and is asked after the one that was read further
		return !f.disowned && t.sameContent(f, res)
	case !f.rechecked:
		// The look may be older than what was read since, if the file was renamed while it grew.
		f.rechecked = true
		t.hold(f, busyWait)
	default:
		delete(t.ids, res.id)
		known.present = false
		t.touch(known)
		return false
	}
	return true
}

// surpassed tells whether another known file that begins alike was read as far as this one or further, and no further than
// what was looked at has. An inode that nobody holds open may have been given to a longer version of that one.
func (t *table) surpassed(known *file, res result) bool {
	found, passed := false, 0
	t.heads.find(res.head, func(other *file) bool {
		passed++
		found = other != known && other.pos.offset >= known.pos.offset && other.pos.offset <= res.size
		return !found && passed < maxPassed
	})
	return found
}

// sameContent deals with a head that is known under another inode: a file that was moved to another file system or
// replaced by a longer version of itself, the copy of a copytruncate, or another file with the same beginning.
func (t *table) sameContent(f *file, res result) bool {
	alive, leaving, undecided, passed, looked := false, false, false, 0, 0
	t.heads.find(res.head, func(known *file) bool {
		passed++
		named := known.path == f.path || known.left == f.path || known.id == res.id || known.strayed || known.path == plainPath(f.path)
		if looked >= maxLooked && !named {
			return passed < maxPassed
		}
		looked++
		switch {
		case known.unverified() && known != f: // the store's word, not looked into yet
			undecided = true
		case known.present && known.slot != nil && known.id != res.id:
			alive = true // it is there, under whatever path, unless it turns out to be another one by now
		case f.first && !known.restored && !known.strayed && known.left != f.path: // two that were there at start are two
		case known.busy, known.state == stateFollowed && !under(known):
			alive = true // there is more to it than we know
			if !under(known) {
				leaving = true
				t.touch(known) // it will be found to be gone
			}
		case known.state == stateFollowed:
			alive = true // if it was only copied, it may be about to be emptied
			if (known.left == f.path || known.hasStrayed()) && res.size > known.pos.offset && !isCompressed(f.path) {
				f.claims = append(f.claims, known)
			}
		case known.pos.offset == 0: // nothing of it was read
		case res.size >= known.pos.offset || isCompressed(f.path):
			f.claims = append(f.claims, known)
		default: // perhaps the copy is still being made
			alive = true
		}
		return passed < maxPassed
	})
	switch {
	case undecided:
		f.claims = nil
		t.hold(f, 10*busyWait)
	case alive && f.held == 0 || leaving && f.held < maxHeld:
		// One that is about to be found gone is waited for, for longer than one that may be emptied: it may be closer than
		// those that are gone already.
		f.claims = nil
		f.held++
		t.hold(f, copyWait)
	case len(f.claims) > 0:
		slices.SortStableFunc(f.claims, f.closer)
		t.touch(f) // a worker looks whether it goes on where the known one was
	default:
		return false
	}
	return true
}

// closer orders known files by how much it would tell that f goes on where they are: one that was read further first, since
// what was read of the other may be its beginning; else one that was at the same path.
func (f *file) closer(a, b *file) int {
	at := func(known *file) int {
		if known.path == f.path || known.path == plainPath(f.path) {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(b.pos.offset, a.pos.offset), cmp.Compare(at(a), at(b)))
}

// decideClaim takes a worker's word on whether the file goes on where a known one was.
func (t *table) decideClaim(f *file, res result) {
	known := f.claims[0]
	switch {
	case known.busy:
		t.hold(f, busyWait)
		return
	case res.claimed && (known.state == stateGone || known.slot != nil):
		f.claims = nil
		t.adopt(known, f, res.id)
		return
	case res.claimed && known.state == stateFollowed && (known.left == f.path || known.hasStrayed()):
		f.claims = nil
		t.split(known, f, res.id)
		return
	}
	if !res.claimed && res.beside != "" && f.held < 2 {
		// It may have been emptied just now, and then this is its copy.
		f.claims, f.held = nil, 2
		t.hold(f, copyWait)
		return
	}
	if f.claims = f.claims[1:]; len(f.claims) == 0 {
		f.claims, f.disowned = nil, true
	}
	t.touch(f)
}

// split has a known file that lost a name go on under the path of f, where a version of it stands that goes on where it
// was. What is left under its other names is a file of its own from now on, read up to there: its consumer is given the
// same state, so if it grows, it goes on with what it began as well.
func (t *table) split(known, f *file, id fileID) {
	known.keepState()
	rest := &file{
		path: known.path, id: known.id, pos: known.pos, size: known.size, mtime: known.mtime, atEnd: known.atEnd,
		begun: known.begun, begin: known.begin, consumerState: known.consumerState, wakeSlot: -1, lastRead: known.lastRead,
	}
	names := append([]*file(nil), known.aliases...)
	t.adopt(known, f, id)
	t.heads.add(rest)
	t.bury(rest)
	t.ids[rest.id] = rest
	for _, name := range names {
		t.unalias(name)
		t.touch(name)
	}
	known.strayed, known.left = false, ""
}

// adopt has a known file go on under the path of f, which was only a name for it.
func (t *table) adopt(known, f *file, id fileID) {
	t.drop(f)
	t.adoptAs(known, f.path, id)
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
	known.strayed, known.left = false, ""
	if known.restored && known.path != path {
		known.left, known.strayed = known.path, known.stored.names != "" // it had another name: that is the one that is left
	}
	known.state, known.path, known.id = stateFollowed, path, id
	known.tries, known.retryAt, known.seen = 0, time.Time{}, t.look
	known.present = false       // from now on its state tells
	known.lastRead = time.Now() // it is not idle for long as long as nobody has looked
	known.size = -1             // to be looked at
	if id != (fileID{}) {
		t.ids[id] = known
	}
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
