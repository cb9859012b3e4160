//go:build !unix

package execute

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// catchSignals has a signal wait to be passed on, before there is a command.
func catchSignals() chan os.Signal {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	return signals
}

// passSignals ends the command when we are to end: these systems know no other signals.
func (c *Child) passSignals(signals <-chan os.Signal) (stop func()) {
	end := make(chan struct{})
	var passing sync.WaitGroup
	passing.Go(func() {
		for {
			select {
			case <-end:
				return
			case <-signals:
				c.Process.Stop(syscall.SIGTERM)
			}
		}
	})
	return func() {
		close(end)
		passing.Wait()
	}
}
