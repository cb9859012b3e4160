package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/tailspan/tailspan/spool"
)

// Process is a program that is running or has ended. See the package documentation.
type Process struct {
	settings Settings
	spool    *spool.Spool
	copier   *spool.Copier // nil if the child writes to the spool itself
	child    *child

	stderr ring // used by the goroutine that drains standard error until it is done

	mu          sync.Mutex
	stop        stop
	interrupted bool // SIGINT was forwarded
	exit        Exit
	done        chan struct{}
}

// stop is a request to end the process; the zero value means none.
type stop struct {
	kill   *time.Timer // ends the grace period
	grace  time.Time   // when the grace period ends
	reason string
}

// interruptGrace is how long the processes of an interrupted launcher may take to write their last lines and end.
const interruptGrace = time.Second

// ErrNoSpool means that the output has no place to go; the command was not started.
var ErrNoSpool = errors.New("no place for the command's output")

// Start runs the command. After an error it does not run, and nothing is left of it.
func Start(s Settings) (*Process, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	s = s.withDefaults()
	file, err := spool.Create(s.Spool)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoSpool, err)
	}
	p := &Process{settings: s, spool: file, stderr: ring{limit: s.StderrTail}, done: make(chan struct{})}
	if err := p.start(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return p, nil
}

// start creates the pipes, starts the command, and starts reading from it.
func (p *Process) start() error {
	stderr, err := newPipe()
	if err != nil {
		return err
	}
	defer stderr.closeWrite()
	command := exec.Command(p.settings.Command[0], p.settings.Command[1:]...) //nolint:gosec // to run it is what we are asked for
	command.Dir, command.Env = p.settings.Dir, p.settings.Env
	if p.settings.Stdin != nil {
		command.Stdin = p.settings.Stdin
	}
	command.Stdout, command.Stderr = p.spool.File(), stderr.write
	var stdout *pipe
	if p.settings.Pipe {
		if stdout, err = newPipe(); err != nil {
			return errors.Join(err, stderr.read.Close())
		}
		defer stdout.closeWrite()
		command.Stdout = stdout.write
		p.copier = spool.NewCopier(p.spool, p.settings.Copy)
	}
	if p.child, err = startChild(command, p.settings); err != nil {
		err = startError(command, err)
		if stdout != nil {
			err = errors.Join(err, stdout.read.Close())
		}
		return errors.Join(err, stderr.read.Close())
	}
	var readers sync.WaitGroup
	readers.Go(func() { p.drainStderr(stderr.read) })
	if stdout != nil {
		readers.Go(func() { _ = p.copier.Copy(&drain{file: stdout.read}) }) // a pipe's read fails only at its end
	} else {
		p.spool.Watch()
	}
	go p.await(time.Now(), stderr, stdout, &readers)
	return nil
}

// await records how the process that began at started has ended, and everything that it wrote until then.
func (p *Process) await(started time.Time, stderr, stdout *pipe, readers *sync.WaitGroup) {
	exit := p.child.wait()
	if exit.Signal == syscall.SIGINT { // an interrupted launcher ends before the program that it started
		p.child.empty(interruptGrace)
	}
	exit.Started, exit.At = started, time.Now()
	stderr.finish()
	if stdout != nil {
		stdout.finish()
	}
	readers.Wait()
	_ = stderr.read.Close() // we only read
	if stdout != nil {
		_ = stdout.read.Close()
		exit.Dropped = p.copier.Dropped()
	}
	p.spool.Finish()
	if lost := p.spool.Lost(); lost > 0 {
		exit.Dropped, exit.Truncated = exit.Dropped+lost, true
	}
	exit.Stderr = p.stderr.last()
	p.mu.Lock()
	exit.Stopped, exit.StopReason, exit.Interrupted = p.stop.kill != nil, p.stop.reason, p.interrupted
	grace := time.Until(p.stop.grace)
	p.mu.Unlock()
	if exit.Stopped {
		p.child.clear(grace)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stop.kill != nil {
		p.stop.kill.Stop()
	}
	p.exit = exit
	close(p.done)
}

// drainStderr forwards standard error and keeps its end. After forwarding fails, it only keeps the end.
func (p *Process) drainStderr(r *os.File) {
	to := p.settings.Stderr
	d := &drain{file: r}
	buf := make([]byte, 32<<10)
	for {
		n, err := d.Read(buf)
		p.stderr.write(buf[:n])
		if n > 0 {
			if _, failed := to.Write(buf[:n]); failed != nil {
				to = io.Discard
			}
		}
		if err != nil {
			return
		}
	}
}

// Tail returns a reader of the output from its first byte.
func (p *Process) Tail() *spool.Tail { return p.spool.Tail() }

// Spool returns the file that holds the output.
func (p *Process) Spool() *spool.Spool { return p.spool }

// Signal forwards a signal to the process group, unless the process has ended.
func (p *Process) Signal(s syscall.Signal) {
	select {
	case <-p.done:
	default:
		if s == syscall.SIGINT {
			p.mu.Lock()
			p.interrupted = true
			p.mu.Unlock()
		}
		p.child.signal(s)
	}
}

// Stop asks the process to end, by SIGTERM or another signal, and kills the rest of its group after the grace period. It does
// not wait for that; a second call only sends its signal.
func (p *Process) Stop(s syscall.Signal) { p.StopFor(s, "") }

// StopFor is Stop with a reason; the exit contains that of the first stop.
func (p *Process) StopFor(s syscall.Signal, reason string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.done:
		return
	default:
	}
	p.child.signal(s)
	if p.stop.kill != nil {
		return
	}
	p.stop = stop{
		kill: time.AfterFunc(p.settings.Grace, func() { p.Signal(syscall.SIGKILL) }), grace: time.Now().Add(p.settings.Grace), reason: reason,
	}
}

// Done returns a channel that is closed when the process has ended and all of its output is in the spool.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait waits until the process has ended and returns how.
func (p *Process) Wait() Exit {
	<-p.done
	return p.exit
}

// Close removes the spool. Call it after Wait, once everything was read.
func (p *Process) Close() error { return p.spool.Close() }
