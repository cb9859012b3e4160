package agentstreamreceiver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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
	"github.com/tailspan/tailspan/spool"
)

// pipe copies a FIFO or standard input into spools, one per writer. It never stops reading, whatever consumers do. One
// goroutine copies, another exports the spools, one after the other.
type pipe struct {
	receiver *agentStream
	set      *config.Pipe
	path     string // absolute; "-" for standard input
	dir      string // of its spools; empty: the folder of temporary files
	budget   *spool.Budget
	unlock   func() error // nil without a folder of its own

	mu     sync.Mutex
	input  spool.Input // the open one
	queue  []*writerSession
	over   bool          // nothing more will be queued
	queued chan struct{} // queue or over changed
	closed chan struct{}
	once   sync.Once
}

// startPipes opens the pipes and resumes the spools that a previous process left. A FIFO need not exist yet.
func (r *agentStream) startPipes(ctx context.Context) error {
	for i := range r.config.Pipes {
		p, err := r.newPipe(ctx, &r.config.Pipes[i])
		if err != nil {
			return fmt.Errorf("pipes[%d]: %w", i, err)
		}
		r.pipes = append(r.pipes, p)
		r.running.Go(p.copy)
		r.running.Go(func() { p.follow(ctx) })
		if p.path != config.StdinPath {
			r.running.Go(p.watch)
		}
	}
	return nil
}

func (r *agentStream) newPipe(ctx context.Context, set *config.Pipe) (*pipe, error) {
	p := &pipe{
		receiver: r, set: set, path: set.Path, budget: spool.NewBudget(int64(r.config.Spool.MaxSize)),
		queued: make(chan struct{}, 1), closed: make(chan struct{}),
	}
	var err error
	if set.Path != config.StdinPath {
		if p.path, err = config.AbsolutePath(set.Path); err != nil {
			return nil, fmt.Errorf("path %q: %w", set.Path, err)
		}
	}
	if r.spoolDir == "" {
		return p, nil
	}
	p.dir = filepath.Join(r.spoolDir, p.folder())
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return nil, fmt.Errorf("spool::directory: %w", err)
	}
	if p.unlock, err = spool.Lock(p.dir); err != nil {
		return nil, fmt.Errorf("spool::directory: %w", err)
	}
	if err := p.resumeLeft(ctx); err != nil {
		return nil, errors.Join(err, p.unlock())
	}
	return p, nil
}

// folder is the name of the folder of its spools: the same after a restart, and used by no other pipe or receiver.
func (p *pipe) folder() string {
	name := filepath.Base(p.path)
	if p.path == config.StdinPath {
		name = "stdin"
	}
	sum := sha256.Sum256([]byte(p.receiver.id.String() + "\x00" + p.path))
	return name + "-" + hex.EncodeToString(sum[:4])
}

// resumeLeft queues the spools that a previous process left.
func (p *pipe) resumeLeft(ctx context.Context) error {
	left, err := spool.Left(p.dir)
	if err != nil {
		return fmt.Errorf("spool::directory: %w", err)
	}
	for _, path := range left {
		s, err := spool.Open(path)
		if err != nil {
			p.receiver.logger.Error("skipping unreadable spool left by a previous process", zap.String("path", path), zap.Error(err))
			continue
		}
		p.budget.Use(s.Size())
		p.receiver.logger.Info("resuming spool left by a previous process", zap.String("pipe", p.path), zap.String("path", path))
		p.enqueue(&writerSession{pipe: p, spool: s, left: true, reason: otlp.CloseReasonNoResult, kept: p.receiver.positionOf(ctx, s)})
	}
	return nil
}

func (p *pipe) enqueue(l *writerSession) {
	p.mu.Lock()
	p.queue = append(p.queue, l)
	p.mu.Unlock()
	p.notify()
}

func (p *pipe) notify() {
	select {
	case p.queued <- struct{}{}:
	default:
	}
}

