package replay

import (
	"context"
	"io"
	"strings"
	"time"
)

// Pace says how fast [Play] writes.
type Pace struct {
	// Pause is the time before a line that has no time of its own.
	Pause time.Duration
	// Longest is the longest time between two lines; longer gaps of the recording are shortened to it. 0: none is.
	Longest time.Duration
}

// Play writes a session line by line: it moves the first time of the recording to now, gives it the ids of seed, and waits
// before each line as long as the recording did. It ends early with the error of ctx or of out.
func Play(ctx context.Context, out io.Writer, recording, seed string, pace Pace) error {
	stamp := Stamp{Seed: seed}
	begin, _, ok := Times(recording)
	if ok {
		stamp.Shift = time.Since(begin)
	}
	previous, paused := begin, time.Duration(0)
	for line := range strings.Lines(recording) {
		wait := pace.Pause
		if at, _, ok := Times(line); ok {
			wait = max(0, at.Sub(previous)-paused)
			paused = 0
			if pace.Longest > 0 && wait > pace.Longest {
				// The rest of the recording moves forward by what is left out here.
				stamp.Shift -= wait - pace.Longest
				wait = pace.Longest
			}
			if at.After(previous) {
				previous = at
			}
		} else {
			paused += wait
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
		if !strings.HasSuffix(line, "\n") {
			line += "\n"
		}
		if _, err := out.Write([]byte(stamp.Apply(line))); err != nil {
			return err
		}
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
