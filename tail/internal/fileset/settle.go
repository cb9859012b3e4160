package fileset

import (
	"errors"
	"io"
	"time"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/internal/files/unpack"
	"github.com/tailspan/tailspan/tail/internal/reader"
)

// Done is the result of a task.
type Done struct {
	File *File
	reader.Result
}

// Settle applies the result of a worker to its file.
func (t *Set) Settle(done Done) {
	f, res := done.File, done.Result
	dirty := f.takeBack()
	t.working--
	t.packed.done(res.Path)
	switch res.Kind {
	case reader.KindProbe:
		if t.paths[f.path] == f { // otherwise it was found to be a link of another file meanwhile
			t.probed(f, res, dirty)
		}
	case reader.KindRead:
		t.visited(f, res, dirty)
	case reader.KindFinish:
		t.finished(f, res)
	case reader.KindEvict:
		if f.lastRead = res.Moved; !f.stream.HasConsumer() {
			f.lastRead = time.Now()
		}
	}
	t.keep(f)
	t.noteActive(f, res.Read)
	switch {
	case f.state == stateRetired || res.Kind == reader.KindFinish:
		f.stream.ReportBehind(&t.settings.Observer, f.path, 0)
	case res.Kind == reader.KindRead:
		f.stream.ReportBehind(&t.settings.Observer, f.path, res.Size-f.pos.Offset)
	}
	if dirty {
		t.schedule(f)
	}
}

// delay schedules a file for later.
func (s *scheduler) delay(f *File, wait time.Duration) {
	f.retryAt = time.Now().Add(wait)
	s.arm(f, f.retryAt)
}

// probed applies the result of a probe.
func (t *Set) probed(f *File, res reader.Result, dirty bool) {
	switch res.Outcome {
	case reader.OutcomeUnlinked:
		if !dirty { // otherwise it reappeared meanwhile
			t.drop(f)
		}
	case reader.OutcomeIgnored:
		t.log.Irregular(f.path)
		if !dirty {
			t.drop(f)
		}
	case reader.OutcomeLink:
		if !dirty {
			t.drop(f)
		}
	case reader.OutcomeFailed:
		t.failed(f, res)
	case reader.OutcomeEnd:
		f.tries = 0
		t.identify(f, res)
	}
}

// visited applies the result of reading.
func (t *Set) visited(f *File, res reader.Result, dirty bool) {
	t.moved(f, res)
	if res.Outcome != reader.OutcomeFailed && res.Outcome != reader.OutcomeRewritten {
		f.confirm()
	}
	switch res.Outcome {
	case reader.OutcomeEnd:
		t.ended(f, res)
	case reader.OutcomeMore:
		f.tries = 0
		t.schedule(f)
	case reader.OutcomeUnlinked, reader.OutcomeReplaced:
		path, came := f.path, dirty || res.Outcome == reader.OutcomeReplaced
		t.lost(f)
		if came && t.paths[path] == nil {
			t.schedule(t.newFile(path))
		}
	case reader.OutcomeRewritten:
		t.rewritten(f)
	case reader.OutcomeRefused:
		t.refused(f, res.Err)
	case reader.OutcomeFailed:
		t.failed(f, res)
	}
}

// moved records the position of a result.
func (t *Set) moved(f *File, res reader.Result) {
	if f.pos.HeadLen != res.Pos.HeadLen {
		t.heads.remove(f)
		f.pos = res.Pos
		t.heads.add(f)
	}
	f.pos = res.Pos
	if res.Read {
		f.lastRead, f.tries = time.Now(), 0
	}
}

// ended handles a file that was read to its end.
func (t *Set) ended(f *File, res reader.Result) {
	f.size, f.mtime = res.Size, res.MTime
	f.live, f.tries, f.retryAt = true, 0, time.Time{}
	t.log.Resolved(f.path)
	if res.Tail && !res.Flush && t.settings.Reader.IdleFlush > 0 {
		f.flushAt = time.Now().Add(t.settings.Reader.IdleFlush)
		t.arm(f, f.flushAt)
	}
}

// lost handles a path that no longer leads to its file, which continues under another path if it has one or gets one in time.
func (t *Set) lost(f *File) {
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
	f.state, f.flushAt = stateUnlinked, time.Time{}
	t.unlinked[f] = struct{}{}
	t.delay(f, t.settings.UnlinkGrace)
}

// rewritten handles changed content before the offset: the path leads to a new file.
func (t *Set) rewritten(f *File) {
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
	f.moveLinks(next) // the new file has the same links
}

// finished handles an unlinked file that was read to its end and closed, or that is not done yet.
func (t *Set) finished(f *File, res reader.Result) {
	t.moved(f, res)
	f.named = res.Named
	switch res.Outcome {
	case reader.OutcomeEnd, reader.OutcomeRewritten:
		t.retire(f)
	case reader.OutcomeFailed:
		t.settings.Observer.Failed(f.path, res.Err, 0)
		t.log.Unreadable(f.path, res.Err)
		t.retire(f)
	case reader.OutcomeMore:
		t.schedule(f)
	case reader.OutcomeUnlinked: // it still exists under a path that no pattern matches
		t.delay(f, t.settings.UnlinkGrace)
	case reader.OutcomeRefused:
		t.refused(f, res.Err)
	}
}

// refused handles lines that the consumer did not acknowledge.
func (t *Set) refused(f *File, err error) {
	if f.tries == 0 {
		t.settings.Logger.Warn("consumer refused batch, will retry", zap.String("path", f.path), zap.Error(err))
	}
	t.settings.Observer.Refused(f.path, err, t.backOff(f))
}

// failed handles an unreadable file. A compressed file that is broken or incomplete waits for its next change.
func (t *Set) failed(f *File, res reader.Result) {
	err := res.Err
	if unpack.Broken(err) {
		f.size, f.mtime = res.Size, res.MTime
		f.confirm() // it was read as far as possible
		t.closeHandle(f)
		if errors.Is(err, io.ErrUnexpectedEOF) && t.mayBeWritten(f) {
			return
		}
		t.settings.Observer.Failed(f.path, err, 0)
	} else {
		t.settings.Observer.Failed(f.path, err, t.backOff(f))
	}
	t.log.Unreadable(f.path, err)
}

// truncatedPatience is how long a compressed file that is cut off and does not change counts as being written.
const truncatedPatience = 30 * time.Second

// mayBeWritten reports whether a file that is cut off may still be being compressed, because it changed recently. It is
// checked again after truncatedPatience.
func (t *Set) mayBeWritten(f *File) bool {
	now := time.Now()
	if f.truncated == nil || f.truncated.size != f.size || f.truncated.mtime != f.mtime {
		f.truncated = &truncation{f.size, f.mtime, now}
	}
	lasting := now.Sub(f.truncated.at) >= truncatedPatience
	if !lasting {
		t.arm(f, f.truncated.at.Add(truncatedPatience))
	}
	return !lasting
}
