// Package ticker runs a function at an interval.
package ticker

import (
	"context"
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
