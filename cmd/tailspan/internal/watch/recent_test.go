package watch_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/watch"
)

// TestRecentAge checks that only the newest of old files are read at start.
func TestRecentAge(t *testing.T) {
	now := noon
	for _, c := range []struct {
		name  string
		files int // one for each hour, the newest two hours old
		size  int64
		want  time.Duration
	}{
		{"none", 0, 0, time.Hour},
		{"few", 10, 100, 11 * time.Hour},
		{"many", 300, 100, 257 * time.Hour},
		{"large", 10, 100 << 20, 3 * time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			for i := range c.files {
				path := filepath.Join(folder, strconv.Itoa(i)+".jsonl")
				require.NoError(t, os.WriteFile(path, nil, 0o600))
				require.NoError(t, os.Truncate(path, c.size))
				at := now.Add(-time.Duration(i+2) * time.Hour)
				require.NoError(t, os.Chtimes(path, at, at))
			}
			age := watch.RecentAge([]string{filepath.Join(folder, "*.jsonl")}, now)
			assert.InDelta(t, c.want, age, float64(2*time.Second))
		})
	}
}
