package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

const (
	// StopGrace is how long a program may take to end after the interrupt.
	StopGrace = 30 * time.Second
	// pollInterval is the pause between two checks of a running program.
	pollInterval = 50 * time.Millisecond
	// tailLines is the number of log lines that an error includes.
	tailLines = 10
)

// Process is a running program. Its log is written to a file.
type Process struct {
	name string
	cmd  *exec.Cmd
	log  string
	done chan struct{} // closed once err is set
	err  error
}

// Start starts cmd with the additional environment. stderr is written to the file log, and so is stdout unless
// cmd has one.
func Start(name string, cmd *exec.Cmd, environment []string, log string) (*Process, error) {
	f, err := os.Create(log)
	if err != nil {
		return nil, fmt.Errorf("create log of %s: %w", name, err)
	}
	defer f.Close()
	cmd.Env = append(os.Environ(), environment...)
	cmd.Stderr = f
	if cmd.Stdout == nil {
		cmd.Stdout = f
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	p := &Process{name: name, cmd: cmd, log: log, done: make(chan struct{})}
	go func() {
		p.err = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// Await calls ready until it returns true. It fails when the program ends, the time is up or ctx is done. Its error
// names what was awaited, with the last error of ready and the end of the program's log.
func (p *Process) Await(ctx context.Context, what string, limit time.Duration, ready func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not within %v", limit))
	defer cancel()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	var last error
	for {
		ok, err := ready(ctx)
		if ok {
			return nil
		}
		if err != nil && ctx.Err() == nil {
			last = err
		}
		select {
		case <-p.done:
			return fmt.Errorf("wait for %s: %s ended: %w%s", what, p.name, errors.Join(orExit0(p.err), last), p.Tail())
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w%s", what, errors.Join(context.Cause(ctx), last), p.Tail())
		case <-tick.C:
		}
	}
}

// Stop asks the program to end and waits. After grace it kills the program, which is an error.
func (p *Process) Stop(grace time.Duration) error {
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return errors.Join(fmt.Errorf("interrupt %s: %w", p.name, err), p.Kill())
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		return errors.Join(fmt.Errorf("stop %s: still there %v after the interrupt%s", p.name, grace, p.Tail()), p.Kill())
	}
	if p.err != nil {
		return fmt.Errorf("stop %s: %w%s", p.name, p.err, p.Tail())
	}
	return nil
}

// Kill kills the program and waits for its end.
func (p *Process) Kill() error {
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill %s: %w", p.name, err)
	}
	<-p.done
	return nil
}

// PID returns the program's process ID.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done returns a channel that is closed when the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Ended returns an error that says how the program ended, with the end of its log. Call it after the end.
func (p *Process) Ended() error {
	return fmt.Errorf("%s ended: %w%s", p.name, orExit0(p.err), p.Tail())
}

// Tail returns the end of the program's log, formatted for an error message.
func (p *Process) Tail() string {
	all, err := os.ReadFile(p.log)
	if err != nil || len(bytes.TrimSpace(all)) == 0 {
		return ""
	}
	lines := bytes.Split(bytes.TrimSpace(all), []byte("\n"))
	lines = lines[max(0, len(lines)-tailLines):]
	return "\n" + p.log + " ends:\n" + string(bytes.Join(lines, []byte("\n")))
}

func orExit0(err error) error {
	if err == nil {
		return errors.New("exit status 0")
	}
	return err
}
