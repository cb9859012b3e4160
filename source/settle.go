package source

import (
	"time"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/source/unpack"
)

const (
	// copyWait is how long a file that begins like one that is followed is held back: it may be the copy of a
	// copytruncate, whose original is about to be emptied.
	copyWait = time.Second
	// busyWait is how long a decision waits for a worker to bring back the file that it depends on.
	busyWait = 10 * time.Millisecond
)

// settle takes back a file from a worker and decides what it is now.
func (t *table) settle(res result) {
	f := res.file
	f.busy = false
	t.busy--
	switch res.kind {
	case jobProbe:
		if t.paths[f.path] == f { // else it was found to be another file's name meanwhile
			t.probed(f, res)
		}
	case jobRead:
		t.visited(f, res)
	case jobFinish:
		t.finished(f, res)
	case jobEvict:
		f.evict, f.lastRead = false, time.Now()
	}
	t.keep(f)
	if f.dirty {
		f.dirty = false
		t.touch(f)
	}
}

// hold leaves a file alone for a while.
func (t *table) hold(f *file, wait time.Duration) {
	f.retryAt = time.Now().Add(wait)
	t.arm(f, f.retryAt)
}

// probed decides what a path is that was looked at.
func (t *table) probed(f *file, res result) {
	switch res.outcome {
	case outcomeGone:
		if !f.dirty { // else it came back while it was looked for
			t.drop(f)
		}
	case outcomeIgnored:
		t.complainIrregular(f.path)
		if !f.dirty {
			t.drop(f)
		}
	case outcomeFailed:
		t.failed(f, res)
	case outcomeEnd:
		f.tries = 0
		t.identify(f, res)
	}
}

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
	start := t.starts[res.id]
	delete(t.starts, res.id)
	switch {
	case start != nil && start != f && !f.first:
		// It was there at start, under another path.
		f.first, f.id, f.size = true, start.id, start.size
		t.touch(f)
	case len(res.head) == 0: // nothing to tell it by yet
	case len(f.claims) > 0:
		t.decideClaim(f, res)
	case t.sameFile(f, res):
	case !f.first && !f.disowned && t.sameContent(f, res):
	default:
		t.follow(f, res)
	}
}

// follow begins to read a file that is none of those known.
func (t *table) follow(f *file, res result) {
	f.state, f.id, f.pos, f.first = stateFollowed, res.id, res.pos, false
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
	fits := known.pos.sameHead(res.head) && (res.size >= known.pos.offset || isCompressed(f.path))
	switch {
	case known.busy:
		t.hold(f, busyWait)
	case known.state == stateFollowed && under(known):
		f.state, f.target = stateAlias, known
		known.aliases = append(known.aliases, f)
		t.touch(known)
	case fits:
		t.adopt(known, f, res.id)
	case !f.rechecked:
		// The look may be older than what was read since, if the file was renamed while it grew.
		f.rechecked = true
		t.hold(f, busyWait)
	default:
		delete(t.ids, res.id)
		t.touch(known)
		return false
	}
	return true
}

// sameContent deals with a head that is known under another inode: a file that was moved to another file system or
// replaced by a longer version of itself, the copy of a copytruncate, or another file with the same beginning.
func (t *table) sameContent(f *file, res result) bool {
	alive := false
	t.heads.find(res.head, func(known *file) bool {
		switch {
		case known.busy: // there is more to it than we know
			alive = true
		case known.state == stateFollowed:
			alive = true
			if !under(known) {
				t.touch(known) // it will be found to be gone
			}
		case known.pos.offset == 0: // nothing of it was read
		case res.size >= known.pos.offset || isCompressed(f.path):
			f.claims = append(f.claims, known)
		default: // perhaps the copy is still being made
			alive = true
		}
		return len(f.claims) < 8
	})
	switch {
	case len(f.claims) > 0:
		t.touch(f) // a worker looks whether it goes on where the known one was
	case alive && !f.held:
		f.held = true
		t.hold(f, copyWait)
	default:
		return false
	}
	return true
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
	}
	if f.claims = f.claims[1:]; len(f.claims) == 0 {
		f.claims, f.disowned = nil, true
	}
	t.touch(f)
}

// adopt has a known file go on under the path of f, which was only a name for it.
func (t *table) adopt(known, f *file, id fileID) {
	t.drop(f)
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
	known.state, known.path, known.id = stateFollowed, f.path, id
	known.tries, known.retryAt, known.seen = 0, time.Time{}, t.look
	known.size = -1 // to be looked at
	if id != (fileID{}) {
		t.ids[id] = known
	}
	t.paths[f.path] = known
	t.disarm(known)
	t.touch(known)
}

