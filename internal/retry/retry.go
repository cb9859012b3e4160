// Package retry waits between attempts: exponentially with jitter, or for a fixed time, until a context ends.
package retry

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v7"
)

// Settings describe the waits. Each is Multiplier times as long as the one before, up to MaxInterval, give or take the part
// Randomization of it.
type Settings struct {
	InitialInterval, MaxInterval time.Duration
	Multiplier, Randomization    float64
}

// Backoff computes the waits of one operation.
type Backoff struct{ intervals backoff.ExponentialBackOff }

// New begins with the initial interval.
func New(s Settings) *Backoff {
	return &Backoff{backoff.ExponentialBackOff{
		InitialInterval: s.InitialInterval, MaxInterval: s.MaxInterval, Multiplier: s.Multiplier, RandomizationFactor: s.Randomization,
	}}
}

// Next is the next wait.
func (b *Backoff) Next() time.Duration { return b.intervals.NextBackOff() }

// Wait blocks for a time and reports whether it passed: false if ctx ended before.
func Wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Tries counts the attempts of an operation that failed in a row, in one byte, for who has thousands of operations.
type Tries uint8

// Next counts one more and returns the wait after it: first, doubled with each, most at most.
func (t *Tries) Next(first, most time.Duration) time.Duration {
	wait := first << min(*t, 20)
	if wait <= 0 || wait > most {
		wait = most
	}
	if *t < 255 {
		*t++
	}
	return wait
}
