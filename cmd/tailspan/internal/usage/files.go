package usage

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/opencodetree"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/place"
	"github.com/tailspan/tailspan/tail"
)

// Find gives the sessions in places, each once, in the order of their names, so that a session comes before its sub-agents; and
// what of the places can't be read. Pipes and devices are reported, unless a place is one: then it is read.
func Find(places []place.Place, report func(skipped string)) (files []string, errs []error) {
	for _, p := range places {
		matches, err := tail.Find(p.Globs, nil)
		if err != nil {
			errs = append(errs, err)
		}
		isTree := p.Trees && treeIn(p.Root, &errs)
		if isTree {
			files = append(files, p.Root)
		}
		var found []string
		for _, m := range matches {
			switch {
			case isTree && filepath.Ext(m.Path) == ".json": // those of a tree are its parts
			case slices.Equal(p.Globs, []string{p.Root}): // named itself
				files = append(files, m.Path)
			default:
				found = append(found, m.Path)
			}
		}
		files = append(files, input.Regular(found, report)...)
	}
	slices.Sort(files)
	return slices.Compact(files), errs
}

// treeIn reports whether a folder has sessions in a layout of OpenCode's before it had a database.
func treeIn(root string, errs *[]error) bool {
	tree, err := opencodetree.Open(root)
	if err == nil {
		return tree.Close() == nil
	}
	if !errors.Is(err, opencodetree.ErrNoTree) && !errors.Is(err, fs.ErrNotExist) {
		*errs = append(*errs, fmt.Errorf("find sessions: %w", err))
	}
	return false
}