// visited takes what reading came to.
func (t *table) visited(f *file, res result) {
	t.moved(f, res)
	switch res.outcome {
	case outcomeEnd:
		t.ended(f, res)
	case outcomeMore:
		f.tries = 0
		t.touch(f)
	case outcomeGone, outcomeReplaced:
		path, came := f.path, f.dirty || res.outcome == outcomeReplaced
		t.lost(f)
		if came && t.paths[path] == nil {
			t.touch(t.newFile(path))
		}
	case outcomeRewritten:
		t.rewritten(f)
	case outcomeRefused:
		t.refused(f, res.err)
	case outcomeFailed:
		t.failed(f, res)
	}
}

// moved notes the position that a worker brings back.
func (t *table) moved(f *file, res result) {
	if f.pos.headLen != res.pos.headLen {
		t.heads.remove(f)
		f.pos = res.pos
		t.heads.add(f)
	}
	f.pos = res.pos
	if res.read {
		f.lastRead, f.tries = time.Now(), 0
	}
}

// ended: all there is was read.
func (t *table) ended(f *file, res result) {
	f.size, f.mtime = res.size, res.mtime
	f.caughtUp, f.tries, f.retryAt = true, 0, time.Time{}
	delete(t.complains, f.path)
	if res.tail && !res.flush && t.settings.IdleFlush > 0 {
		f.tail = true
		t.arm(f, time.Now().Add(t.settings.IdleFlush))
	}
}

// lost: the path leads to the file no more. It goes on under another path, if it has one or is given one in time.
func (t *table) lost(f *file) {
	if t.paths[f.path] == f {
		delete(t.paths, f.path)
	}
	if len(f.aliases) > 0 {
		other := f.aliases[0]
		t.drop(other)
		f.path = other.path
		t.paths[f.path] = f
		f.size = -1
		t.touch(f)
		return
	}
	f.state, f.dirty, f.tail = stateGone, false, false
	t.gone[f] = struct{}{}
	t.hold(f, t.settings.GoneGrace)
}

// rewritten: what was read isn't there any more; what is there is another file.
func (t *table) rewritten(f *file) {
	t.forgetID(f)
	if t.paths[f.path] == f {
		delete(t.paths, f.path)
	}
	for _, other := range f.aliases {
		other.target, other.state = nil, stateNew
		t.touch(other)
	}
	f.aliases = nil
	t.bury(f)
	if t.paths[f.path] == nil {
		t.touch(t.newFile(f.path))
	}
}

// finished: a file that is gone was read to its end and closed, or not yet.
func (t *table) finished(f *file, res result) {
	t.moved(f, res)
	switch res.outcome {
	case outcomeEnd, outcomeRewritten:
		t.bury(f)
	case outcomeFailed:
		t.settings.Observer.failed(f.path, res.err, 0)
		t.complain(f.path, res.err)
		t.bury(f)
	case outcomeMore:
		t.touch(f)
	case outcomeRefused:
		t.refused(f, res.err)
	}
}

// bury keeps what is needed to recognise a file that is gone, for a while.
func (t *table) bury(f *file) {
	delete(t.gone, f)
	t.disarm(f)
	t.letGo(f)
	t.names.free(f.streamID)
	f.state, f.dirty = stateClosed, false
	if f.pos.offset == 0 {
		t.forget(f)
		return
	}
	f.slot = t.closed.PushBack(f)
	if t.closed.Len() > maxClosed {
		t.forget(t.closed.Remove(t.closed.Front()).(*file))
	}
}

// forget lets go of a file for good.
func (t *table) forget(f *file) {
	f.slot = nil
	t.heads.remove(f)
	t.forgetID(f)
}

func (t *table) forgetID(f *file) {
	if t.ids[f.id] == f {
		delete(t.ids, f.id)
	}
}

// refused: the handler did not accept.
func (t *table) refused(f *file, err error) {
	if f.tries == 0 {
		t.settings.Logger.Warn("Lines were not accepted; they are offered again", zap.String("path", f.path), zap.Error(err))
	}
	t.settings.Observer.refused(f.path, err, t.backOff(f))
}

// failed: the system did not let us read. A compressed file that is broken, or not yet written to its end, is left
// until it changes.
func (t *table) failed(f *file, res result) {
	err := res.err
	if unpack.Broken(err) {
		f.size, f.mtime = res.size, res.mtime
		t.letGo(f)
		t.settings.Observer.failed(f.path, err, 0)
	} else {
		t.settings.Observer.failed(f.path, err, t.backOff(f))
	}
	t.complain(f.path, err)
}
