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

// Find returns the sessions in places, each once, sorted by name, so that a session precedes its sub-agents. It also returns read
// errors. It reports pipes and devices as skipped, unless a place names one directly.
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
			case isTree && filepath.Ext(m.Path) == ".json": // parts of the tree
			case slices.Equal(p.Globs, []string{p.Root}): // named directly
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

// treeIn reports whether a folder has sessions in a layout that OpenCode used before its database.
func treeIn(root string, errs *[]error) bool {
	tree, err := opencodetree.Open(root)
	if err == nil {
		return tree.Close() == nil
	}
	if !errors.Is(err, opencodetree.ErrNoTree) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) { // the search reports it
		*errs = append(*errs, fmt.Errorf("find sessions: %w", err))
	}
	return false
}
