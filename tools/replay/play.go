package replay

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"time"
)

// Pace says how fast [Play] writes.
type Pace struct {
	// Pause is the time before a line that has no time of its own. If a recording has a duration but no times, its lines
	// are evenly spaced.
	Pause time.Duration
	// Longest is the maximum time between two lines. Longer gaps of the recording are shortened to it. 0 means no limit.
	Longest time.Duration
}

// Play writes a session line by line. It moves the beginning of the recording to now, replaces the IDs using seed, and
// waits before each line as long as the recording did. It ends early with the error of ctx or of out.
//
// A recording begins with its first time, or earlier if the duration on its last line exceeds the span of its times: the
// first line of a stream has no time, and the model may work for a long time before one appears. The IDs of OpenCode
// contain the time of its request.
func Play(ctx context.Context, out io.Writer, recording, seed string, pace Pace) error {
	stamp := Stamp{Seed: seed}
	begin, end, ok := Times(recording)
	took := duration(recording)
	switch between := strings.Count(strings.TrimSpace(recording), "\n"); {
	case ok:
		begin = asked(recording, earlier(begin, end.Add(-took)))
		stamp.Shift = time.Since(begin)
	case took > 0 && between > 0:
		pace.Pause = took / time.Duration(between)
	}
	previous, paused, isFirst := begin, time.Duration(0), true
	for line := range strings.Lines(recording) {
		wait := pace.Pause
		if isFirst {
			wait, isFirst = 0, false
		}
		if at, _, ok := Times(line); ok {
			wait = max(0, at.Sub(previous)-paused)
			paused = 0
			if pace.Longest > 0 && wait > pace.Longest {
				// Move the rest of the recording forward by the omitted time.
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

// duration returns how long the run took according to the last line of the recording, or 0 if that has no duration.
func duration(recording string) time.Duration {
	recording = strings.TrimSpace(recording)
	var result struct {
		Milliseconds int64 `json:"duration_ms"`
	}
	if json.Unmarshal([]byte(recording[strings.LastIndexByte(recording, '\n')+1:]), &result) != nil {
		return 0 // cut off, or not JSON
	}
	return time.Duration(result.Milliseconds) * time.Millisecond
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
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
