// Command tailspan reads what coding agents write and shows it to people and programs. `tailspan --help` lists its commands.
//
// A command is one entry of the table below and one file, which declares its flags and wires the packages that do the work:
//
//	internal/cli       tables of commands, flags, help, exit codes
//	internal/options   groups of flags that commands share
//	internal/input     files, folders, globs, standard input; lines and documents
//	internal/place     where agents keep their sessions
//	internal/show      the readable log, on a terminal and elsewhere
//	internal/execute   the program of run
//	internal/export    its way to an endpoint while it works
//	internal/usage     tokens and cost of a history
//	internal/recorded  recorded sessions to spans and records
//	internal/sender    recorded sessions on their way to an endpoint
//	internal/report    a run as a page, or as Markdown
//	internal/watch     the agents that run, on a screen or as lines
//	internal/doctor    what would be read and sent, and why not
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
)

// commands are what tailspan can do, in the order of its help. Package cli adds those that are about the program itself.
var commands = []cli.Command{
	runCommand,
	renderCommand,
	eventsCommand,
	usageCommand,
	reportCommand,
	sendCommand,
	watchCommand,
	doctorCommand,
}

func main() {
	// Without this a reader that goes away kills the process instead of failing a write. The signal is caught and not
	// ignored, since an agent that is run would inherit that, and all that it runs.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program but for the process around it.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	program := cli.Program{Name: "tailspan", Short: "show and export what coding agents do", Commands: commands}
	return program.Run(context.Background(), args, cli.Streams{In: stdin, Out: stdout, Err: stderr})
}
