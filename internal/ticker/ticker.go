// Package ticker runs a function at an interval.
package ticker

import (
	"context"
	"sync"
	"time"
)

// Run calls do at each interval with the time of the tick, until do fails or ctx ends.
func Run(ctx context.Context, every time.Duration, do func(now time.Time) error) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			if do(now) != nil {
				return
			}
		}
	}
}

// Start runs [Run] in a goroutine until do fails, ctx ends or stop is called. stop waits for the goroutine and cancels the
// context of do.
func Start(ctx context.Context, every time.Duration, do func(ctx context.Context, now time.Time) error) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		Run(ctx, every, func(now time.Time) error { return do(ctx, now) })
	})
	return func() {
		cancel()
		running.Wait()
	}
}
