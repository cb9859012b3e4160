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

// Settings says what to run and how. The zero value of each field but Command is its default.
type Settings struct {
	// Command is the program and its arguments.
	Command []string
	// Dir is the folder it runs in; empty: ours.
	Dir string
	// Env is its whole environment; nil: ours.
	Env []string
	// Stdin is its standard input, handed over as it is; nil: none.
	Stdin *os.File
	// Terminal lets the child have the terminal that Stdin is, if it is the one that controls us and we are in its
	// foreground.
	Terminal bool
	// EndWithParent has the system kill the child when this process ends without stopping it, where the system can do
	// that (Linux). What the child has started is not killed.
	EndWithParent bool
	// Stderr is where its standard error passes on to; nil: nowhere. A writer that fails is left alone from then on.
	Stderr io.Writer
	// StderrTail is how many of the last bytes of standard error are kept.
	StderrTail int
	// Grace is the time between the signal of a stop and SIGKILL.
	Grace time.Duration
	// Spool is where the spool lies.
	Spool spool.Settings
	// Pipe makes standard output a pipe that is copied, by the rules of Copy.
	Pipe bool
	Copy spool.CopySettings
}

// Validate reports all that is wrong.
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
	return s
}
