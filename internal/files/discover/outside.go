package discover

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/tailspan/tailspan/internal/files/fingerprint"
)

// Outside reports whether a file is behind a link that leads out of the folders that the patterns begin in. A file that a
// pattern names without wildcards is inside, wherever its link leads.
//
// An agent can put links into the folder that it writes to. If the path no longer leads to the open file, the file counts as
// outside; the zero ID matches any file.
func Outside(path string, id fingerprint.FileID, include []string) bool {
	named := func(pattern string) bool {
		abs, err := absolute(pattern)
		return err == nil && filepath.ToSlash(path) == filepath.ToSlash(abs)
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return true
	}
	info, err := os.Lstat(target)
	if err != nil {
		return true
	}
	if now, ok := fingerprint.IDOf(info); ok && id != (fingerprint.FileID{}) && now != id {
		return true
	}
	return !slices.ContainsFunc(include, func(pattern string) bool {
		if named(pattern) {
			return true
		}
		abs, err := absolute(pattern)
		if err != nil {
			return false
		}
		base, _ := doublestar.SplitPattern(filepath.ToSlash(abs))
		folder, err := filepath.EvalSymlinks(filepath.FromSlash(base))
		if err != nil {
			return false
		}
		_, below := cutFolder(filepath.ToSlash(target), filepath.ToSlash(folder))
		return below
	})
}
