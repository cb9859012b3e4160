package discover

import "path/filepath"

// HasOwnName reports whether a path leads through a link to a file that also matches under its own name. Such a file is read
// under its own name, because what a path shows of its owner, such as a pipeline, must come from the writer of the file and
// not from a link that somebody created elsewhere. A pattern without wildcards may name a link.
func (g *Globs) HasOwnName(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || real == path {
		return false
	}
	real, path = filepath.ToSlash(real), filepath.ToSlash(path)
	found := false
	for i := range g.Include {
		base := g.Include[i].Base
		folder, err := filepath.EvalSymlinks(filepath.FromSlash(base)) // which may itself be behind a link
		if err != nil {
			continue
		}
		below, ok := cutFolder(real, filepath.ToSlash(folder))
		if !ok {
			continue
		}
		own := base
		if below != "" {
			own = filepath.ToSlash(filepath.Join(base, below))
		}
		if own == path {
			return false
		}
		found = found || g.Match(own)
	}
	return found
}
