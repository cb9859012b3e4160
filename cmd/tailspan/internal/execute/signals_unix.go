//go:build unix

package execute

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/tailspan/tailspan/process"
)

// passedOn lists the signals that the command receives too.
var passedOn = [...]os.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH,
	syscall.SIGTSTP, syscall.SIGCONT,
}

// ending lists the signals that would end us.
var ending = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// catchSignals catches signals before there is a command: a signal between its start and this call would end only us. SIGHUP
// and SIGINT stay ignored, by the command too, if our parent made us ignore them; Go programs do not notice that of other signals.
func catchSignals() chan os.Signal {
	signals := make(chan os.Signal, 16)
	for _, s := range passedOn {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	return signals
}

// Interrupt ends this process by SIGINT, and with it its process group if the signal was typed and only the program received it. It
// returns if that is not possible: the system ignores the signal for the first process of a container.
func Interrupt(typed bool) {
	if os.Getpid() == 1 || signal.Ignored(syscall.SIGINT) {
		return
	}
	signal.Reset(syscall.SIGINT)
	whom := os.Getpid()
	if typed {
		whom = 0
	}
	if syscall.Kill(whom, syscall.SIGINT) == nil {
		time.Sleep(interruptPatience) // another thread may handle it
	}
}

// interruptPatience is how long a signal may take to end us.
const interruptPatience = time.Second

// passOn passes a signal on to a running program.
func passOn(p *process.Process, s os.Signal) {
	switch s {
	case syscall.SIGTERM, syscall.SIGHUP:
		p.Stop(s.(syscall.Signal))
	default:
		p.Signal(s.(syscall.Signal))
	}
}
