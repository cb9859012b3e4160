//go:build unix

package execute

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/tailspan/tailspan/process"
)

// passedOn are the signals that the command gets too.
var passedOn = [...]os.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH,
	syscall.SIGTSTP, syscall.SIGCONT,
}

// ending are those that would end us.
var ending = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// catchSignals has signals wait to be passed on, before there is a command: one that came between its start and this
// would end us and leave it alone. What whoever started us has us ignore stays ignored, by the command as well.
func catchSignals() chan os.Signal {
	signals := make(chan os.Signal, 16)
	for _, s := range passedOn {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	return signals
}

// passOn passes a signal on to a program that runs.
func passOn(p *process.Process, s os.Signal) {
	switch s {
	case syscall.SIGTERM, syscall.SIGHUP:
		p.Stop(s.(syscall.Signal))
	case syscall.SIGTSTP: // the key, where the terminal was not handed over
		p.Signal(syscall.SIGTSTP)
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	default:
		p.Signal(s.(syscall.Signal))
	}
}
