package discover

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

// ValidateGlob returns what is wrong with a pattern; the error names the key that holds it.
func ValidateGlob(key, pattern string) error {
	if pattern == "" {
		return fmt.Errorf("%s: empty glob", key)
	}
	if !doublestar.ValidatePattern(filepath.ToSlash(pattern)) {
		return fmt.Errorf("%s: invalid glob %q: %w", key, pattern, doublestar.ErrBadPattern)
	}
	return nil
}

// Globs is a set of patterns: what to read, and what to exclude from that. Paths are absolute and slash-separated.
type Globs struct {
	Include, Exclude []Glob
	Skip             func(path string) bool // excludes further paths; may be nil
}

// Glob is one absolute pattern.
type Glob struct {
	Raw     string // as the user wrote it
	Pattern string // absolute, slash-separated
	Base    string // the folder that holds all matches
	// folders are the elements between Base and the last one. A folder can hold matches only if it matches their beginning.
	// Nil with anyFolder if that can't be determined.
	folders   []string
	anyFolder bool
	// parent is the pattern without its last element, and last is that element. They match separately, so that a folder is
	// matched once for all its files; last is empty if that is impossible.
	parent, last string
}

func NewGlobs(include, exclude []string) (Globs, error) {
	var g Globs
	var errs []error
	add := func(to *[]Glob, key string, patterns []string) {
		for _, p := range patterns {
			if key == "exclude" && strings.HasPrefix(filepath.ToSlash(p), "**/") {
				p = "/" + p // exclude anywhere, not only below the working folder
			}
			one, err := newGlob(key, p)
			errs = append(errs, err)
			*to = append(*to, one)
		}
	}
	add(&g.Include, "include", include)
	add(&g.Exclude, "exclude", exclude)
	return g, errors.Join(errs...)
}

func newGlob(key, raw string) (Glob, error) {
	if err := ValidateGlob(key, raw); err != nil {
		return Glob{}, err
	}
	abs, err := absolute(raw)
	if err != nil {
		return Glob{}, fmt.Errorf("%s: expand glob %q: %w", key, raw, err)
	}
	// Consecutive ** elements mean the same as one.
	elements := slices.CompactFunc(strings.Split(filepath.ToSlash(abs), "/"), func(a, b string) bool { return a == "**" && b == a })
	g := Glob{Raw: raw, Pattern: strings.Join(elements, "/")}
	base, rest := doublestar.SplitPattern(g.Pattern)
	g.Base = base
	elements = strings.Split(rest, "/")
	g.folders = elements
	if last := len(elements) - 1; elements[last] != "**" { // a last ** matches folders too
		g.folders = elements[:last]
	}
	// A brace that spans elements, as in {a,b/c}/*, can't be cut at slashes, and doublestar defines the meaning of a ** within
	// an element.
	for _, e := range elements {
		g.anyFolder = g.anyFolder || !doublestar.ValidatePattern(e) || e != "**" && strings.Contains(e, "**")
	}
	// With two **, doublestar v4.10.4 may match a parent and a last element but not the whole pattern.
	if last := elements[len(elements)-1]; !g.anyFolder && last != "**" && strings.Count(g.Pattern, "**") < 2 {
		g.parent, g.last = strings.TrimSuffix(g.Pattern, "/"+last), last
		if !strings.Contains(g.parent, "/") {
			g.parent += "/" // the root keeps its slash
		}
	}
	return g, nil
}

// absolute expands a leading ~ and makes the pattern absolute. It escapes characters in the names of the home folder and the
// working folder that have a meaning in patterns.
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

// Match reports whether a file at this path is to be read.
func (g *Globs) Match(file string) bool {
	file = filepath.ToSlash(file)
	return slices.ContainsFunc(g.Include, func(one Glob) bool { return doublestar.MatchUnvalidated(one.Pattern, file) }) &&
		!g.Excluded(file)
}

func (g *Globs) MatchesAny(files iter.Seq[string]) bool {
	for file := range files {
		if g.Match(file) {
			return true
		}
	}
	return false
}

func (g *Globs) Excluded(file string) bool {
	file = filepath.ToSlash(file)
	return g.Skip != nil && g.Skip(file) || slices.ContainsFunc(g.Exclude, func(one Glob) bool { return doublestar.MatchUnvalidated(one.Pattern, file) })
}

// folderGlobs is what remains to be matched in one folder.
type folderGlobs struct {
	*Globs
	names []string // patterns of names
	paths []string // patterns of whole paths
}

// In returns the patterns prepared for the files of a folder.
func (g *Globs) In(folder string) folderGlobs {
	folder = filepath.ToSlash(folder)
	f := folderGlobs{Globs: g}
	for _, one := range g.Include {
		switch {
		case one.last == "", strings.HasSuffix(folder, "/"): // a root is not a name that * can match
			f.paths = append(f.paths, one.Pattern)
		case doublestar.MatchUnvalidated(one.parent, folder):
			f.names = append(f.names, one.last)
		}
	}
	return f
}

// matches reports whether a file of the folder is to be read.
func (f *folderGlobs) matches(file, name string) bool {
	hit := slices.ContainsFunc(f.names, func(p string) bool { return doublestar.MatchUnvalidated(p, name) })
	if !hit {
		file = filepath.ToSlash(file)
		hit = slices.ContainsFunc(f.paths, func(p string) bool { return doublestar.MatchUnvalidated(p, file) })
	}
	return hit && !f.Excluded(file)
}

// CanHold reports whether matching files may be in this folder or below it.
func (g *Globs) CanHold(folder string) bool {
	folder = filepath.ToSlash(folder)
	return slices.ContainsFunc(g.Include, func(one Glob) bool { return one.canHold(folder) }) && !g.excludesAll(folder)
}

// excludesAll reports whether a pattern that ends in /** excludes everything in the folder.
func (g *Globs) excludesAll(folder string) bool {
	return slices.ContainsFunc(g.Exclude, func(one Glob) bool {
		return strings.HasSuffix(one.Pattern, "/**") && doublestar.MatchUnvalidated(one.Pattern, folder)
	})
}

func (g *Glob) canHold(folder string) bool {
	below, ok := cutFolder(folder, g.Base)
	if !ok {
		// A folder above the base leads to it.
		_, ok = cutFolder(g.Base, folder)
		return ok
	}
	if below == "" || g.anyFolder {
		return true
	}
	return leads(g.folders, strings.Split(below, "/"))
}

// leads reports whether the elements of a folder match the beginning of the elements of a pattern.
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

// Follows reports whether to enter a folder that is a symbolic link. It is not entered if ** would lead into it, because links
// under ** may form a cycle.
func (g *Globs) Follows(folder string) bool {
	folder = filepath.ToSlash(folder)
	return slices.ContainsFunc(g.Include, func(one Glob) bool {
		below, ok := cutFolder(folder, one.Base)
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

// cutFolder returns the rest of a path below a folder, or false if the path is not below it.
func cutFolder(file, folder string) (string, bool) {
	if file == folder {
		return "", true
	}
	if !strings.HasSuffix(folder, "/") {
		folder += "/"
	}
	return strings.CutPrefix(file, folder)
}
