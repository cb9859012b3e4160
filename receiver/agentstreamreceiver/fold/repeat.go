package fold

import (
	"context"
	"time"
)

// Repeat calls do at each interval with the time of the tick, until do fails or ctx ends: so whoever holds streams has
// [Stream.Tick] and the like called while no line comes.
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
