package process

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/tailspan/tailspan/spool"
)

// Process is a program at work, or one that has ended. See the package documentation.
type Process struct {
	settings Settings
	spool    *spool.Spool
	copier   *spool.Copier // nil if the spool is the child's own
	child    *child

	stderr ring // of the goroutine that drains standard error, until done

	mu          sync.Mutex
	stop        stop
	interrupted bool // SIGINT was forwarded
	exit        Exit
	done        chan struct{}
}

// stop is that a process was asked to end; the zero value if it was not.
type stop struct {
	kill   *time.Timer // ends the grace
	grace  time.Time   // when that is
	reason string
}

// interruptGrace bounds how long what an interrupted process started may take to write its last lines and end.
const interruptGrace = time.Second

// ErrNoSpool: there is no place for the output; the command was not tried.
var ErrNoSpool = errors.New("no place for the command's output")

// Start runs the command. An error means that it does not run and that nothing is left of it.
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

// start makes the pipes, runs the command, and what reads from it.
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
		err = startError(p.settings.Command[0], err)
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

// await takes in how the process ended that began at started, and all that it wrote until then.
func (p *Process) await(started time.Time, stderr, stdout *pipe, readers *sync.WaitGroup) {
	exit := p.child.wait()
	if exit.Signal == syscall.SIGINT { // a launcher that was interrupted with the program that it started, which ends in its own time
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

// drainStderr passes on what comes, and keeps its end. When it can't be passed on any more it is only kept.
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

// Spool is the file that the output goes through.
func (p *Process) Spool() *spool.Spool { return p.spool }

// Signal passes a signal on to the group of the process. A process that has ended gets none.
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

// Stop asks the process to end, by SIGTERM or another signal, and kills what is left of its group after the grace. It
// does not wait for that; a second call only sends its signal.
func (p *Process) Stop(s syscall.Signal) { p.StopFor(s, "") }

// StopFor is Stop for a reason, which the exit has: that of the first stop.
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

// Done is closed when the process has ended and all that it wrote is in the spool.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait returns how the process ended, once it has.
func (p *Process) Wait() Exit {
	<-p.done
	return p.exit
}

// Close removes the spool. It is called after Wait, when all has been read.
func (p *Process) Close() error { return p.spool.Close() }

// startError says why a program does not start. Of a program with blanks in its name, likely a line for a shell, it shows
// the first word: behind it may be a secret.
func startError(program string, err error) error {
	var missing *exec.Error
	var path *fs.PathError
	switch {
	case errors.As(err, &missing):
		err = missing.Err
	case errors.As(err, &path):
		err = path.Err
	}
	if words := strings.Fields(program); len(words) > 1 {
		program = words[0] + " ..."
	}
	return fmt.Errorf("start %q: %w", program, err)
}
