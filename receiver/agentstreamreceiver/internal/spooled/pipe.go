package spooled

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/delivery"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/spool"
)

// pipe copies a FIFO or standard input into spools, one per writer. It never stops reading, whatever the consumers do. One
// goroutine copies; another reads the spools one after another.
type pipe struct {
	input
	budget *spool.Budget

	mu     sync.Mutex
	handle spool.Input // the open one
	queue  []*writer
	over   bool          // nothing more will be queued
	queued chan struct{} // queue or over changed
	closed chan struct{}
	once   sync.Once
}

// startPipe opens a pipe and resumes its spools. A FIFO need not exist yet.
func (in *Inputs) startPipe(ctx context.Context, set *config.Pipe) error {
	identity := set.Identity()
	p := &pipe{
		input: input{Inputs: in, kind: "pipe", path: set.Path, origin: Origin{
			Provider: cmp.Or(set.Provider, in.settings.Provider), Identity: pipeline.IdentityOf(&identity).With(in.settings.Identity),
		}},
		budget: spool.NewBudget(int64(in.settings.Spool.MaxSize)),
		queued: make(chan struct{}, 1), closed: make(chan struct{}),
	}
	name := "stdin"
	var err error
	if set.Path != config.StdinPath {
		if p.path, err = config.AbsolutePath(set.Path); err != nil {
			return fmt.Errorf("path %q: %w", set.Path, err)
		}
		name = filepath.Base(p.path)
	}
	p.name = zap.String("pipe", p.path)
	if p.folder, err = openFolder(in.settings.Spool.Directory, name, in.settings.Receiver.String()+"\x00"+p.path); err != nil {
		return err
	}
	p.resume(func(string) bool { return true }, func(s *spool.Spool) {
		p.budget.Use(s.Size())
		p.enqueue(&writer{pipe: p, spool: s, left: true, reason: otlp.CloseReasonNoResult})
	})
	in.pipes = append(in.pipes, p)
	in.running.Go(p.copy)
	in.running.Go(func() { p.follow(ctx) })
	if p.path != config.StdinPath {
		in.running.Go(p.watch)
	}
	return nil
}

func (p *pipe) enqueue(w *writer) {
	p.mu.Lock()
	p.queue = append(p.queue, w)
	p.mu.Unlock()
	p.notify()
}

func (p *pipe) notify() {
	select {
	case p.queued <- struct{}{}:
	default:
	}
}

// next returns the next spool to read, or nil when the pipe was closed and none is left.
func (p *pipe) next() *writer {
	for {
		p.mu.Lock()
		if len(p.queue) > 0 {
			w := p.queue[0]
			p.queue = p.queue[1:]
			p.mu.Unlock()
			return w
		}
		over := p.over
		p.mu.Unlock()
		if over {
			return nil
		}
		<-p.queued
	}
}

// follow reads the spools until the pipe is closed. When ctx ends, it keeps them.
func (p *pipe) follow(ctx context.Context) {
	for w := p.next(); w != nil; w = p.next() {
		err := w.deliver(ctx)
		p.budget.Return(w.spool.Size()) // before the file is gone, for which the next writer may wait
		p.settle(ctx, w.spool, w.spool, err)
	}
	_ = p.folder.unlock() // the end of the process would unlock it too
}

// copy copies the input into spools until the pipe is closed or its input ends.
func (p *pipe) copy() {
	defer func() {
		p.mu.Lock()
		p.over = true
		p.mu.Unlock()
		p.notify()
	}()
	for {
		in := p.openHandle()
		if in == nil || !p.read(in) {
			return
		}
	}
}

// openHandle opens the input, with retries. It returns nil if the pipe is closed first.
func (p *pipe) openHandle() spool.Input {
	logged := ""
	for {
		in, err := p.openOnce()
		if err == nil {
			p.mu.Lock()
			p.handle = in
			p.mu.Unlock()
			if p.isClosed() {
				_ = in.Close()
				return nil
			}
			p.settings.Health.Well(delivery.TroublePipe(p.path))
			return in
		}
		if err.Error() != logged {
			logged = err.Error()
			p.settings.Logger.Warn("pipe not opened, will retry; create it with mkfifo and give the collector read access",
				zap.String("path", p.path), zap.Duration("every", p.settings.PollInterval), zap.Error(err))
		}
		p.settings.Health.Trouble(delivery.TroublePipe(p.path), fmt.Errorf("pipe %q: %w", p.path, err))
		if !p.pause() {
			return nil
		}
	}
}

func (p *pipe) openOnce() (spool.Input, error) {
	if p.path == config.StdinPath {
		return spool.OpenStdin(p.settings.Stdin)
	}
	return spool.OpenFIFO(p.path)
}

// pause waits between two retries. It returns false if the pipe was closed.
func (p *pipe) pause() bool {
	timer := time.NewTimer(p.settings.PollInterval)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-p.closed:
		return false
	}
}

// pipeBytes is how much is read at once: the capacity of a pipe on Linux.
const pipeBytes = 64 << 10

// read copies the input, and reports whether to open it again.
func (p *pipe) read(in spool.Input) (again bool) {
	defer in.Close()
	buf := make([]byte, pipeBytes)
	var w *writer // the current one; nil without one
	for {
		n, err := in.Read(buf)
		if n > 0 {
			if w == nil {
				w = p.begin()
			}
			w.take(buf[:n])
		}
		switch {
		case err == nil:
			continue
		case errors.Is(err, os.ErrClosed):
			w.end(otlp.CloseReasonShutdown)
			return !p.isClosed()
		}
		w.end(otlp.CloseReasonNoResult)
		w = nil
		switch {
		case !errors.Is(err, io.EOF):
			return p.failed(in, err)
		case !in.Lasting():
			return false
		case err != io.EOF: //nolint:errorlint // a wrapped EOF: the FIFO was replaced
			return true
		}
	}
}

// failed reports a read error, and returns whether to open the input again. Standard input can't be reopened.
func (p *pipe) failed(in spool.Input, err error) (again bool) {
	err = fmt.Errorf("read pipe %q: %w", p.path, err)
	if !in.Lasting() {
		p.settings.Logger.Error("standard input failed, stopping its pipe", zap.Error(err))
		p.settings.Health.Permanent(err)
		return false
	}
	p.settings.Logger.Warn("pipe read failed, reopening it", zap.Error(err))
	p.settings.Health.Trouble(delivery.TroublePipe(p.path), err)
	return p.pause()
}

// watch reopens a FIFO that was replaced.
func (p *pipe) watch() {
	for p.pause() {
		p.mu.Lock()
		in := p.handle
		p.mu.Unlock()
		if f, ok := in.(interface{ Replaced() bool }); ok && f.Replaced() {
			in.Stop() // opening it again reports what is wrong
		}
	}
}

// close stops copying. What was copied is still read.
func (p *pipe) close() {
	p.once.Do(func() { close(p.closed) })
	p.mu.Lock()
	in := p.handle
	p.mu.Unlock()
	if in != nil {
		in.Stop()
	}
}

func (p *pipe) isClosed() bool {
	select {
	case <-p.closed:
		return true
	default:
		return false
	}
}
