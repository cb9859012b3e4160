package reader

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/internal/files/lifecycle"
	"github.com/tailspan/tailspan/internal/files/lines"
	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/internal/files/stream"
)

// turnBytes is how much of one file is read before other files have their turn; a single longer line is read whole.
const turnBytes = 4 << 20

// Reader is one worker. It visits one file at a time.
type Reader struct {
	Shared
	splitters splitters
	split     *lines.Splitter // of the current visit
	lines     []stream.Line
	head      [fingerprint.HeadSize]byte
}

// Shared is what the readers of a source share.
type Shared struct {
	Settings *Settings
	Handler  stream.Handler
	Globs    *discover.Globs
	Opener   openfile.Opener
	Names    *stream.Names
	Saver    *checkpoint.Saver
	Buffers  Buffers
	// InFlight bounds the bytes that all readers may have read and not delivered: a few large batches, or many small ones.
	InFlight *semaphore.Weighted
	// Context ends when the drain timeout expires. Stop is closed when no new batch may begin.
	Context context.Context //nolint:containedctx // that of all visits
	Stop    lifecycle.Signal
}

// New returns a reader.
func New(s Shared) *Reader {
	return &Reader{Shared: s, splitters: s.Buffers.splitters(s.Settings.MaxLineSize)}
}

// Do visits a file.
func (r *Reader) Do(j Job) Result {
	res := Result{Job: j}
	switch j.Kind {
	case KindProbe:
		r.probe(&res)
	case KindRead:
		r.read(&res)
	case KindFinish:
		r.finish(&res)
	case KindEvict:
		if res.Moved = stream.MovedOf(j.Open.consumer); time.Since(res.Moved) >= r.Settings.IdleClose {
			r.close(&res, stream.CloseReasonIdle)
		}
	case KindSuspend:
		j.Open.suspend(j.Again)
	}
	if j.Kind != KindProbe {
		r.save(&res)
	}
	return res
}

// finish reads the rest of an open unlinked file and closes it, unless its writer may still have it open.
func (r *Reader) finish(res *Result) {
	stillWritten := false
	if res.Open.handle != nil {
		res.Named = res.Open.HasName()
		stillWritten = res.Named && res.Recent
		res.Flush = !stillWritten
		r.readOn(res)
	}
	switch {
	case res.Outcome == OutcomeEnd && stillWritten:
		res.Outcome = OutcomeUnlinked
	case res.Outcome == OutcomeEnd || res.Outcome == OutcomeFailed:
		r.close(res, stream.CloseReasonUnlinked)
	}
}

// stat examines what the path leads to now. The outcome is OutcomeEnd if it is the file of the job.
func (r *Reader) stat(res *Result) {
	info, err := os.Stat(res.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		res.Outcome = OutcomeUnlinked
	case err != nil:
		res.Outcome, res.Err = OutcomeFailed, err
	case !info.Mode().IsRegular():
		res.Outcome = OutcomeReplaced
	default:
		res.Size, res.MTime = info.Size(), info.ModTime().UnixNano()
		if id, ok := fingerprint.IDOf(info); ok && id != res.ID {
			res.Outcome = OutcomeReplaced
		}
	}
}

// read continues a file: it reads what is new at its path or, if that is unlinked, what the open handle still has.
func (r *Reader) read(res *Result) {
	r.stat(res)
	under := res.Outcome
	o := res.Open
	switch {
	case under == OutcomeFailed:
		return
	case under != OutcomeEnd && o.handle == nil:
		return
	case o.handle == nil && !r.reopen(res):
		return
	}
	res.Outcome = OutcomeEnd
	if openfile.IsCompressed(res.Path) {
		r.readWhole(res)
	} else {
		r.readOn(res)
	}
	if res.Outcome == OutcomeEnd {
		res.Outcome = under
	}
}

// reopen opens the file and reports whether it is the file of the job.
func (r *Reader) reopen(res *Result) bool {
	h, err := r.Opener(res.Path)
	if err == nil {
		var info fs.FileInfo
		if info, err = h.Stat(); err == nil {
			if id, ok := fingerprint.IDOf(info); ok && id != res.ID {
				res.Outcome, res.Err = OutcomeReplaced, h.Close()
				return false
			}
			res.Open.handle = h
			return true
		}
		err = errors.Join(err, h.Close())
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		res.Outcome = OutcomeUnlinked
	case errors.Is(err, openfile.ErrNotRegular):
		res.Outcome = OutcomeReplaced
	default:
		res.Outcome, res.Err = OutcomeFailed, err
	}
	return false
}

