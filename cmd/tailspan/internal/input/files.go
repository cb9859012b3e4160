package input

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/opencodetree"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/place"
	"github.com/tailspan/tailspan/tail"
)

// Files returns the files that arguments name, in their order, each once: files, sessions in folders, matches of globs. Standard
// input and folders of OpenCode's older storage are one input each. From a folder or glob only regular files, and links to them,
// are inputs; others are reported. A named FIFO is an input. So is what cannot be read, a folder too: reading it reports the error.
func Files(names []string, report func(skipped string)) ([]string, error) {
	var files []string
	for _, name := range names {
		info, err := os.Stat(name)
		switch {
		case name == Stdin, err == nil && !info.IsDir(), err == nil && IsTree(name), errors.Is(err, fs.ErrPermission):
			files = append(files, name)
			continue
		case err != nil && !isGlob(name, err):
			return nil, err
		}
		found, unreadable, err := match(place.Named([]string{name})[0].Globs)
		if err != nil {
			return nil, err
		}
		files = append(append(files, Regular(found, report)...), unreadable...)
	}
	seen := map[string]bool{}
	files = slices.DeleteFunc(files, func(name string) bool {
		again := seen[name]
		seen[name] = true
		return again
	})
	if len(files) == 0 {
		return nil, fmt.Errorf("no file matches %q", strings.Join(names, " "))
	}
	return files, nil
}

// match returns the matches of globs, in order, and folders that may have matches but cannot be read. ** does not follow links to
// folders: they may form a cycle.
func match(globs []string) (found, unreadable []string, err error) {
	for _, glob := range globs {
		options := []doublestar.GlobOption{doublestar.WithFilesOnly()}
		if strings.Contains(glob, "**") {
			options = append(options, doublestar.WithNoFollow())
		}
		matches, err := doublestar.FilepathGlob(glob, append(options, doublestar.WithFailOnIOErrors())...)
		if err != nil && !errors.Is(err, doublestar.ErrBadPattern) {
			_, failed := tail.Find([]string{glob}, nil)
			unreadable = append(unreadable, foldersOf(failed)...)
			matches, err = doublestar.FilepathGlob(glob, options...)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("match %q: %w", glob, err)
		}
		found = append(found, matches...)
	}
	slices.Sort(found)
	slices.Sort(unreadable)
	return slices.Compact(found), slices.Compact(unreadable), nil
}

// foldersOf returns the folders that the joined errors of [tail.Find] name.
func foldersOf(err error) (folders []string) {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil
	}
	for _, err := range joined.Unwrap() {
		if path := (*fs.PathError)(nil); errors.As(err, &path) {
			folders = append(folders, path.Path)
		}
	}
	return folders
}

// Regular returns the regular files among paths, and links to files that are not among them. It opens none: opening a pipe blocks
// until it has a writer.
func Regular(paths []string, report func(skipped string)) []string {
	var files, links []string
	real := map[string]bool{}
	for _, path := range paths {
		info, err := os.Stat(path)
		target, evalErr := filepath.EvalSymlinks(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			report(fmt.Sprintf("skipped %q: a link to what is not there", path))
		case err != nil || evalErr != nil:
			files = append(files, path) // reading it reports the error
		case info.IsDir():
		case !info.Mode().IsRegular():
			report(fmt.Sprintf("skipped %q: a pipe or device is read only if it is named itself", path))
		case target != filepath.Clean(path):
			links = append(links, path)
		default:
			real[target] = true
			files = append(files, path)
		}
	}
	for _, path := range links {
		target, _ := filepath.EvalSymlinks(path) // as above
		if !real[target] {
			real[target] = true
			files = append(files, path)
		}
	}
	slices.Sort(files)
	return files
}

// IsTree reports whether a folder is one of OpenCode's older storage.
func IsTree(dir string) bool {
	tree, err := opencodetree.Open(dir)
	if err != nil {
		return !errors.Is(err, opencodetree.ErrNoTree) // reading it reports the error
	}
	_ = tree.Close() // opened only to check
	return true
}
