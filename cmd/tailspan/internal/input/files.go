package input

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/place"
)

// Files gives the files that arguments name: files, folders with sessions, globs. Each comes once, in the order of names.
func Files(names []string) ([]string, error) {
	var files []string
	for _, name := range names {
		info, err := os.Stat(name)
		switch {
		case err == nil && !info.IsDir():
			files = append(files, name)
			continue
		case err != nil && !(errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(name, "*?[{")):
			return nil, err
		}
		globs := place.Named([]string{name})[0].Globs
		for _, glob := range globs {
			found, err := doublestar.FilepathGlob(glob, doublestar.WithFilesOnly())
			if err != nil {
				return nil, fmt.Errorf("match %q: %w", glob, err)
			}
			files = append(files, found...)
		}
	}
	slices.Sort(files)
	if files = slices.Compact(files); len(files) == 0 {
		return nil, fmt.Errorf("no file matches %q", strings.Join(names, " "))
	}
	return files, nil
}