// readWhole reads a compressed file, which does not grow.
func (r *Reader) readWhole(res *Result) {
	r.readOn(res)
	if res.Outcome == OutcomeEnd {
		r.close(res, stream.CloseReasonEnd)
	}
}

// idle calls Idle at the end of the file.
func (r *Reader) idle(res *Result) {
	o := res.Open
	if o.consumer == nil || !o.idleDue {
		return
	}
	if res.Read {
		r.save(res) // the end may wait for long
	}
	if err := o.consumer.Idle(r.Context); err != nil {
		res.Outcome, res.Err = OutcomeRefused, err
		return
	}
	o.idleDue = false
}

// close closes the consumer and the file.
func (r *Reader) close(res *Result, reason stream.CloseReason) {
	closed, err := res.Open.close(r.Context, reason)
	if closed {
		r.Settings.Observer.Closed(res.Path, reason)
	}
	if err != nil {
		r.Settings.Observer.Failed(res.Path, err, 0)
	}
}

// send delivers lines to the consumer, opening it first if necessary.
func (r *Reader) send(res *Result, lines []stream.Line, last bool) *stopped {
	if s := r.ready(res); s != nil {
		return s
	}
	o := res.Open
	o.ReportBehind(&r.Settings.Observer, res.Path, res.Size-lines[0].Offset)
	var ended bool
	var err error
	if finisher, ok := o.consumer.(stream.Finisher); ok && last {
		ended, err = finisher.LastLines(r.Context, lines)
	} else {
		err = o.consumer.Lines(r.Context, lines)
	}
	if err != nil {
		return &stopped{OutcomeRefused, err}
	}
	if !o.begun {
		o.begun, o.begin = true, lines[0].Offset
	}
	o.idleDue = !ended
	return nil
}

// ready opens the consumer, if there is none, and replays its lines.
func (r *Reader) ready(res *Result) *stopped {
	o := res.Open
	if o.consumer == nil {
		consumer, err := r.Handler.Open(r.Context, r.stream(res))
		if err != nil {
			return &stopped{OutcomeRefused, err}
		}
		o.consumer = consumer
		if o.replayAt = o.begin; r.Settings.Replay && o.begun && o.begin < res.Pos.Offset {
			o.phase = phaseReplaying
		}
	}
	o.resume()
	if o.phase == phaseReplaying {
		return r.replay(res)
	}
	return nil
}

func (r *Reader) stream(res *Result) stream.Stream {
	o := res.Open
	if o.ID == "" {
		o.ID = r.Names.Name(res.Path, r.firstLine(o.handle))
	}
	path, id := res.Path, res.ID
	s := stream.Stream{
		Outside: func() bool { return discover.Outside(path, id, r.Settings.Include) },
		ID:      o.ID, Path: res.Path, Name: filepath.Base(res.Path), ModTime: time.Unix(0, res.MTime),
		Compressed: openfile.IsCompressed(res.Path), Offset: res.Pos.Offset, State: o.state, Changed: o.Dirty,
	}
	if r.Saver.Store != nil {
		s.Checkpoint = r.Saver.Entry(checkpoint.FilePrefix + o.ID)
	}
	return s
}

// firstLine returns a file's first line, truncated to the size of a head.
func (r *Reader) firstLine(h openfile.Handle) []byte {
	n, _ := h.ReadAt(r.head[:], 0) // reading the lines reports the error
	line, _, _ := bytes.Cut(r.head[:n], []byte{'\n'})
	return line
}

// save saves the checkpoint of a job's file if it changed.
func (r *Reader) save(res *Result) {
	o := res.Open
	if r.Saver.Store == nil {
		return
	}
	if o.ID == "" {
		if o.handle == nil || res.Pos.Offset == 0 {
			return
		}
		o.ID = r.Names.Name(res.Path, r.firstLine(o.handle))
	}
	o.save(r.Saver, &res.Job, res.Outcome == OutcomeRewritten)
}

// isOver reports whether the consumer of a file that was read to its end can be closed at once, because nothing is pending and
// the last write is older than IdleClose. If the file grows after all, its lines are replayed.
func (r *Reader) isOver(res *Result) bool {
	o := res.Open
	if res.Kind != KindRead || res.Tail || !o.isOld(r.Settings, res.Path, res.Pos.Offset, res.MTime) {
		return false
	}
	o.keepState()
	return !o.pending
}
