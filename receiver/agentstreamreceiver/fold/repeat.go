package fold

import (
	"context"
	"time"
)

// Repeat calls do at each interval with the time of the tick, until do fails or ctx ends: [Stream.Tick] and [Stream.Quiet]
// must be called while no line arrives.
func Repeat(ctx context.Context, every time.Duration, do func(now time.Time) error) {
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
