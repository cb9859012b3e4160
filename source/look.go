package source

import (
	"errors"
	"path/filepath"
	"time"
)

// Match is a path that globs match.
type Match struct {
	Path string
	Size int64
	// ModTime is when it was changed last; zero for one that is not Regular.
	ModTime time.Time
	// Regular is true if it is a file, and no pipe, socket or device, which [Files] does not open.
	Regular bool
}

// Find lists what globs match, in the order of the folders, by the rules of [Files]. Its error joins those of all folders that
// could not be read; the result holds what was found beside them.
func Find(include, exclude []string) ([]Match, error) {
	g, err := newGlobs(include, exclude)
	if err != nil {
		return nil, err
	}
	var all []Match
	s := scan{globs: &g, yield: func(files []found) {
		for _, f := range files {
			m := Match{Path: filepath.FromSlash(f.path), Size: f.size, Regular: !f.irregular}
			if m.Regular {
				m.ModTime = time.Unix(0, f.mtime)
			}
			all = append(all, m)
		}
	}}
	s.all()
	return all, errors.Join(s.errs...)
}
