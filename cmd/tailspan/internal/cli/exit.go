package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Exit codes of all commands.
const (
	ExitOK      = 0
	ExitFailure = 1
	ExitUsage   = 2
)

// Exit codes of a program that cannot be run, as shells use them.
const (
	ExitNotExecutable = 126
	ExitNotFound      = 127
)

// ExitCode is a row of the table of exit codes.
type ExitCode struct{ Code, Meaning string }

// ExitCodes lists all exit codes of commands.
var ExitCodes = []ExitCode{
	{"0", "it went well; also when the reader of the output goes away (`head`)"},
	{"1", "reading, writing or sending failed, or a check found a problem; `run`: a verdict of `--fail-on`, or a limit"},
	{"2", "the command was called wrongly, or a file that it names is not there (a problem for `doctor`: 1)"},
	{"126", "`run`: the program can't be executed"},
	{"127", "`run`: the program is not there"},
	{"128+N", "`run`: signal N ended the program"},
	{"others", "`run`: the exit code of the program"},
}

// ExitError ends the program with an exit code and no message.
type ExitError struct {
	Status int
	// Interrupted is true if SIGINT ended a program that the command ran, and Typed if only that program received it, from a key.
	Interrupted, Typed bool
}

func (e ExitError) Error() string { return fmt.Sprintf("exit status %d", e.Status) }

// UsageError reports a call that cannot work: wrong flags, no such file.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }
func (e UsageError) Unwrap() error { return e.Err }

// usageText formats a wrong call as one line, which refers to the help if that explains more.
func usageText(err error, program string, c *Command) string {
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return text
	case c == nil:
		return fmt.Sprintf("%s; see %s --help", text, program)
	default:
		return fmt.Sprintf("%s; see %s %s --help", text, program, c.Name)
	}
}
