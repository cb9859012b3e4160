//go:build unix

package execute

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// passedOn are the signals that the command gets too.
var passedOn = [...]os.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH,
	syscall.SIGTSTP, syscall.SIGCONT,
}

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

// passSignals passes caught signals on to the command until the function that it gives is called.
func (c *Child) passSignals(signals <-chan os.Signal) (stop func()) {
	end := make(chan struct{})
	var passing sync.WaitGroup
	passing.Go(func() {
		var once sync.Once
		for {
			select {
			case <-end:
				return
			case s := <-signals:
				c.pass(s.(syscall.Signal), &once)
			}
		}
	})
	return func() {
		close(end)
		passing.Wait()
	}
}

// pass passes one signal on. When the command has ended, one that would end us has what is left to do left.
func (c *Child) pass(s syscall.Signal, once *sync.Once) {
	select {
	case <-c.Process.Done():
		if s == syscall.SIGINT || s == syscall.SIGTERM || s == syscall.SIGHUP || s == syscall.SIGQUIT {
			once.Do(func() { close(c.hurry) })
		}
		return
	default:
	}
	switch s {
	case syscall.SIGTERM, syscall.SIGHUP:
		c.Process.Stop(s)
	case syscall.SIGTSTP: // the key, where the terminal was not handed over
		c.Process.Signal(s)
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	default:
		c.Process.Signal(s)
	}
}
