package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"time"
)

const (
	// stopGrace is how long a program may take from the interrupt to its end.
	stopGrace = 30 * time.Second
	// pollInterval is the pause between two looks at a program that is at work.
	pollInterval = 50 * time.Millisecond
	// tailLines is how much of a program's log an error repeats.
	tailLines = 10
)

// process is a program at work. Its log goes to a file.
type process struct {
	name string
	cmd  *exec.Cmd
	log  string
	done chan struct{} // closed once err is set
	err  error
}

// startProcess starts cmd with the additional environment; stderr goes to the file at log, and so does stdout unless cmd
// has one.
func startProcess(name string, cmd *exec.Cmd, environment []string, log string) (*process, error) {
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
	p := &process{name: name, cmd: cmd, log: log, done: make(chan struct{})}
	go func() {
		p.err = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// await asks ready until it says yes. It fails when the program ends, the time is up or ctx is done, and says then what
// was waited for, with the last words of ready and of the program.
func (p *process) await(ctx context.Context, what string, limit time.Duration, ready func(context.Context) (bool, error)) error {
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
			return fmt.Errorf("wait for %s: %s ended: %w%s", what, p.name, errors.Join(orExit0(p.err), last), p.tail())
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w%s", what, errors.Join(context.Cause(ctx), last), p.tail())
		case <-tick.C:
		}
	}
}

// stop asks the program to end and waits; after grace it kills it, which is an error.
func (p *process) stop(grace time.Duration) error {
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return errors.Join(fmt.Errorf("interrupt %s: %w", p.name, err), p.kill())
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		return errors.Join(fmt.Errorf("stop %s: still there %v after the interrupt%s", p.name, grace, p.tail()), p.kill())
	}
	if p.err != nil {
		return fmt.Errorf("stop %s: %w%s", p.name, p.err, p.tail())
	}
	return nil
}

func (p *process) kill() error {
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill %s: %w", p.name, err)
	}
	<-p.done
	return nil
}

// tail is the end of the program's log, set off as an addition to an error.
func (p *process) tail() string {
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

// freePort asks the system for a port of the loopback device that nothing listens on, the wished one if it is free.
func freePort(wish int) (string, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(wish)))
	if err != nil && wish != 0 {
		return freePort(0)
	}
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	return port, err
}

// limitRead bounds what is read of an answer, in bytes. A trace of the samples is far below it.
func limitRead(r io.Reader) io.Reader { return io.LimitReader(r, 64<<20) }
