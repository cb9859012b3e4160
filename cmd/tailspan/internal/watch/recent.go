package watch

import (
	"slices"
	"time"

	"github.com/tailspan/tailspan/internal/files/discover"
)

// What is read at start beside the files of the last hour: this many of the newest, while they have less than so many bytes.
const (
	recentFiles = 256
	recentBytes = 256 << 20
)

// recentRows is how old the sessions of a database are at most that are read at start.
const recentRows = 72 * time.Hour

// recentAge is how old the oldest file is that is read at start.
func recentAge(globs []string, now time.Time) time.Duration {
	found := make([]discover.Found, 0, 1024)
	set, err := discover.NewGlobs(globs, nil)
	if err != nil {
		return idleGap // whoever reads the files reports it
	}
	scan := discover.Scan{Globs: &set, Yield: func(files []discover.Found) { found = append(found, files...) }}
	scan.All()
	slices.SortFunc(found, func(a, b discover.Found) int { return int(b.MTime/1e6 - a.MTime/1e6) })
	age, bytes := idleGap, int64(0)
	for i, f := range found {
		if bytes += f.Size; i >= recentFiles || bytes > recentBytes {
			break
		}
		age = max(age, now.Sub(time.Unix(0, f.MTime))+time.Second)
	}
	return age
}
