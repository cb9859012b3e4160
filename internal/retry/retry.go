// Package retry waits between attempts: exponentially with jitter, or for a fixed time, until a context ends.
package retry

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v7"
)

// Settings configures the waits. Each is Multiplier times as long as the one before, up to MaxInterval, and varies by up to
// Randomization times its length.
type Settings struct {
	InitialInterval, MaxInterval time.Duration
	Multiplier, Randomization    float64
}

// Backoff computes the waits of one operation.
type Backoff struct{ intervals backoff.ExponentialBackOff }

// New returns a Backoff that begins with the initial interval.
func New(s Settings) *Backoff {
	return &Backoff{backoff.ExponentialBackOff{
		InitialInterval: s.InitialInterval, MaxInterval: s.MaxInterval, Multiplier: s.Multiplier, RandomizationFactor: s.Randomization,
	}}
}

// Next returns the next wait.
func (b *Backoff) Next() time.Duration { return b.intervals.NextBackOff() }

// Wait blocks for d. It returns false if ctx ended before that.
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

// Tries counts consecutive failed attempts of an operation, in one byte for users with thousands of operations.
type Tries uint8

// Next counts one more failure and returns the wait after it: first, doubled with each failure, but at most most.
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
