// Command tailspan shows and exports the work of coding agents. `tailspan --help` lists its commands.
//
// Each command is an entry of the table below and one file, which declares its flags and connects these packages of
// internal:
//
//	cli, options              commands, flags, help, exit codes; groups of flags that commands share
//	input, place, streams     files, folders, globs, standard input; where agents keep sessions; one stream per input
//	show, eventjson           the readable log; events as JSON
//	execute, observer, guard  the process of run, its observer and its limits
//	verdict, summary, names   whether a run did its work, in a line and as Markdown; logs without content
//	export, otlphttp          export while run's process works; OTLP over HTTP and gRPC
//	recorded, sender          recorded sessions as spans and records, and their way to an endpoint
//	report, usage             a run as a page or as Markdown; tokens and cost of a history
//	watch                     running agents, on a screen or as lines
//	doctor, exportcheck       what would be read and sent, and why not; checks of an exported file
//	opencodetree              sessions of OpenCode before it had a database
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/execute"
)

// commands lists the commands in the order of the help. Package cli adds those about the program itself.
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
	// Otherwise a write to a closed pipe would kill the process instead of failing. The signal is caught, not ignored,
	// because the agent and its processes would inherit an ignored signal.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	std := cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	if err := checkFiles(); err != nil {
		std.Report(err.Error())
		os.Exit(cli.ExitFailure)
	}
	program := newProgram()
	program.Interrupt = execute.Interrupt
	os.Exit(program.Run(context.Background(), os.Args[1:], std))
}

func newProgram() *cli.Program {
	return &cli.Program{Name: "tailspan", Short: "show and export what coding agents do", Commands: commands}
}
