package tail

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/internal/files/discover"
)

// TestPause holds how long the source waits after a look at all files.
func TestPause(t *testing.T) {
	const interval = time.Second
	watched := &Tailer{settings: Settings{PollInterval: interval}, watch: &discover.Watcher{}}
	unwatched := &Tailer{settings: Settings{PollInterval: interval}}
	for _, look := range []struct{ took, watched, unwatched time.Duration }{
		{100 * time.Microsecond, interval, interval},
		{10 * time.Millisecond, 48 * time.Second, interval},
		{300 * time.Millisecond, 2 * time.Minute, 6 * time.Second},
		{10 * time.Second, 200 * time.Second, 200 * time.Second},
	} {
		assert.Equal(t, look.watched, watched.pause(look.took), "watched, %v", look.took)
		assert.Equal(t, look.unwatched, unwatched.pause(look.took), "not watched, %v", look.took)
	}
}
