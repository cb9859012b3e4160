package watch

import (
	"slices"
	"time"

	"github.com/tailspan/tailspan/internal/files/discover"
)

// Older files that are read at start: the newest, up to these numbers of files and bytes.
const (
	recentFiles = 256
	recentBytes = 256 << 20
)

// recentRows is the maximum age of database sessions that are read at start.
const recentRows = 72 * time.Hour

// recentAge returns the age of the oldest file that is read at start.
func recentAge(globs []string, now time.Time) time.Duration {
	found := make([]discover.Found, 0, 1024)
	set, err := discover.NewGlobs(globs, nil)
	if err != nil {
		return idleGap // the reader of the files reports the error
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
