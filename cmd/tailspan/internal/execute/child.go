package execute

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/process"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/spool"
)

// Settings configure how a program is run.
type Settings struct {
	Command []string
	// Env is its environment; nil means ours.
	Env    []string
	Stdin  io.Reader
	Stderr io.Writer
	// Grace is the time between a signal that ends the program and SIGKILL.
	Grace time.Duration
	// Pipe makes the program write to a pipe. Up to MaxSpool of its unread output is kept.
	Pipe     bool
	MaxSpool config.Size
	// Raw is a file that keeps the raw output.
	Raw string
	// Suspend stops us with the program; see [process.Settings].
	Suspend func(stop func())
	// Report shows a problem.
	Report func(problem string)
}

// Child is a running program. Signals that we receive are passed on to it until it is closed.
type Child struct {
	*process.Process
	hurry       chan struct{}
	stopPassing func()
}

// Start runs a program. If it cannot, it reports why and returns an error with the exit code of a shell.
func Start(s Settings) (*Child, error) {
	signals := catchSignals()
	settings := process.Settings{
		Command: s.Command, Env: s.Env, Stderr: s.Stderr, Grace: s.Grace, Pipe: s.Pipe, Terminal: true, Suspend: s.Suspend, EndWithParent: true,
		Spool: spool.Settings{Path: s.Raw},
		Copy: spool.CopySettings{MaxBytes: int64(s.MaxSpool), Dropping: func(reason error) {
			s.Report(fmt.Sprintf("the command's output is not kept any more: %v", reason))
		}},
	}
	settings.Stdin, _ = s.Stdin.(*os.File)
	p, err := process.Start(settings)
	if err != nil {
		signal.Stop(signals)
		return nil, startError(err, &s)
	}
	c := &Child{Process: p, hurry: make(chan struct{})}
	stop := c.passSignals(signals)
	c.stopPassing = func() {
		stop()
		go signal.Stop(signals) // it takes longer than the rest of the end, and the process usually ends now
	}
	return c, nil
}

// notExecutable lists the errors of a program that exists but cannot run, for instance because it names no interpreter.
var notExecutable = []syscall.Errno{syscall.ENOEXEC, syscall.E2BIG, syscall.EISDIR, syscall.ENOTDIR, syscall.ELOOP, syscall.ETXTBSY}

func startError(err error, s *Settings) error {
	report := s.Report
	if errors.Is(err, process.ErrNoSpool) && s.Raw != "" {
		if path := (*fs.PathError)(nil); errors.As(err, &path) {
			err = path
		}
		report(fmt.Sprintf("the command is not run: --raw %q: %v", s.Raw, err))
		return cli.ExitError{Status: cli.ExitFailure}
	}
	if errors.Is(err, process.ErrNoSpool) {
		report(fmt.Sprintf("the command is not run: %v; set TMPDIR to a folder that can be written to, or name a file by --raw", err))
		return cli.ExitError{Status: cli.ExitFailure}
	}
	report(err.Error())
	switch errno := syscall.Errno(0); {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return cli.ExitError{Status: cli.ExitNotFound}
	case errors.Is(err, fs.ErrPermission), errors.As(err, &errno) && slices.Contains(notExecutable, errno):
		return cli.ExitError{Status: cli.ExitNotExecutable}
	default:
		return cli.ExitError{Status: cli.ExitFailure}
	}
}

// passSignals passes caught signals on to the program until stop is called.
func (c *Child) passSignals(signals <-chan os.Signal) (stop func()) {
	end := make(chan struct{})
	var passing sync.WaitGroup
	passing.Go(func() {
		var once sync.Once
		for {
			select {
			case <-end:
				return
			case s := <-signals:
				c.pass(s, &once)
			}
		}
	})
	return func() {
		close(end)
		passing.Wait()
	}
}

// pass passes one signal on. After the program has ended, a signal that would end us skips the remaining work.
func (c *Child) pass(s os.Signal, once *sync.Once) {
	select {
	case <-c.Process.Done():
		if slices.Contains(ending, s) {
			once.Do(func() { close(c.hurry) })
		}
	default:
		passOn(c.Process, s)
	}
}

// Hurry returns a channel that is closed when a signal arrives after the program has ended: skip the remaining work.
func (c *Child) Hurry() <-chan struct{} { return c.hurry }

// Close removes the spool and stops passing signals.
func (c *Child) Close() error {
	defer c.stopPassing()
	return c.Process.Close()
}

// ExitOf converts the exit of a process.
func ExitOf(e process.Exit) *outcome.Exit {
	return &outcome.Exit{
		Code: max(e.Code, 0), Signal: e.SignalName(), Started: e.Started, Time: e.At, Dropped: e.Dropped, Stopped: e.Stopped, Interrupted: e.Interrupted,
		StopReason: otlp.StopReason(e.StopReason),
	}
}

// Program returns the name of a command's program.
func Program(command []string) string {
	name := command[0]
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	return name
}
