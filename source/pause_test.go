package source

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestPause holds how long the source waits between two looks at all files, each line a look and the pause behind it.
func TestPause(t *testing.T) {
	const interval = time.Second
	looks := []struct {
		took               time.Duration
		watched, unwatched time.Duration
	}{
		{10 * time.Second, interval, interval}, // the first one reads cold folders
		{100 * time.Microsecond, interval, interval},
		{5 * time.Second, interval, interval}, // kept waiting by others
		{10 * time.Millisecond, 48 * time.Second, interval},
		{20 * time.Millisecond, 48 * time.Second, interval},
		{200 * time.Millisecond, 96 * time.Second, interval},
		{300 * time.Millisecond, 2 * time.Minute, 4 * time.Second},
		{5 * time.Second, 2 * time.Minute, 6 * time.Second},
		{8 * time.Second, 2 * time.Minute, 100 * time.Second},
	}
	watched := &Files{settings: Settings{PollInterval: interval}, watch: &watcher{}}
	unwatched := &Files{settings: Settings{PollInterval: interval}}
	for i, look := range looks {
		assert.Equal(t, look.watched, watched.pause(look.took), "look %d, watched", i)
		assert.Equal(t, look.unwatched, unwatched.pause(look.took), "look %d, not watched", i)
	}
}
