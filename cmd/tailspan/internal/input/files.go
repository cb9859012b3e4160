package input

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/opencodetree"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/place"
)

// Files gives the files that arguments name, in their order, each once: files, the sessions in folders, what globs match.
// Standard input and folders of OpenCode's older storage are one input each.
func Files(names []string) ([]string, error) {
	var files []string
	for _, name := range names {
		info, err := os.Stat(name)
		switch {
		case name == Stdin, err == nil && !info.IsDir(), err == nil && isTree(name):
			files = append(files, name)
			continue
		case err != nil && !(errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(name, "*?[{")):
			return nil, err
		}
		var found []string
		for _, glob := range place.Named([]string{name})[0].Globs {
			matches, err := doublestar.FilepathGlob(glob, doublestar.WithFilesOnly())
			if err != nil {
				return nil, fmt.Errorf("match %q: %w", glob, err)
			}
			found = append(found, matches...)
		}
		slices.Sort(found)
		files = append(files, found...)
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

// isTree reports whether a folder is one of OpenCode's older storage.
func isTree(dir string) bool {
	tree, err := opencodetree.Open(dir)
	if err != nil {
		return !errors.Is(err, opencodetree.ErrNoTree) // reading it reports what is wrong
	}
	_ = tree.Close() // it was only looked at
	return true
}
