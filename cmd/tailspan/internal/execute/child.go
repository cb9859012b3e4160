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

// Settings say how a program is run.
type Settings struct {
	Command []string
	// Env is its environment; nil: ours.
	Env    []string
	Stdin  io.Reader
	Stderr io.Writer
	// Grace is the time between a signal that ends the program and SIGKILL.
	Grace time.Duration
	// Pipe has the program write to a pipe, of which MaxSpool is kept until it is read.
	Pipe     bool
	MaxSpool config.Size
	// Raw keeps the output in this file.
	Raw string
	// Report shows what goes wrong.
	Report func(problem string)
}

// Child is a program at work. Signals that we get are passed on to it until it is closed.
type Child struct {
	*process.Process
	hurry       chan struct{}
	stopPassing func()
}

// Start runs a program. Where that can't be, it reports why, and the error is the exit code of a shell.
func Start(s Settings) (*Child, error) {
	signals := catchSignals()
	settings := process.Settings{
		Command: s.Command, Env: s.Env, Stderr: s.Stderr, Grace: s.Grace, Pipe: s.Pipe, Terminal: true, EndWithParent: true,
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
	c.stopPassing = func() { stop(); signal.Stop(signals) }
	return c, nil
}

// notExecutable are the errors of a program that is there, such as a script that names no interpreter, or too many arguments.
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

// passSignals passes caught signals on to the program until the function that it gives is called.
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

// pass passes one signal on. When the program has ended, one that would end us has what is left to do left.
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

// Hurry is closed when a signal comes after the program has ended: what is left to do is left.
func (c *Child) Hurry() <-chan struct{} { return c.hurry }

// Close removes the spool and ends the passing of signals.
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

// Program is the name of the program of a command.
func Program(command []string) string {
	name := command[0]
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	return name
}
