package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tailspan/tailspan/spool"
)

// Defaults of [Settings].
const (
	DefaultGrace      = 10 * time.Second
	DefaultStderrTail = 8 << 10
)

// Settings configures what to run and how. The zero value of each field except Command selects its default.
type Settings struct {
	// Command is the program and its arguments.
	Command []string
	// Dir is the folder in which it runs; empty: ours.
	Dir string
	// Env is its complete environment; nil: ours.
	Env []string
	// Stdin is its standard input, passed on unchanged; nil: none.
	Stdin *os.File
	// Terminal gives the child our controlling terminal while we are in its foreground: at once if Stdin is that terminal, or else
	// when the child uses it.
	Terminal bool
	// Suspend is called when we have to stop with a child that has the terminal. It prepares for that and calls stop.
	Suspend func(stop func())
	// EndWithParent makes the system kill the child when this process ends without stopping it, on systems that can do that
	// (Linux). Processes that the child started are not killed.
	EndWithParent bool
	// Stderr is where its standard error is forwarded; nil: nowhere. A writer that fails is not used again.
	Stderr io.Writer
	// StderrTail is how many of the last bytes of standard error are kept.
	StderrTail int
	// Grace is the time between the signal of a stop and SIGKILL.
	Grace time.Duration
	// Spool is where the spool is created.
	Spool spool.Settings
	// Pipe makes standard output a pipe that is copied according to Copy.
	Pipe bool
	Copy spool.CopySettings
}

// Validate returns all errors joined.
func (s *Settings) Validate() error {
	var errs []error
	if len(s.Command) == 0 || s.Command[0] == "" {
		errs = append(errs, errors.New("command must name a program"))
	}
	if s.Grace < 0 {
		errs = append(errs, fmt.Errorf("grace must not be negative, got %s", s.Grace))
	}
	if s.StderrTail < 0 {
		errs = append(errs, fmt.Errorf("stderr_tail must not be negative, got %d", s.StderrTail))
	}
	return errors.Join(errs...)
}

func (s Settings) withDefaults() Settings {
	if s.Grace == 0 {
		s.Grace = DefaultGrace
	}
	if s.StderrTail == 0 {
		s.StderrTail = DefaultStderrTail
	}
	if s.Stderr == nil {
		s.Stderr = io.Discard
	}
	if s.Suspend == nil {
		s.Suspend = func(stop func()) { stop() }
	}
	return s
}
