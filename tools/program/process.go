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
	// StopGrace is how long a program may take from the interrupt to its end.
	StopGrace = 30 * time.Second
	// pollInterval is the pause between two looks at a program that is at work.
	pollInterval = 50 * time.Millisecond
	// tailLines is how much of a program's log an error repeats.
	tailLines = 10
)

// Process is a program at work. Its log goes to a file.
type Process struct {
	name string
	cmd  *exec.Cmd
	log  string
	done chan struct{} // closed once err is set
	err  error
}

// Start starts cmd with the additional environment; stderr goes to the file at log, and so does stdout unless cmd
// has one.
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

// Await asks ready until it says yes. It fails when the program ends, the time is up or ctx is done, and says then what
// was waited for, with the last words of ready and of the program.
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

// Stop asks the program to end and waits; after grace it kills it, which is an error.
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

// Kill ends the program at once and waits until it has gone.
func (p *Process) Kill() error {
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill %s: %w", p.name, err)
	}
	<-p.done
	return nil
}

// PID is the program's process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Ended says how the program ended, with the end of its log. It must have.
func (p *Process) Ended() error {
	return fmt.Errorf("%s ended: %w%s", p.name, orExit0(p.err), p.Tail())
}

// Tail is the end of the program's log, set off as an addition to an error.
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
