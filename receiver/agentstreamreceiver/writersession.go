package agentstreamreceiver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/spool"
	"github.com/tailspan/tailspan/tail"
)

// writerSession is the input of one writer of a pipe: a stream of its own, in a spool of its own. Methods that copy do
// nothing on nil.
type writerSession struct {
	pipe   *pipe
	spool  *spool.Spool // nil if it was not created: all input is dropped
	copier *spool.Copier
	drop   string // why input is dropped; empty while it is not
	left   bool   // a previous process wrote the spool
	kept   spoolState

	// reason is why the stream closes; set before the spool is finished, read after.
	reason otlp.CloseReason
}

// begin makes the spool of a new writer.
func (p *pipe) begin() *writerSession {
	l := &writerSession{pipe: p}
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

// take stores input, or drops and counts it.
func (l *writerSession) take(data []byte) {
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

// dropReason is why input is dropped, with advice for the user.
func dropReason(err error) (reason, advice string) {
	switch {
	case errors.Is(err, spool.ErrFull):
		return dropSpoolFull, "check why consumers refuse, or raise spool::max_size"
	case errors.Is(err, syscall.ENOSPC):
		return dropDiskFull, "free disk space, or set spool::directory to a folder on another disk"
	default:
		return dropSpoolFailed, "make the folder writable for the collector, or set spool::directory to a writable one"
	}
}

// dropping logs once that input is dropped.
func (l *writerSession) dropping(err error) {
	p := l.pipe
	reason, advice := dropReason(err)
	l.drop = reason
	p.receiver.logger.Error("dropping pipe input until its writer closes it",
		zap.String("pipe", p.path), zap.String("reason", reason), zap.String("advice", advice), zap.Error(err))
	p.receiver.health.trouble(troublePipe(p.path), err)
}

// end ends the input: the writer closed the pipe, or the pipe is closed.
func (l *writerSession) end(reason otlp.CloseReason) {
	if l == nil || l.spool == nil {
		return
	}
	if l.reason = reason; l.copier.Dropped() > 0 {
		l.reason = otlp.CloseReasonTruncated
	}
	l.spool.Finish()
}

// deliver has consumers accept what the spool holds. What they have not accepted when ctx ends stays there.
func (l *writerSession) deliver(ctx context.Context) {
	p, r := l.pipe, l.pipe.receiver
	err := l.follow(ctx)
	if err != nil {
		l.spool.Keep()
		r.deliveryFailed(ctx, err)
		then := "set spool::directory so that the next start resumes it"
		if p.dir != "" {
			then = "the next start resumes it"
		}
		r.logger.Error("pipe input not fully delivered, keeping its spool",
			zap.String("pipe", p.path), zap.String("path", l.spool.Path()), zap.String("then", then), zap.Error(err))
	} else {
		r.forgetPosition(ctx, l.spool)
	}
	if err := l.spool.Close(); err != nil {
		r.logger.Warn("spool of a pipe was not removed", zap.String("pipe", p.path), zap.Error(err))
	}
	p.budget.Return(l.spool.Size())
}

func (l *writerSession) follow(ctx context.Context) error {
	p, r := l.pipe, l.pipe.receiver
	set := p.set.Identity()
	s := tail.Stream{ID: "pipe/" + l.spool.Name(), Path: p.path, Name: filepath.Base(p.path), State: l.kept.State}
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
	if err := tail.Follow(ctx, l.spool.Tail(), c, r.followSettings()); err != nil {
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
