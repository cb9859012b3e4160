package tail

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/internal/files/lines"
	"github.com/tailspan/tailspan/internal/files/openfile"
)

// turnBytes is how many bytes of one file are read before others have theirs, or one line if that is longer.
const turnBytes = 4 << 20

// reader is one worker: it visits one file at a time, with buffers that it keeps.
type reader struct {
	settings Settings
	handler  Handler
	globs    *discover.Globs
	open     openfile.Opener
	names    *streamNames
	ctx      context.Context // ends when the drain timeout is over
	stop     <-chan struct{} // closed when no new batch may be begun
	saver    *checkpoint.Saver
	dirty    *dirtySet[*file]
	split    *lines.Splitter
	lines    []Line
	head     [fingerprint.HeadSize]byte
}

// do visits a file.
func (r *reader) do(j job) result {
	res := result{job: j}
	switch j.kind {
	case jobProbe:
		r.probe(&res)
	case jobRead:
		r.read(&res)
	case jobFinish:
		r.finish(&res)
	case jobEvict:
		r.close(&res, CloseReasonIdle)
	case jobSuspend:
		r.suspend(&res, j.file.stream.suspends.retry)
	}
	if j.kind != jobProbe {
		r.save(&res)
	}
	return res
}

// finish reads the rest of an open file that is unlinked, and closes it, unless its writer may have it open too.
func (r *reader) finish(res *result) {
	f := res.file
	stillWritten := false
	if f.stream.handle != nil {
		res.named = f.hasName()
		stillWritten = res.named && res.recent
		res.flush = !stillWritten
		r.readOn(res)
	}
	switch {
	case res.outcome == outcomeEnd && stillWritten:
		res.outcome = outcomeUnlinked
	case res.outcome == outcomeEnd || res.outcome == outcomeFailed:
		r.close(res, CloseReasonUnlinked)
	}
}

// stat finds what is under the path now: outcomeEnd if it is the file of the job.
func (r *reader) stat(res *result) {
	info, err := os.Stat(res.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		res.outcome = outcomeUnlinked
	case err != nil:
		res.outcome, res.err = outcomeFailed, err
	case !info.Mode().IsRegular():
		res.outcome = outcomeReplaced
	default:
		res.size, res.mtime = info.Size(), info.ModTime().UnixNano()
		if id, ok := fingerprint.IDOf(info); ok && id != res.id {
			res.outcome = outcomeReplaced
		}
	}
}

// probe finds out what is under a path, for the manager to decide which file it is.
func (r *reader) probe(res *result) {
	info, err := os.Stat(res.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		res.outcome = outcomeUnlinked
		return
	case err == nil && !info.Mode().IsRegular():
		res.outcome = outcomeIgnored
		return
	case err == nil && r.globs.HasOwnName(res.path):
		res.outcome = outcomeLink
		return
	}
	var h openfile.Handle
	if err == nil {
		h, err = r.open(res.path)
	}
	if err == nil {
		info, err = h.Stat()
	}
	if err == nil {
		err = r.probeContent(res, h, info)
	}
	if h != nil {
		err = errors.Join(err, h.Close())
	}
	switch {
	case h == nil && errors.Is(err, fs.ErrNotExist): // it was removed between stat and open
		res.outcome = outcomeUnlinked
	case err != nil:
		res.outcome, res.err = outcomeFailed, err
	}
}

func (r *reader) probeContent(res *result, h openfile.Handle, info fs.FileInfo) error {
	res.size, res.mtime = info.Size(), info.ModTime().UnixNano()
	id, _ := fingerprint.IDOf(info)
	if id != res.id {
		res.seek = 0 // not the file that was there at start
	}
	res.id = id
	n, err := h.ReadAt(r.head[:], 0)
	if err != nil && err != io.EOF { //nolint:errorlint // io.ReaderAt's contract
		return err
	}
	res.head = append([]byte(nil), r.head[:n]...)
	if len(res.claims) > 0 {
		return r.probeClaims(res, h)
	}
	res.pos = fingerprint.Position{}
	res.pos.Extend(res.head)
	if err := r.lookup(res); err != nil || res.seek <= 0 {
		return err
	}
	var before [fingerprint.TailSize]byte
	k := min(res.seek, fingerprint.TailSize)
	n, err = h.ReadAt(before[:k], res.seek-k)
	if int64(n) < k {
		if err == io.EOF { //nolint:errorlint // io.ReaderAt's contract
			return nil // it has shrunk since: then all of it is new
		}
		return err
	}
	res.pos.Move(res.seek, before[:k])
	res.pos.Discard = before[k-1] != '\n'
	return nil
}

// lookup asks the store for the probed file, as soon as its first line is there, which is part of the stream's id. The manager
// decides whether it is that file.
func (r *reader) lookup(res *result) error {
	line, _, whole := bytes.Cut(res.head, []byte{'\n'})
	if _, walks := r.saver.Store.(Walker); walks || r.saver.Store == nil || !whole && len(res.head) < fingerprint.HeadSize {
		return nil
	}
	c, err := r.saver.Lookup(r.ctx, checkpoint.FilePrefix+streamName(res.path, line))
	if errors.Is(err, ErrNewer) || errors.Is(err, ErrOlder) || errors.Is(err, ErrBroken) {
		res.saveErr = err
		return nil
	}
	res.stored = c
	return err
}

// read continues a file: what is new under its path, or, if that is unlinked, what the open handle still has.
func (r *reader) read(res *result) {
	r.stat(res)
	under := res.outcome
	f := res.file
	switch {
	case under == outcomeFailed:
		return
	case under != outcomeEnd && f.stream.handle == nil:
		return
	case f.stream.handle == nil && !r.reopen(res):
		return
	}
	res.outcome = outcomeEnd
	if openfile.IsCompressed(res.path) {
		r.readWhole(res)
	} else {
		r.readOn(res)
	}
	if res.outcome == outcomeEnd {
		res.outcome = under
	}
}

