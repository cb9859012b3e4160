package source

import (
	"errors"
	"io"
	"time"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/source/unpack"
)

// settle takes back a file from a worker and decides what it is now.
func (t *table) settle(res result) {
	f := res.file
	f.busy = false
	t.busy--
	t.packed.done(res.job)
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
		f.lastRead = time.Now()
	}
	t.keep(f)
	t.saved(f, &res)
	t.awoke(f, res.read)
	switch {
	case f.state == stateClosed || res.kind == jobFinish:
		f.tellBehind(&t.settings.Observer, 0)
	case res.kind == jobRead:
		f.tellBehind(&t.settings.Observer, res.size-f.pos.offset)
	}
	if f.dirty {
		f.dirty = false
		t.touch(f)
	}
}

// saved comes back for a position that could not be written yet.
func (t *table) saved(f *file, res *result) {
	if res.saveErr != nil && res.kind != jobProbe {
		t.complaints.unsaved(res.saveErr)
	}
	if at := time.Now().Add(res.saveIn); res.saveIn > 0 && f.state == stateFollowed && (f.wakeSlot < 0 || at.Before(f.wakeAt)) {
		t.arm(f, at)
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
		t.complaints.irregular(f.path)
		if !f.dirty {
			t.drop(f)
		}
	case outcomeLink:
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

// visited takes what reading came to.
func (t *table) visited(f *file, res result) {
	t.moved(f, res)
	if res.outcome != outcomeFailed && res.outcome != outcomeRewritten {
		f.restored = false // it is what the store says
	}
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
	t.complaints.settled(f.path)
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
		f.path, f.strayed = other.path, true
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
	t.bury(f)
	next := t.paths[f.path]
	if next == nil {
		next = t.newFile(f.path)
		t.touch(next)
	}
	if next.state != stateNew {
		t.release(f)
		return
	}
	next.id = f.id
	f.giveNames(next) // what is written there now has the same
}

// finished: a file that is gone was read to its end and closed, or not yet.
func (t *table) finished(f *file, res result) {
	t.moved(f, res)
	f.named = res.named
	switch res.outcome {
	case outcomeEnd, outcomeRewritten:
		t.bury(f)
	case outcomeFailed:
		t.settings.Observer.failed(f.path, res.err, 0)
		t.complaints.unreadable(f.path, res.err)
		t.bury(f)
	case outcomeMore:
		t.touch(f)
	case outcomeGone: // it is there, out of sight
		t.hold(f, t.settings.GoneGrace)
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

// enterID makes a file known by its inode, where the system has inodes. Another file that had it before is no longer where it was seen.
func (t *table) enterID(f *file) {
	if f.id == (fileID{}) {
		return
	}
	if other := t.ids[f.id]; other != nil && other != f {
		other.presentAt = ""
	}
	t.ids[f.id] = f
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
		f.size, f.mtime, f.restored = res.size, res.mtime, false // it was looked into, as far as can be
		t.letGo(f)
		if errors.Is(err, io.ErrUnexpectedEOF) && t.maybeWritten(f) {
			return
		}
		t.settings.Observer.failed(f.path, err, 0)
	} else {
		t.settings.Observer.failed(f.path, err, t.backOff(f))
	}
	t.complaints.unreadable(f.path, err)
}

// maybeWritten tells that a file that breaks off may be one that is being compressed: it changed a moment ago. It is
// looked at again when it has had its time.
func (t *table) maybeWritten(f *file) bool {
	now := time.Now()
	if f.broke == nil || f.broke.size != f.size || f.broke.mtime != f.mtime {
		f.broke = &breakOff{f.size, f.mtime, now}
	}
	lasting := now.Sub(f.broke.at) >= documentPatience
	if !lasting {
		t.arm(f, f.broke.at.Add(documentPatience))
	}
	return !lasting
}
