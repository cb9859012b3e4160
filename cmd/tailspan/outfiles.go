package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// outFile is a file that a flag names.
type outFile struct{ flag, path string }

// distinct returns an error if two flags name the same file: each would overwrite the other. Links to a file are the same file,
// also if it is not there yet. Devices such as /dev/null may be named several times.
func distinct(files []outFile) error {
	type place struct {
		outFile
		resolved string
		info     os.FileInfo // nil if nothing is there
	}
	var places []place
	for _, f := range files {
		info, err := os.Stat(f.path)
		switch {
		case err != nil:
			info = nil
		case !info.Mode().IsRegular():
			continue
		}
		resolved, err := resolve(f.path)
		if err != nil {
			return fmt.Errorf("%s: %w", f.flag, err)
		}
		for _, other := range places {
			hardLink := info != nil && other.info != nil && os.SameFile(info, other.info)
			if hardLink || resolved == other.resolved {
				return fmt.Errorf("%s and %s name the same file %q", other.flag, f.flag, f.path)
			}
		}
		places = append(places, place{f, resolved, info})
	}
	return nil
}

// maxLinks is how many links that lead to each other are followed.
const maxLinks = 40

var errLinks = errors.New("too many levels of symbolic links")

// resolve returns the absolute path that a path leads to by links, also if nothing is there.
func resolve(path string) (string, error) {
	for range maxLinks {
		dir, name := filepath.Split(path)
		if real, err := filepath.EvalSymlinks(cmp.Or(dir, ".")); err == nil {
			dir = real
		}
		path = filepath.Join(dir, name)
		to, err := os.Readlink(path)
		if err != nil { // no link
			return filepath.Abs(path)
		}
		if path = to; !filepath.IsAbs(to) {
			path = filepath.Join(dir, to)
		}
	}
	return "", fmt.Errorf("resolve %q: %w", path, errLinks)
}
