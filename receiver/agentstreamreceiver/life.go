package agentstreamreceiver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/source"
	"github.com/tailspan/tailspan/source/spool"
	"github.com/tailspan/tailspan/telemetry"
)

// life is what one writer of a pipe wrote: a stream of its own, in a spool of its own. Its methods that copy do nothing on
// nil.
type life struct {
	pipe   *pipe
	spool  *spool.Spool // nil if there could be none: all is dropped
	copier *spool.Copier
	drop   string // why input is dropped; empty while it is not
	left   bool   // an earlier process wrote the spool
	kept   spoolState

	// reason is why the stream closes; set before the spool is finished, read after.
	reason telemetry.CloseReason
}

// begin makes the spool of a new writer.
func (p *pipe) begin() *life {
	l := &life{pipe: p}
	var err error
	if p.dir != "" {
		err = os.MkdirAll(p.dir, 0o700) // it may have been removed
	}
	if err == nil {
		l.spool, err = spool.Create(spool.Settings{Dir: p.dir})
	}
	if err != nil {
		l.dropping(err)
		return l
	}
	l.copier = spool.NewCopier(l.spool, spool.CopySettings{Budget: p.budget, Dropping: l.dropping})
	p.enqueue(l)
	return l
}

// take keeps input, or drops and counts it.
func (l *life) take(data []byte) {
	if l.copier == nil {
		l.pipe.receiver.meter.inputDropped(l.drop, int64(len(data)))
		return
	}
	before := l.copier.Dropped()
	l.copier.Take(data)
	if n := l.copier.Dropped() - before; n > 0 {
		l.pipe.receiver.meter.inputDropped(l.drop, n)
	} else {
		l.pipe.receiver.health.well(troublePipe(l.pipe.path))
	}
}

// Reasons why input is dropped.
const (
	dropSpoolFull   = "spool_full"
	dropDiskFull    = "disk_full"
	dropSpoolFailed = "spool_failed"
)

// dropReason is why input is dropped, and what can be done about it.
func dropReason(err error) (reason, advice string) {
	switch {
	case errors.Is(err, spool.ErrFull):
		return dropSpoolFull, "consumers take less than comes; look at why they refuse, or raise max_spool"
	case errors.Is(err, syscall.ENOSPC):
		return dropDiskFull, "make room on the disk, or set spool_directory to a folder on another one"
	default:
		return dropSpoolFailed, "make the folder writable for the collector, or set spool_directory to one that is"
	}
}

// dropping tells once that input is not kept any more.
func (l *life) dropping(err error) {
	p := l.pipe
	reason, advice := dropReason(err)
	l.drop = reason
	p.receiver.logger.Error("input of a pipe is not kept any more until its writer goes away; it is read, dropped and counted",
		zap.String("pipe", p.path), zap.String("reason", reason), zap.String("advice", advice), zap.Error(err))
	p.receiver.health.trouble(troublePipe(p.path), err)
}

// end tells that the writer is gone, or that nobody reads on.
func (l *life) end(reason telemetry.CloseReason) {
	if l == nil || l.spool == nil {
		return
	}
	if l.reason = reason; l.copier.Dropped() > 0 {
		l.reason = telemetry.CloseReasonTruncated
	}
	l.spool.Finish()
}

// handOn has consumers accept what the spool holds. What they have not accepted when ctx ends stays there.
func (l *life) handOn(ctx context.Context) {
	p, r := l.pipe, l.pipe.receiver
	err := l.hand(ctx)
	if err != nil {
		l.spool.Keep()
		r.gaveUp(ctx, err)
		then := "nobody reads it on: set spool_directory to have the next start do so"
		if p.dir != "" {
			then = "the next start reads it on"
		}
		r.logger.Error("not all of a pipe's input was accepted, it is left in its spool",
			zap.String("pipe", p.path), zap.String("path", l.spool.Path()), zap.String("then", then), zap.Error(err))
	} else {
		r.forgetPosition(ctx, l.spool)
	}
	if err := l.spool.Close(); err != nil {
		r.logger.Warn("spool of a pipe not removed", zap.String("pipe", p.path), zap.Error(err))
	}
	p.budget.Return(l.spool.Size())
}

func (l *life) hand(ctx context.Context) error {
	p, r := l.pipe, l.pipe.receiver
	set := p.set.Identity()
	s := source.Stream{ID: "pipe/" + l.spool.Name(), Path: p.path, Name: filepath.Base(p.path), State: l.kept.State}
	if l.left {
		s.ModTime = modTime(l.spool.Path())
	}
	st, err := r.newStream(s, streamOrigin{provider: r.config.providerOr(p.set.Provider), identity: identityOf(&set).With(r.identity)})
	if err != nil {
		return err
	}
	c := r.newSpooled(st, l.spool)
	c.left, c.replayed = l.left, l.kept.Position
	if p.dir != "" {
		c.store = r.storage
	}
	if err := source.Follow(ctx, l.spool.Tail(), c, r.followSettings()); err != nil {
		return errors.Join(err, c.abandon())
	}
	return c.ended(ctx, l.reason)
}

func modTime(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
