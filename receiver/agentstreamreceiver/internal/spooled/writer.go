package spooled

import (
	"context"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/delivery"
	"github.com/tailspan/tailspan/spool"
)

// writer is the input of one writer of a pipe, with a separate stream and spool. Methods that copy do nothing on nil.
type writer struct {
	pipe   *pipe
	spool  *spool.Spool // nil if it could not be created: all input is dropped
	copier *spool.Copier
	drop   string // why input is dropped; empty if it is not
	left   bool   // a previous process wrote the spool

	// reason is why the stream closes. It is set before the spool is finished, and read after that.
	reason otlp.CloseReason
}

// begin creates the spool of a new writer.
func (p *pipe) begin() *writer {
	w := &writer{pipe: p}
	err := p.folder.make()
	if err == nil {
		w.spool, err = spool.Create(spool.Settings{Dir: p.folder.dir})
	}
	if err != nil {
		w.dropping(err)
		return w
	}
	w.copier = spool.NewCopier(w.spool, spool.CopySettings{Budget: p.budget, Dropping: w.dropping})
	p.enqueue(w)
	return w
}

// take stores input, or drops and counts it.
func (w *writer) take(data []byte) {
	s := &w.pipe.settings
	if w.copier == nil {
		s.Meter.InputDropped(w.drop, int64(len(data)))
		return
	}
	before := w.copier.Dropped()
	w.copier.Take(data)
	if n := w.copier.Dropped() - before; n > 0 {
		s.Meter.InputDropped(w.drop, n)
	} else {
		s.Health.Well(delivery.TroublePipe(w.pipe.path))
	}
}

// dropping logs once that input is dropped.
func (w *writer) dropping(err error) {
	p := w.pipe
	reason, advice := dropReason(err)
	w.drop = reason
	p.settings.Logger.Error("dropping pipe input until its writer closes it",
		p.name, zap.String("reason", reason), zap.String("advice", advice), zap.Error(err))
	p.settings.Health.Trouble(delivery.TroublePipe(p.path), err)
}

// end ends the input because the writer closed the pipe, or the pipe is closed.
func (w *writer) end(reason otlp.CloseReason) {
	if w == nil || w.spool == nil {
		return
	}
	if w.reason = reason; w.copier.Dropped() > 0 {
		w.reason = otlp.CloseReasonTruncated
	}
	w.spool.Finish()
}

// deliver delivers the content of the spool to the consumers. What is not acknowledged when ctx ends stays in the spool.
func (w *writer) deliver(ctx context.Context) error {
	r, err := w.pipe.open(ctx, w.spool, w.left)
	if err != nil {
		return err
	}
	return r.deliver(ctx, w.spool.Tail(), func() error { return r.End(ctx, w.reason) })
}
