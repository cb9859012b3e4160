package tail

import (
	"errors"
	"path/filepath"
	"time"

	"github.com/tailspan/tailspan/internal/files/discover"
)

// Match is a path that globs match.
type Match struct {
	Path string
	Size int64
	// ModTime is when it last changed; zero if it is not Regular.
	ModTime time.Time
	// Regular is false for a pipe, socket or device, which [Tailer] does not open.
	Regular bool
}

// Find lists what globs match, in folder order, by the rules of [Tailer]. Its error joins those of all folders that could not
// be read; the result still holds what was found elsewhere.
func Find(include, exclude []string) ([]Match, error) {
	g, err := discover.NewGlobs(include, exclude)
	if err != nil {
		return nil, err
	}
	var all []Match
	s := discover.Scan{Globs: &g, Yield: func(files []discover.Found) {
		for _, f := range files {
			m := Match{Path: filepath.FromSlash(f.Path), Size: f.Size, Regular: !f.Irregular}
			if m.Regular {
				m.ModTime = time.Unix(0, f.MTime)
			}
			all = append(all, m)
		}
	}}
	s.All()
	return all, errors.Join(s.Errs...)
}
