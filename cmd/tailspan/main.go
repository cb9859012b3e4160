// Command tailspan reads what coding agents write and shows it to people and programs.
//
//	tailspan run [--otlp URL] -- COMMAND...            run an agent, show what it does, and export it
//	tailspan events [--provider P] [--redact] FILE|-   one JSON object per event, last a summary
//	tailspan render [--mode M] [--style S] FILE|-      the readable log; on a terminal, live, with a status line
//	tailspan send --otlp URL FILE...                   export recorded sessions, and what run could not send
//	tailspan doctor [FILE|DIR|GLOB...]                 what would be read, from where, and why not
//	tailspan doctor --otlp FILE...                     check an export of spans and records
//
// run exits as its command exits. The others exit 0 when all went well, 2 when it was called wrongly or a file is not there, 1 when reading or writing failed.
// A reader that goes away (`tailspan events x | head`) is a normal end.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/tailspan/tailspan/render"
)

// Exit codes.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

const usage = `usage: tailspan COMMAND [flags] ...

commands:
  run -- AGENT...       run an agent, show what it does and export it
  render FILE           print the readable log; FILE may be - for standard input
  events FILE           print one JSON object per event, last a summary
  send FILE...          export recorded sessions, and what run could not send
  doctor [FILE...]      report what would be read, from where, and why not
  doctor --otlp FILE... check an export

"tailspan --version" prints the version. Run "tailspan COMMAND --help" for a command's flags.
`

// usageError is a call that can't work: wrong flags, no such file.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func main() {
	// Without this a reader that goes away kills the process instead of failing a write. The signal is caught and not
	// ignored, since an agent that is run would inherit that, and all that it runs.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program but for the process around it.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(stderr, usage)
		return exitUsage
	}
	var err error
	switch args[0] {
	case "run":
		err = runRun(args[1:], stdin, stdout, stderr)
	case "events":
		err = runEvents(args[1:], stdin, stdout, stderr)
	case "render":
		err = runRender(args[1:], stdin, stdout, stderr)
	case "send":
		err = runSend(args[1:], stderr)
	case "doctor":
		err = runDoctor(args[1:], stdout, stderr)
	case "version", "--version":
		fmt.Fprintln(stdout, "tailspan", version())
		return exitOK
	case "help", "--help", "-h":
		fmt.Fprint(stdout, usage)
		return exitOK
	default:
		err = usageError{fmt.Errorf("command %q is not known, want run, events, render, send or doctor", args[0])}
	}
	return exitCode(err, stderr)
}

func exitCode(err error, stderr io.Writer) int {
	if child := (childExitError{}); errors.As(err, &child) {
		return child.status
	}
	switch {
	case err == nil, errors.Is(err, errHelp), errors.Is(err, syscall.EPIPE):
		return exitOK
	}
	// It may show what a file, or an endpoint, says.
	fmt.Fprintf(stderr, "tailspan: %s\n", render.Sanitize(err.Error()))
	if errors.As(err, &usageError{}) {
		return exitUsage
	}
	return exitError
}

// version is that of the module, as the go command built it; "(devel)" for a build from a working folder.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
