package tail

import (
	"errors"
	"io"
	"time"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/internal/files/unpack"
	"github.com/tailspan/tailspan/tail/internal/poll"
)

// settle applies the result of a worker to its file.
func (t *table) settle(res result) {
	f := res.file
	res.dirty = f.takeBack()
	t.working--
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
	t.noteActive(f, res.read)
	switch {
	case f.state == stateRetired || res.kind == jobFinish:
		f.reportBehind(&t.settings.Observer, 0)
	case res.kind == jobRead:
		f.reportBehind(&t.settings.Observer, res.size-f.pos.Offset)
	}
	if res.dirty {
		t.schedule(f)
	}
}

// saved schedules the write of a checkpoint that could not be written yet.
func (t *table) saved(f *file, res *result) {
	if res.saveErr != nil && res.kind != jobProbe {
		t.errorLog.unsaved(res.saveErr)
	}
	if at := time.Now().Add(res.saveIn); res.saveIn > 0 && f.state == stateFollowing && (f.wakeSlot < 0 || at.Before(f.wakeAt)) {
		t.arm(f, at)
	}
}

// delay schedules a file for later.
func (s *scheduler) delay(f *file, wait time.Duration) {
	f.retryAt = time.Now().Add(wait)
	s.arm(f, f.retryAt)
}

// probed applies the result of a probe.
func (t *table) probed(f *file, res result) {
	switch res.outcome {
	case outcomeUnlinked:
		if !res.dirty { // else it came back meanwhile
			t.drop(f)
		}
	case outcomeIgnored:
		t.errorLog.irregular(f.path)
		if !res.dirty {
			t.drop(f)
		}
	case outcomeLink:
		if !res.dirty {
			t.drop(f)
		}
	case outcomeFailed:
		t.failed(f, res)
	case outcomeEnd:
		f.tries = 0
		t.identify(f, res)
	}
}

// visited applies the result of reading.
func (t *table) visited(f *file, res result) {
	t.moved(f, res)
	if res.outcome != outcomeFailed && res.outcome != outcomeRewritten {
		f.confirm()
	}
	switch res.outcome {
	case outcomeEnd:
		t.ended(f, res)
	case outcomeMore:
		f.tries = 0
		t.schedule(f)
	case outcomeUnlinked, outcomeReplaced:
		path, came := f.path, res.dirty || res.outcome == outcomeReplaced
		t.lost(f)
		if came && t.paths[path] == nil {
			t.schedule(t.newFile(path))
		}
	case outcomeRewritten:
		t.rewritten(f)
	case outcomeRefused:
		t.refused(f, res.err)
	case outcomeFailed:
		t.failed(f, res)
	}
}

// moved records the position of a result.
func (t *table) moved(f *file, res result) {
	if f.pos.HeadLen != res.pos.HeadLen {
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
	f.live, f.tries, f.retryAt = true, 0, time.Time{}
	t.errorLog.resolved(f.path)
	if res.tail && !res.flush && t.settings.IdleFlush > 0 {
		f.tail = true
		t.arm(f, time.Now().Add(t.settings.IdleFlush))
	}
}

// lost: the path leads to the file no more. The file continues under another path, if it has one or gets one in time.
func (t *table) lost(f *file) {
	if t.paths[f.path] == f {
		delete(t.paths, f.path)
	}
	if len(f.links) > 0 {
		other := f.links[0]
		t.drop(other)
		f.path, f.lostLink = other.path, true
		t.paths[f.path] = f
		f.size = -1
		t.schedule(f)
		return
	}
	f.state, f.tail = stateUnlinked, false
	t.unlinked[f] = struct{}{}
	t.delay(f, t.settings.UnlinkGrace)
}

// rewritten: the content before the offset changed; the path has another file.
func (t *table) rewritten(f *file) {
	t.removeID(f)
	if t.paths[f.path] == f {
		delete(t.paths, f.path)
	}
	t.retire(f)
	next := t.paths[f.path]
	if next == nil {
		next = t.newFile(f.path)
		t.schedule(next)
	}
	if next.state != stateNew {
		t.detachLinks(f)
		return
	}
	next.id = f.id
	f.moveLinks(next) // the new file has the same
}

// finished: an unlinked file was read to its end and closed, or not yet.
func (t *table) finished(f *file, res result) {
	t.moved(f, res)
	f.named = res.named
	switch res.outcome {
	case outcomeEnd, outcomeRewritten:
		t.retire(f)
	case outcomeFailed:
		t.settings.Observer.Failed(f.path, res.err, 0)
		t.errorLog.unreadable(f.path, res.err)
		t.retire(f)
	case outcomeMore:
		t.schedule(f)
	case outcomeUnlinked: // it still exists under a path that no pattern matches
		t.delay(f, t.settings.UnlinkGrace)
	case outcomeRefused:
		t.refused(f, res.err)
	}
}

// refused: the consumer did not take the lines.
func (t *table) refused(f *file, err error) {
	if f.tries == 0 {
		t.settings.Logger.Warn("consumer refused batch, will retry", zap.String("path", f.path), zap.Error(err))
	}
	t.settings.Observer.Refused(f.path, err, t.backOff(f))
}

// failed: the file was not readable. A compressed file that is broken, or not yet complete, waits for its next change.
func (t *table) failed(f *file, res result) {
	err := res.err
	if unpack.Broken(err) {
		f.size, f.mtime = res.size, res.mtime
		f.confirm() // it was read, as far as possible
		t.closeHandle(f)
		if errors.Is(err, io.ErrUnexpectedEOF) && t.mayBeWritten(f) {
			return
		}
		t.settings.Observer.Failed(f.path, err, 0)
	} else {
		t.settings.Observer.Failed(f.path, err, t.backOff(f))
	}
	t.errorLog.unreadable(f.path, err)
}

// mayBeWritten is true if a file that breaks off may be one that is being compressed: it changed a moment ago. It is
// looked at again when it has had its time.
func (t *table) mayBeWritten(f *file) bool {
	now := time.Now()
	if f.stream.truncated == nil || f.stream.truncated.size != f.size || f.stream.truncated.mtime != f.mtime {
		f.stream.truncated = &truncation{f.size, f.mtime, now}
	}
	lasting := now.Sub(f.stream.truncated.at) >= poll.Patience
	if !lasting {
		t.arm(f, f.stream.truncated.at.Add(poll.Patience))
	}
	return !lasting
}
