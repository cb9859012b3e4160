package source

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// turn is how many bytes of one file are read before others have theirs, or one line if that is longer.
const turn = 4 << 20

// reader is one worker: it visits one file at a time, with buffers that it keeps.
type reader struct {
	settings Settings
	handler  Handler
	globs    *globs
	open     opener
	names    *streamNames
	ctx      context.Context // ends when the handler has to give up
	stop     <-chan struct{} // closed when no new batch may be begun
	saver    *saver
	nudges   *nudges[*file]
	split    *splitter
	lines    []Line
	head     [headSize]byte
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
	case jobRest:
		r.rest(&res, j.file.restAgain)
	}
	if j.kind != jobProbe {
		r.save(&res)
	}
	return res
}

// finish reads what an open file still has whose path is gone, and closes it, unless its writer may have it open too.
func (r *reader) finish(res *result) {
	f := res.file
	goesOn := false
	if f.handle != nil {
		res.named = f.hasName()
		goesOn = res.named && res.lively
		res.flush = !goesOn
		r.readOn(res)
	}
	switch {
	case res.outcome == outcomeEnd && goesOn:
		res.outcome = outcomeGone
	case res.outcome == outcomeEnd || res.outcome == outcomeFailed:
		r.close(res, CloseReasonGone)
	}
}

// look tells what is under the path now: outcomeEnd if it is the file of the job.
func (r *reader) look(res *result) {
	info, err := os.Stat(res.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		res.outcome = outcomeGone
	case err != nil:
		res.outcome, res.err = outcomeFailed, err
	case !info.Mode().IsRegular():
		res.outcome = outcomeReplaced
	default:
		res.size, res.mtime = info.Size(), info.ModTime().UnixNano()
		if id, ok := idOf(info); ok && id != res.id {
			res.outcome = outcomeReplaced
		}
	}
}

// probe finds out what is under a path, for the manager to decide which file it is.
func (r *reader) probe(res *result) {
	info, err := os.Stat(res.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		res.outcome = outcomeGone
		return
	case err == nil && !info.Mode().IsRegular():
		res.outcome = outcomeIgnored
		return
	case err == nil && r.globs.hasOwnName(res.path):
		res.outcome = outcomeLink
		return
	}
	var h handle
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
	case h == nil && errors.Is(err, fs.ErrNotExist): // it went between the look and the opening
		res.outcome = outcomeGone
	case err != nil:
		res.outcome, res.err = outcomeFailed, err
	}
}

func (r *reader) probeContent(res *result, h handle, info fs.FileInfo) error {
	res.size, res.mtime = info.Size(), info.ModTime().UnixNano()
	id, _ := idOf(info)
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
	res.pos = position{}
	res.pos.extend(res.head)
	if err := r.lookup(res); err != nil || res.seek <= 0 {
		return err
	}
	var before [markSize]byte
	k := min(res.seek, markSize)
	n, err = h.ReadAt(before[:k], res.seek-k)
	if int64(n) < k {
		if err == io.EOF { //nolint:errorlint // io.ReaderAt's contract
			return nil // it has shrunk since: then all of it is new
		}
		return err
	}
	res.pos.move(res.seek, before[:k])
	res.pos.discard = before[k-1] != '\n'
	return nil
}

// lookup asks the store for the file that is probed, as soon as its first line tells its name. Whether it is that file
// is for the manager to find out.
func (r *reader) lookup(res *result) error {
	line, _, whole := bytes.Cut(res.head, []byte{'\n'})
	if r.saver.store == nil || !whole && len(res.head) < headSize {
		return nil
	}
	c, err := r.saver.lookup(r.ctx, streamName(res.path, line))
	if errors.Is(err, ErrNewer) || errors.Is(err, ErrBroken) {
		res.saveErr = err
		return nil
	}
	res.stored = c
	return err
}

// holdsMark tells whether the bytes before the position are those that were read.
func holdsMark(h handle, p *position) (bool, error) {
	if p.markLen == 0 {
		return true, nil
	}
	var before [markSize]byte
	k := int(p.markLen)
	whole, err := readFull(h, before[:k], p.offset-int64(k))
	return whole && hash(before[:k]) == p.mark, err
}

