//go:build !unix

package main

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// passSignals ends the command when we are to end: these systems know no other signals.
func (r *running) passSignals() (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
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
		signal.Stop(signals)
		close(end)
		passing.Wait()
	}
}
