package reader

import (
	"context"
	"errors"
	"fmt"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/internal/files/stream"
)

// phase is what a consumer has received.
type phase uint8

const (
	phaseLive      phase = iota // all acknowledged lines
	phaseReplaying              // acknowledged lines have to be replayed
	phaseSuspended              // it released its state; its lines have to be replayed before the next one
)

// Open is the stream of a file: its consumer, its handle, and the progress of a replay. Only the current owner of the file
// uses it: a worker during its visit, the Set otherwise.
type Open struct {
	// ID is the stream ID. It is empty until a consumer is opened or the checkpoint is saved.
	ID string
	// Dirty is called, from any goroutine, when the consumer changes its state without a line.
	Dirty func()

	consumer stream.Consumer
	handle   openfile.Handle
	phase    phase
	behind   int64                  // unacknowledged bytes, as last reported
	stored   *checkpoint.Checkpoint // what the store has or will have; nil: nothing
	begin    int64                  // where the first acknowledged line begins, if begun
	replayAt int64                  // offset where the replay continues
	state    []byte                 // the consumer's last state
	pending  bool                   // the consumer has pending output that needs no further line
	idleDue  bool                   // lines were acknowledged and Idle was not called yet
	begun    bool                   // a line was acknowledged
	atEnd    bool                   // nothing followed the offset
	suspends suspension
}

// Restore returns the stream of a checkpoint; it is not open.
func Restore(c *checkpoint.Checkpoint) Open {
	return Open{
		ID: c.Stream, begin: c.Begin, begun: c.Begin < c.Offset, atEnd: c.AtEnd, state: c.State, pending: c.Pending, stored: c,
	}
}

// Leftover returns the stream of a file that another file continues and that is separate from now on. Its consumer receives
// the same state.
func (o *Open) Leftover() Open {
	o.keepState()
	return Open{begun: o.begun, begin: o.begin, atEnd: o.atEnd, state: o.state}
}

// Stored returns what the store has or will have of the stream, or nil.
func (o *Open) Stored() *checkpoint.Checkpoint { return o.stored }

// IsComplete reports whether all of a file was acknowledged, its size and time equal those of its checkpoint, and no output is
// pending.
func (o *Open) IsComplete(size, mtime int64) bool {
	return size == o.stored.Size && mtime == o.stored.MTime && o.atEnd && !o.pending
}

// IsActive reports whether a consumer is open and not suspended.
func (o *Open) IsActive() bool { return o.consumer != nil && o.phase != phaseSuspended }

// HasConsumer reports whether a consumer is open.
func (o *Open) HasConsumer() bool { return o.consumer != nil }

// HasHandle reports whether the file is open.
func (o *Open) HasHandle() bool { return o.handle != nil }

// CloseHandle closes the file, if it is open.
func (o *Open) CloseHandle() error {
	if o.handle == nil {
		return nil
	}
	h := o.handle
	o.handle = nil
	return h.Close()
}

// HasName reports whether some path leads to the open file.
func (o *Open) HasName() bool {
	if o.handle == nil {
		return false
	}
	info, err := o.handle.Stat()
	return err == nil && fingerprint.HasLink(info)
}

// close closes handle and consumer.
func (o *Open) close(ctx context.Context, reason stream.CloseReason) (closed bool, err error) {
	err = o.CloseHandle()
	if o.consumer == nil {
		return false, err
	}
	err = errors.Join(err, o.consumer.Close(ctx, reason))
	o.keepState()
	o.consumer, o.phase = nil, phaseLive
	return true, err
}

// Shutdown closes the handle and consumer of the job's file as the source stops, and saves the last checkpoint.
func Shutdown(ctx context.Context, j *Job, saver *checkpoint.Saver, observer *stream.Observer) error {
	o := j.Open
	var errs []error
	if err := o.CloseHandle(); err != nil {
		errs = append(errs, fmt.Errorf("close file: %w", err))
	}
	consumer := o.consumer
	if consumer != nil {
		if err := consumer.Close(ctx, stream.CloseReasonShutdown); err != nil {
			errs = append(errs, fmt.Errorf("close stream of %q: %w", j.Path, err))
		}
		observer.Closed(j.Path, stream.CloseReasonShutdown)
	}
	o.save(saver, j, false)
	o.consumer = nil
	return errors.Join(errs...)
}

// save saves a file's checkpoint, as of a job, with the present state of its consumer.
func (o *Open) save(saver *checkpoint.Saver, j *Job, rewritten bool) {
	if saver.Store == nil || o.ID == "" || j.Pos.Offset == 0 {
		return
	}
	o.keepState()
	c := checkpoint.Checkpoint{Stream: o.ID, Path: j.Path, Links: j.Links, File: checkpoint.FileOf(&j.Pos), Pending: o.pending, State: o.state}
	c.Size, c.MTime, c.LostLink, c.AtEnd, c.Begin = j.Size, j.MTime, j.LostLink, o.atEnd, j.Pos.Offset
	if !rewritten { // otherwise another file has the inode now
		c.Device, c.Inode = j.ID.Device, j.ID.Inode
	}
	if o.begun {
		c.Begin = o.begin
	}
	if !openfile.IsCompressed(j.Path) {
		c.Size = max(c.Size, c.Offset)
	}
	o.stored = saver.Save(o.stored, &c)
}

// ReportBehind reports how many bytes are unacknowledged, if that changed. The size of compressed content is unknown.
func (o *Open) ReportBehind(to *stream.Observer, path string, behind int64) {
	behind = max(0, behind)
	if behind == o.behind || o.ID == "" || openfile.IsCompressed(path) {
		return
	}
	o.behind = behind
	to.Behind(o.ID, behind)
}

// keepState asks the consumer for its state, except during a replay, when the state is incomplete.
func (o *Open) keepState() {
	if s, ok := o.consumer.(stream.Stateful); ok && o.phase != phaseReplaying {
		o.state, o.pending = s.State()
	}
}