// read reads on in a file: what is new under its path, or, if that is gone, what the open handle still has.
func (r *reader) read(res *result) {
	r.look(res)
	under := res.outcome
	f := res.file
	switch {
	case under == outcomeFailed:
		return
	case under != outcomeEnd && f.handle == nil:
		return
	case f.handle == nil && !r.reopen(res):
		return
	}
	res.outcome = outcomeEnd
	if isCompressed(res.path) {
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
			if id, ok := idOf(info); ok && id != res.id {
				res.outcome, res.err = outcomeReplaced, h.Close()
				return false
			}
			res.file.handle = h
			return true
		}
		err = errors.Join(err, h.Close())
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		res.outcome = outcomeGone
	case errors.Is(err, errNotRegular):
		res.outcome = outcomeReplaced
	default:
		res.outcome, res.err = outcomeFailed, err
	}
	return false
}

// readWhole reads a compressed file, which ends where it ends.
func (r *reader) readWhole(res *result) {
	r.readOn(res)
	if res.outcome == outcomeEnd {
		r.close(res, CloseReasonEnd)
	}
}

// idle tells the consumer that the end was reached.
func (r *reader) idle(res *result) {
	f := res.file
	if f.consumer == nil || !f.owesIdle {
		return
	}
	if err := f.consumer.Idle(r.ctx); err != nil {
		res.outcome, res.err = outcomeRefused, err
		return
	}
	f.owesIdle = false
}

// close closes the consumer and the file.
func (r *reader) close(res *result, reason CloseReason) {
	f := res.file
	err := f.closeHandle()
	if f.consumer != nil {
		err = errors.Join(err, f.consumer.Close(r.ctx, reason))
		f.keepState()
		f.consumer, f.replaying, f.resting = nil, false, false
		r.settings.Observer.closed(f.path, reason)
	}
	if err != nil {
		r.settings.Observer.failed(f.path, err, 0)
	}
}

func (f *file) closeHandle() error {
	if f.handle == nil {
		return nil
	}
	h := f.handle
	f.handle = nil
	return h.Close()
}

// offer hands lines to the consumer, which is opened first if need be.
func (r *reader) offer(res *result, lines []Line) *stopped {
	if s := r.ready(res); s != nil {
		return s
	}
	f := res.file
	f.tellBehind(&r.settings.Observer, res.size-lines[0].Offset)
	if err := f.consumer.Lines(r.ctx, lines); err != nil {
		return &stopped{outcomeRefused, err}
	}
	if !f.begun {
		f.begun, f.begin = true, lines[0].Offset
	}
	f.owesIdle = true
	return nil
}

// ready opens the consumer, if there is none, and has it know what it knew.
func (r *reader) ready(res *result) *stopped {
	f := res.file
	if f.consumer == nil {
		consumer, err := r.handler.Open(r.ctx, r.stream(res))
		if err != nil {
			return &stopped{outcomeRefused, err}
		}
		f.consumer = consumer
		f.replaying, f.replayAt = r.settings.Replay && f.begun && f.begin < res.pos.offset, f.begin
	}
	f.wake()
	if f.replaying {
		return r.replay(res)
	}
	return nil
}

func (r *reader) stream(res *result) Stream {
	f := res.file
	if f.streamID == "" {
		f.streamID = r.names.name(res.path, r.firstLine(f.handle))
	}
	path, id := res.path, res.id
	return Stream{
		Outside: func() bool { return outside(path, id, r.settings.Include) },
		ID:      f.streamID, Path: res.path, Name: filepath.Base(res.path), ModTime: time.Unix(0, res.mtime),
		Compressed: isCompressed(res.path), Offset: res.pos.offset, State: f.consumerState, Changed: func() { r.nudges.add(f) },
	}
}

// firstLine gives a file's first line, or as much of it as a head has.
func (r *reader) firstLine(h handle) []byte {
	n, _ := h.ReadAt(r.head[:], 0) // an unreadable head is told by the read of the lines
	line, _, _ := bytes.Cut(r.head[:n], []byte{'\n'})
	return line
}
