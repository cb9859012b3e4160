package source

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// ValidateGlob reports what is wrong with a pattern, naming the key that holds it.
func ValidateGlob(key, pattern string) error {
	if pattern == "" {
		return fmt.Errorf("%s: empty glob", key)
	}
	if !doublestar.ValidatePattern(filepath.ToSlash(pattern)) {
		return fmt.Errorf("%s: invalid glob %q: %w", key, pattern, doublestar.ErrBadPattern)
	}
	return nil
}

// globs is a set of patterns: what to read, and what of it to leave out. Paths are absolute and have slashes as separators.
type globs struct {
	include, exclude []glob
	skip             func(path string) bool // leaves out more; may be nil
}

// glob is one pattern, absolute.
type glob struct {
	raw     string // as the user wrote it
	pattern string // absolute, slashes
	base    string // the folder that holds all matches
	// folders are the elements between base and the last one. A folder can hold matches only if it matches their
	// beginning. Nil with anyFolder if that is not known.
	folders   []string
	anyFolder bool
	// parent and last are the pattern without its last element, and that. They match on their own, so that a folder
	// is matched once for all its files; last is empty if they don't.
	parent, last string
}

func newGlobs(include, exclude []string) (globs, error) {
	var g globs
	var errs []error
	add := func(to *[]glob, key string, patterns []string) {
		for _, p := range patterns {
			if key == "exclude" && strings.HasPrefix(filepath.ToSlash(p), "**/") {
				p = "/" + p // what is left out is left out anywhere, not below the working folder alone
			}
			one, err := newGlob(key, p)
			errs = append(errs, err)
			*to = append(*to, one)
		}
	}
	add(&g.include, "include", include)
	add(&g.exclude, "exclude", exclude)
	return g, errors.Join(errs...)
}

func newGlob(key, raw string) (glob, error) {
	if err := ValidateGlob(key, raw); err != nil {
		return glob{}, err
	}
	abs, err := absolute(raw)
	if err != nil {
		return glob{}, fmt.Errorf("%s: expand glob %q: %w", key, raw, err)
	}
	// Any folders twice over are any folders.
	elements := slices.CompactFunc(strings.Split(filepath.ToSlash(abs), "/"), func(a, b string) bool { return a == "**" && b == a })
	g := glob{raw: raw, pattern: strings.Join(elements, "/")}
	base, rest := doublestar.SplitPattern(g.pattern)
	g.base = base
	elements = strings.Split(rest, "/")
	g.folders = elements
	if last := len(elements) - 1; elements[last] != "**" { // a last ** stands for folders too
		g.folders = elements[:last]
	}
	// A brace that spans elements, as in {a,b/c}/*, can't be cut at slashes, and the meaning of
	// a ** that is not alone is doublestar's.
	for _, e := range elements {
		g.anyFolder = g.anyFolder || !doublestar.ValidatePattern(e) || e != "**" && strings.Contains(e, "**")
	}
	// With two ** doublestar v4.10.4 may say of a parent what it doesn't say of the whole.
	if last := elements[len(elements)-1]; !g.anyFolder && last != "**" && strings.Count(g.pattern, "**") < 2 {
		g.parent, g.last = strings.TrimSuffix(g.pattern, "/"+last), last
		if !strings.Contains(g.parent, "/") {
			g.parent += "/" // the root keeps its slash
		}
	}
	return g, nil
}

// absolute expands a leading ~ and makes the pattern absolute. The home folder and the working folder are escaped where
// their names hold characters that mean something in a pattern.
func absolute(pattern string) (string, error) {
	if pattern == "~" || strings.HasPrefix(pattern, "~/") || strings.HasPrefix(pattern, "~"+string(filepath.Separator)) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		return join(home, pattern[1:]), nil
	}
	if filepath.IsAbs(pattern) {
		return filepath.Clean(pattern), nil
	}
	wd, err := os.Getwd()
	if err != nil {
		return "", err
	}
	return join(wd, pattern), nil
}

func join(folder, pattern string) string {
	if filepath.Separator == '/' {
		folder = globEscaper.Replace(folder)
	}
	return path.Join(filepath.ToSlash(folder), filepath.ToSlash(pattern))
}

