package source

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
)

// finder finds what [Polled] follows.
type finder struct {
	documents, databases globs
	trees                globs
	isDocument           func(path string) bool
}

func newFinder(s *PolledSettings) (finder, error) {
	f := finder{isDocument: s.IsDocument}
	var patterns []string
	for _, p := range s.Documents {
		if mayBe(p, s.IsDocument) {
			patterns = append(patterns, p)
		}
	}
	var errs [3]error
	f.documents, errs[0] = newGlobs(patterns, s.Settings.Exclude)
	f.databases, errs[1] = newGlobs(s.Databases, s.Settings.Exclude)
	f.trees, errs[2] = newGlobs(s.Trees, s.Settings.Exclude)
	return f, errors.Join(errs[:]...)
}

// mayBe reports whether a pattern may match what is a document by its name. Patterns of other files need no second scan.
func mayBe(pattern string, isDocument func(string) bool) bool {
	last := path.Base(filepath.ToSlash(pattern))
	tail := last[strings.LastIndexAny(last, `*?[]{}\`)+1:]
	if tail == last {
		return isDocument(last)
	}
	const longest = len(".json.zst")
	return len(tail) < longest && !strings.Contains(tail, ".") || isDocument("x"+tail) || isDocument("x.json"+tail)
}

// InFolders returns the patterns that match files of one name where the patterns would: for a name with a
// meaning of its own.
func InFolders(patterns []string, name string) []string {
	var in []string
	for _, p := range patterns {
		switch folder, last := path.Split(filepath.ToSlash(p)); {
		case last == "**":
			in = append(in, p+"/"+name)
		case doublestar.MatchUnvalidated(last, name):
			in = append(in, folder+name)
		}
	}
	return in
}

// sets are all globs.
func (f *finder) sets() []*globs { return []*globs{&f.documents, &f.databases, &f.trees} }

func (f *finder) empty() bool {
	return len(f.documents.include) == 0 && len(f.databases.include) == 0 && len(f.trees.include) == 0
}

// watch has the folders watched that patterns begin in. Those below are watched as soon as something was found in them.
func (f *finder) watch(w *watcher) {
	for _, g := range []*globs{&f.documents, &f.databases} {
		for _, one := range g.include {
			if folder := filepath.FromSlash(one.base); isFolder(folder) {
				w.add(folder)
			}
		}
	}
}

// mayHold reports whether something that appeared may be one to follow, or a folder that holds one.
func (f *finder) mayHold(path string) bool {
	return f.documents.match(path) && f.isDocument(path) || f.databases.match(path) && !besides(path) ||
		(f.documents.canHold(path) || f.databases.canHold(path)) && isFolder(path)
}

// find scans the folders and yields what is there.
func (f *finder) find(stop <-chan struct{}, yield func(itemKind, found), fail func(error)) {
	scanFor := func(g *globs, kind itemKind, is func(string) bool) {
		s := scan{globs: g, stop: stop, yield: func(files []found) {
			for _, one := range files {
				if !one.irregular && is(one.path) && !g.hasOwnName(one.path) {
					yield(kind, one)
				}
			}
		}}
		s.all()
		for _, err := range s.errs {
			fail(err)
		}
	}
	scanFor(&f.databases, itemDatabase, func(path string) bool { return !besides(path) })
	scanFor(&f.documents, itemDocument, f.isDocument)
	for _, g := range f.trees.include {
		folders, err := doublestar.FilepathGlob(filepath.FromSlash(g.pattern), doublestar.WithFailOnIOErrors())
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			fail(err)
		}
		for _, folder := range folders {
			if isFolder(folder) && !f.trees.excluded(folder) {
				yield(itemTree, found{path: folder})
			}
		}
	}
}

// besides reports whether a file is one that SQLite keeps beside a database.
func besides(path string) bool {
	return strings.HasSuffix(path, "-wal") || strings.HasSuffix(path, "-shm") || strings.HasSuffix(path, "-journal")
}

// modTime is when a file was written last; zero if stat fails.
func modTime(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
