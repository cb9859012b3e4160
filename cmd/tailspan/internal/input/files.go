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
)

// Files gives the files that arguments name, in their order, each once: files, the sessions in folders, what globs match.
// Standard input and folders of OpenCode's older storage are one input each. Of what a folder or glob holds only regular files
// are inputs, and links to them; the others are reported. A named FIFO is an input.
func Files(names []string, report func(skipped string)) ([]string, error) {
	var files []string
	for _, name := range names {
		info, err := os.Stat(name)
		switch {
		case name == Stdin, err == nil && !info.IsDir(), err == nil && IsTree(name):
			files = append(files, name)
			continue
		case err != nil && !isGlob(name, err):
			return nil, err
		}
		found, err := match(place.Named([]string{name})[0].Globs)
		if err != nil {
			return nil, err
		}
		files = append(files, Regular(found, report)...)
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

// match gives what globs match, in order. Links to folders are not followed where ** is: they may form a circle.
func match(globs []string) ([]string, error) {
	var found []string
	for _, glob := range globs {
		options := []doublestar.GlobOption{doublestar.WithFilesOnly()}
		if strings.Contains(glob, "**") {
			options = append(options, doublestar.WithNoFollow())
		}
		matches, err := doublestar.FilepathGlob(glob, options...)
		if err != nil {
			return nil, fmt.Errorf("match %q: %w", glob, err)
		}
		found = append(found, matches...)
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// Regular gives those of the paths that are regular files, or links to one that is not among them. It opens none: opening a pipe
// waits for its writer.
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
			files = append(files, path) // reading it reports what is wrong
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
		target, _ := filepath.EvalSymlinks(path) // as before
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
		return !errors.Is(err, opencodetree.ErrNoTree) // reading it reports what is wrong
	}
	_ = tree.Close() // it was only looked at
	return true
}
