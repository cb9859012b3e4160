package main

import (
	"context"
	"sync"
	"time"

	"github.com/tailspan/tailspan/internal/ticker"
	"github.com/tailspan/tailspan/redact"
)

// ticking calls f twice per quiet time, with mu held, until stop is called.
func ticking(mu *sync.Mutex, f func()) (stop func()) {
	return repeat(context.Background(), redact.DefaultQuiet/2, func(context.Context, time.Time) error {
		mu.Lock()
		defer mu.Unlock()
		f()
		return nil
	})
}

// repeat is [ticker.Run] in a goroutine, until do fails or stop is called, which waits for the goroutine.
func repeat(ctx context.Context, every time.Duration, do func(ctx context.Context, now time.Time) error) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var repeating sync.WaitGroup
	repeating.Go(func() {
		ticker.Run(ctx, every, func(now time.Time) error { return do(ctx, now) })
	})
	return func() {
		cancel()
		repeating.Wait()
	}
}
