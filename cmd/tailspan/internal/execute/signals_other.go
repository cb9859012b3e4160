//go:build !unix

package execute

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/tailspan/tailspan/process"
)

// ending lists the signals that would end us.
var ending = []os.Signal{os.Interrupt}

// catchSignals catches signals before there is a command, so that they can be passed on.
func catchSignals() chan os.Signal {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	return signals
}

// Interrupt does nothing: no process ends by a signal.
func Interrupt(bool) {}

// passOn ends the program when we are asked to end: these systems have no other signals.
func passOn(p *process.Process, _ os.Signal) { p.Stop(syscall.SIGTERM) }