var globEscaper = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`)

// match reports whether a file under this path is to be read.
func (g *globs) match(file string) bool {
	file = filepath.ToSlash(file)
	return slices.ContainsFunc(g.include, func(one glob) bool { return doublestar.MatchUnvalidated(one.pattern, file) }) &&
		!g.excluded(file)
}

func (g *globs) matchesAny(files iter.Seq[string]) bool {
	for file := range files {
		if g.match(file) {
			return true
		}
	}
	return false
}

func (g *globs) excluded(file string) bool {
	file = filepath.ToSlash(file)
	return g.skip != nil && g.skip(file) || slices.ContainsFunc(g.exclude, func(one glob) bool { return doublestar.MatchUnvalidated(one.pattern, file) })
}

// folderGlobs is what is left to match in one folder.
type folderGlobs struct {
	*globs
	names []string // patterns of names
	paths []string // patterns of whole paths
}

// in prepares for the files of a folder.
func (g *globs) in(folder string) folderGlobs {
	folder = filepath.ToSlash(folder)
	f := folderGlobs{globs: g}
	for _, one := range g.include {
		switch {
		case one.last == "", strings.HasSuffix(folder, "/"): // a root is no name that * could stand for
			f.paths = append(f.paths, one.pattern)
		case doublestar.MatchUnvalidated(one.parent, folder):
			f.names = append(f.names, one.last)
		}
	}
	return f
}

// match reports whether a file of the folder is to be read.
func (f *folderGlobs) match(file, name string) bool {
	hit := slices.ContainsFunc(f.names, func(p string) bool { return doublestar.MatchUnvalidated(p, name) })
	if !hit {
		file = filepath.ToSlash(file)
		hit = slices.ContainsFunc(f.paths, func(p string) bool { return doublestar.MatchUnvalidated(p, file) })
	}
	return hit && !f.excluded(file)
}

// canHold reports whether files that match may lie in this folder or below it.
func (g *globs) canHold(folder string) bool {
	folder = filepath.ToSlash(folder)
	return slices.ContainsFunc(g.include, func(one glob) bool { return one.canHold(folder) }) && !g.excludesAll(folder)
}

// excludesAll reports whether a pattern that ends in /** leaves out all that is in the folder.
func (g *globs) excludesAll(folder string) bool {
	return slices.ContainsFunc(g.exclude, func(one glob) bool {
		return strings.HasSuffix(one.pattern, "/**") && doublestar.MatchUnvalidated(one.pattern, folder)
	})
}

func (g *glob) canHold(folder string) bool {
	below, ok := cutFolder(folder, g.base)
	if !ok {
		// A folder above the base leads to it.
		_, ok = cutFolder(g.base, folder)
		return ok
	}
	if below == "" || g.anyFolder {
		return true
	}
	return leads(g.folders, strings.Split(below, "/"))
}

// leads reports whether a folder (its elements) matches the beginning of a pattern (its elements).
func leads(pattern, folder []string) bool {
	for i, name := range folder {
		switch {
		case i >= len(pattern):
			return false
		case pattern[i] == "**":
			return true
		case !doublestar.MatchUnvalidated(pattern[i], name):
			return false
		}
	}
	return true
}

// follows reports whether a folder that is a symbolic link is entered: not where ** would lead into it, since links under
// ** may form a circle.
func (g *globs) follows(folder string) bool {
	folder = filepath.ToSlash(folder)
	return slices.ContainsFunc(g.include, func(one glob) bool {
		below, ok := cutFolder(folder, one.base)
		if !ok {
			return one.canHold(folder)
		}
		if one.anyFolder {
			return false
		}
		depth := strings.Count(below, "/") + 1
		return one.canHold(folder) && depth <= len(one.folders) && !slices.Contains(one.folders[:depth], "**")
	})
}

// cutFolder returns what is left of a path below a folder; not ok if it does not lie there.
func cutFolder(file, folder string) (string, bool) {
	if file == folder {
		return "", true
	}
	if !strings.HasSuffix(folder, "/") {
		folder += "/"
	}
	return strings.CutPrefix(file, folder)
}
