// Package lifecycle starts a source of files once and shuts it down once.
//
// A source is new, started or stopped. Start starts its goroutines with a context that outlives the call. Shutdown asks them
// to stop, waits for running calls until the drain timeout, cancels that context, and waits for the rest.
package lifecycle

import (
	"context"
	"errors"
	"sync"
	"time"
)

type state uint8

const (
	stateNew state = iota
	stateStarted
	stateStopped
)

// Lifecycle is the state of one source. The zero value is new. It is safe for concurrent use.
type Lifecycle struct {
	mu     sync.Mutex
	state  state
	stop   chan struct{}
	cancel context.CancelFunc
}

// Start calls start, once, with ctx and with run, the context of everything that start launches. run has the values of ctx and
// ends in Shutdown, or if start fails.
func (l *Lifecycle) Start(ctx context.Context, start func(ctx, run context.Context) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state != stateNew {
		return errors.New("start source: already started or shut down")
	}
	l.state = stateStarted
	l.stop = make(chan struct{})
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l.cancel = cancel
	err := start(ctx, run)
	if err != nil {
		cancel()
	}
	return err
}

// Stop returns a channel that Shutdown closes; after that, no new batch begins.
func (l *Lifecycle) Stop() Signal { return l.stop }

// Signal is a channel that is only ever closed.
type Signal <-chan struct{}

// Closed reports whether the channel is closed.
func (s Signal) Closed() bool {
	select {
	case <-s:
		return true
	default:
		return false
	}
}

// Shutdown closes Stop and waits until wait returns, but no longer than drain and ctx allow. Then it cancels the context of
// Start, waits for the rest, and calls end. Without Start, or when called again, it does nothing.
func (l *Lifecycle) Shutdown(ctx context.Context, drain time.Duration, wait func(), end func() error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.state
	l.state = stateStopped
	if before != stateStarted {
		return nil
	}
	close(l.stop)
	done := make(chan struct{})
	go func() {
		wait()
		close(done)
	}()
	timer := time.NewTimer(drain)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-ctx.Done():
	}
	l.cancel()
	<-done
	return end()
}