// reopen opens the file and sees that it is the one.
func (r *reader) reopen(res *result) bool {
	h, err := r.open(res.path)
	if err == nil {
		var info fs.FileInfo
		if info, err = h.Stat(); err == nil {
			if id, ok := fingerprint.IDOf(info); ok && id != res.id {
				res.outcome, res.err = outcomeReplaced, h.Close()
				return false
			}
			res.file.stream.handle = h
			return true
		}
		err = errors.Join(err, h.Close())
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		res.outcome = outcomeUnlinked
	case errors.Is(err, openfile.ErrNotRegular):
		res.outcome = outcomeReplaced
	default:
		res.outcome, res.err = outcomeFailed, err
	}
	return false
}

// readWhole reads a compressed file, which does not grow.
func (r *reader) readWhole(res *result) {
	r.readOn(res)
	if res.outcome == outcomeEnd {
		r.close(res, CloseReasonEnd)
	}
}

// idle calls Idle at the end of the file.
func (r *reader) idle(res *result) {
	f := res.file
	if f.stream.consumer == nil || !f.stream.idleDue {
		return
	}
	if err := f.stream.consumer.Idle(r.ctx); err != nil {
		res.outcome, res.err = outcomeRefused, err
		return
	}
	f.stream.idleDue = false
}

// close closes the consumer and the file.
func (r *reader) close(res *result, reason CloseReason) {
	f := res.file
	err := f.closeHandle()
	if f.stream.consumer != nil {
		err = errors.Join(err, f.stream.consumer.Close(r.ctx, reason))
		f.keepState()
		f.stream.consumer, f.stream.phase = nil, phaseLive
		r.settings.Observer.Closed(f.path, reason)
	}
	if err != nil {
		r.settings.Observer.Failed(f.path, err, 0)
	}
}

// send delivers lines to the consumer, which is opened first if necessary.
func (r *reader) send(res *result, lines []Line) *stopped {
	if s := r.ready(res); s != nil {
		return s
	}
	f := res.file
	f.reportBehind(&r.settings.Observer, res.size-lines[0].Offset)
	if err := f.stream.consumer.Lines(r.ctx, lines); err != nil {
		return &stopped{outcomeRefused, err}
	}
	if !f.stream.begun {
		f.stream.begun, f.stream.begin = true, lines[0].Offset
	}
	f.stream.idleDue = true
	return nil
}

// ready opens the consumer, if there is none, and replays its lines.
func (r *reader) ready(res *result) *stopped {
	f := res.file
	if f.stream.consumer == nil {
		consumer, err := r.handler.Open(r.ctx, r.stream(res))
		if err != nil {
			return &stopped{outcomeRefused, err}
		}
		f.stream.consumer = consumer
		if f.stream.replayAt = f.stream.begin; r.settings.Replay && f.stream.begun && f.stream.begin < res.pos.Offset {
			f.stream.phase = phaseReplaying
		}
	}
	f.resumeConsumer()
	if f.stream.phase == phaseReplaying {
		return r.replay(res)
	}
	return nil
}

func (r *reader) stream(res *result) Stream {
	f := res.file
	if f.stream.id == "" {
		f.stream.id = r.names.name(res.path, r.firstLine(f.stream.handle))
	}
	path, id := res.path, res.id
	return Stream{
		Outside: func() bool { return discover.Outside(path, id, r.settings.Include) },
		ID:      f.stream.id, Path: res.path, Name: filepath.Base(res.path), ModTime: time.Unix(0, res.mtime),
		Compressed: openfile.IsCompressed(res.path), Offset: res.pos.Offset, State: f.stream.state, Changed: func() { r.dirty.add(f) },
	}
}

// firstLine returns a file's first line, or as much of it as a head has.
func (r *reader) firstLine(h openfile.Handle) []byte {
	n, _ := h.ReadAt(r.head[:], 0) // the read of the lines reports the error
	line, _, _ := bytes.Cut(r.head[:n], []byte{'\n'})
	return line
}

// save writes the checkpoint of a job's file, if it changed; if it is too early for that, the result says when.
func (r *reader) save(res *result) {
	f := res.file
	if r.saver.Store == nil {
		return
	}
	if f.stream.id == "" {
		if f.stream.handle == nil || res.pos.Offset == 0 {
			return
		}
		f.stream.id = r.names.name(res.path, r.firstLine(f.stream.handle))
	}
	// A rewritten file is not visited again, and its copy may continue from here after a restart.
	rewritten := res.outcome == outcomeRewritten
	res.saveIn, res.saveErr = f.save(r.ctx, r.saver, &res.job, rewritten, rewritten || res.kind != jobRead)
}

// isOver reports whether the consumer of a file that was read to its end can be closed at once: the file was written to last
// longer ago than IdleClose, and nothing is pending. If it grows all the same, its lines are replayed.
func (r *reader) isOver(res *result) bool {
	f := res.file
	if res.kind != jobRead || res.tail || !f.isOld(&r.settings, res.pos.Offset, res.mtime) {
		return false
	}
	f.keepState()
	return !f.stream.pending
}

// suspend suspends the consumer, if it agrees. After a refusal it is not asked again for a while.
func (r *reader) suspend(res *result, again time.Duration) {
	f := res.file
	c, ok := f.stream.consumer.(Suspender)
	if ok && c.Suspend() {
		f.stream.phase = phaseSuspended
		f.stream.suspends.count = min(f.stream.suspends.count+1, suspendDoublings)
		return
	}
	f.stream.suspends.next = time.Now().Add(again)
}
