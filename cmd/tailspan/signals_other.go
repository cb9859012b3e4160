//go:build !unix

package main

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
func (r *running) passSignals(signals <-chan os.Signal) (stop func()) {
	end := make(chan struct{})
	var passing sync.WaitGroup
	passing.Go(func() {
		for {
			select {
			case <-end:
				return
			case <-signals:
				r.process.Stop(syscall.SIGTERM)
			}
		}
	})
	return func() {
		close(end)
		passing.Wait()
	}
}
