package discover

import "path/filepath"

// HasOwnName reports whether a path leads over a link to a file that is matched by its own name, under which it is read then:
// what a path shows of whose work a file is, such as its pipeline, is shown by the name that its writer gave it, and not by a
// link that somebody put elsewhere. A pattern without wildcards may name a link.
func (g *Globs) HasOwnName(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || real == path {
		return false
	}
	real, path = filepath.ToSlash(real), filepath.ToSlash(path)
	found := false
	for i := range g.Include {
		base := g.Include[i].Base
		folder, err := filepath.EvalSymlinks(filepath.FromSlash(base)) // which may be behind a link itself
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
