//go:build !unix

package execute

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/tailspan/tailspan/process"
)

// ending are those that would end us.
var ending = []os.Signal{os.Interrupt}

// catchSignals has a signal wait to be passed on, before there is a command.
func catchSignals() chan os.Signal {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	return signals
}

// passOn ends the program when we are to end: these systems know no other signals.
func passOn(p *process.Process, _ os.Signal) { p.Stop(syscall.SIGTERM) }