// next returns the next spool to export; nil when the pipe was closed and none is left.
func (p *pipe) next() *writerSession {
	for {
		p.mu.Lock()
		if len(p.queue) > 0 {
			l := p.queue[0]
			p.queue = p.queue[1:]
			p.mu.Unlock()
			return l
		}
		over := p.over
		p.mu.Unlock()
		if over {
			return nil
		}
		<-p.queued
	}
}

// follow exports the spools until the pipe is closed. When ctx ends it keeps them.
func (p *pipe) follow(ctx context.Context) {
	for l := p.next(); l != nil; l = p.next() {
		l.deliver(ctx)
	}
	if p.unlock != nil {
		_ = p.unlock() // the process's end would do the same
	}
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
		in := p.open()
		if in == nil || !p.read(in) {
			return
		}
	}
}

// open opens the input, with retries; nil when the pipe is closed before.
func (p *pipe) open() spool.Input {
	logged := ""
	for {
		in, err := p.receiver.openInput(p.path)
		if err == nil {
			p.mu.Lock()
			p.input = in
			p.mu.Unlock()
			if p.isClosed() {
				_ = in.Close()
				return nil
			}
			p.receiver.health.well(troublePipe(p.path))
			return in
		}
		if err.Error() != logged {
			logged = err.Error()
			p.receiver.logger.Warn("pipe not opened, will retry; create it with mkfifo and let the collector read it",
				zap.String("path", p.path), zap.Duration("every", p.receiver.config.Stream.PollInterval), zap.Error(err))
		}
		p.receiver.health.trouble(troublePipe(p.path), fmt.Errorf("pipe %q: %w", p.path, err))
		if !p.pause() {
			return nil
		}
	}
}

// pause waits between two retries; false when the pipe was closed.
func (p *pipe) pause() bool {
	timer := time.NewTimer(p.receiver.config.Stream.PollInterval)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-p.closed:
		return false
	}
}

// pipeBytes is how much is read at once: what a pipe holds on Linux.
const pipeBytes = 64 << 10

// read copies the input, and reports whether to open it again.
func (p *pipe) read(in spool.Input) (again bool) {
	defer in.Close()
	buf := make([]byte, pipeBytes)
	var l *writerSession // of the current writer; nil without one
	for {
		n, err := in.Read(buf)
		if n > 0 {
			if l == nil {
				l = p.begin()
			}
			l.take(buf[:n])
		}
		switch {
		case err == nil:
			continue
		case errors.Is(err, os.ErrClosed):
			l.end(otlp.CloseReasonShutdown)
			return !p.isClosed()
		}
		l.end(otlp.CloseReasonNoResult)
		l = nil
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

// failed reports a read error, and whether to open the input again. Standard input can't be reopened.
func (p *pipe) failed(in spool.Input, err error) (again bool) {
	err = fmt.Errorf("read pipe %q: %w", p.path, err)
	if !in.Lasting() {
		p.receiver.logger.Error("standard input failed, stopping its pipe", zap.Error(err))
		p.receiver.health.permanent(err)
		return false
	}
	p.receiver.logger.Warn("pipe read failed, reopening it", zap.Error(err))
	p.receiver.health.trouble(troublePipe(p.path), err)
	return p.pause()
}

// watch reopens a FIFO that was replaced.
func (p *pipe) watch() {
	for p.pause() {
		p.mu.Lock()
		f, ok := p.input.(interface{ Replaced() bool })
		in := p.input
		p.mu.Unlock()
		if ok && f.Replaced() {
			in.Stop() // opening it again reports what is wrong
		}
	}
}

// close ends the copying. What was copied is still exported.
func (p *pipe) close() {
	p.once.Do(func() { close(p.closed) })
	p.mu.Lock()
	in := p.input
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

// openPipe opens a FIFO, or standard input.
func (r *agentStream) openPipe(path string) (spool.Input, error) {
	if path == config.StdinPath {
		return spool.OpenStdin(r.stdin)
	}
	return spool.OpenFIFO(path)
}

// closePipes ends the copying of all pipes.
func (r *agentStream) closePipes() {
	for _, p := range r.pipes {
		p.close()
	}
}
