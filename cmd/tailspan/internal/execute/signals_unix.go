//go:build unix

package execute

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/tailspan/tailspan/process"
)

// passedOn lists the signals that the command receives too.
var passedOn = [...]os.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH,
	syscall.SIGTSTP, syscall.SIGCONT,
}

// ending lists the signals that would end us.
var ending = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// catchSignals catches signals before there is a command: a signal between its start and this call would end only us. Signals
// that our parent made us ignore stay ignored, by the command too.
func catchSignals() chan os.Signal {
	signals := make(chan os.Signal, 16)
	for _, s := range passedOn {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	return signals
}

// passOn passes a signal on to a running program.
func passOn(p *process.Process, s os.Signal) {
	switch s {
	case syscall.SIGTERM, syscall.SIGHUP:
		p.Stop(s.(syscall.Signal))
	default:
		p.Signal(s.(syscall.Signal))
	}
}
