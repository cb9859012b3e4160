package poll

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/tailspan/tailspan/internal/files/discover"
)

// finder finds what [Poller] follows.
type finder struct {
	documents, databases discover.Globs
	isDocument           func(path string) bool
}

func newFinder(s *Settings) (finder, error) {
	f := finder{isDocument: s.IsDocument}
	var patterns []string
	for _, p := range s.Documents {
		if mayBe(p, s.IsDocument) {
			patterns = append(patterns, p)
		}
	}
	var errs [2]error
	f.documents, errs[0] = discover.NewGlobs(patterns, s.Shared.Exclude)
	f.databases, errs[1] = discover.NewGlobs(s.Databases, s.Shared.Exclude)
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
func (f *finder) sets() []*discover.Globs {
	return []*discover.Globs{&f.documents, &f.databases}
}

func (f *finder) empty() bool {
	return len(f.documents.Include) == 0 && len(f.databases.Include) == 0
}

// watch has the folders watched that patterns begin in. Those below are watched as soon as something was found in them.
func (f *finder) watch(w *discover.Watcher) {
	for _, g := range []*discover.Globs{&f.documents, &f.databases} {
		for _, one := range g.Include {
			if folder := filepath.FromSlash(one.Base); discover.IsFolder(folder) {
				w.Add(folder)
			}
		}
	}
}

// mayHold reports whether something that appeared may be one to follow, or a folder that holds one.
func (f *finder) mayHold(path string) bool {
	return f.documents.Match(path) && f.isDocument(path) || f.databases.Match(path) && !besides(path) ||
		(f.documents.CanHold(path) || f.databases.CanHold(path)) && discover.IsFolder(path)
}

// find scans the folders and yields what is there.
func (f *finder) find(stop <-chan struct{}, yield func(itemKind, discover.Found), fail func(error)) {
	scanFor := func(g *discover.Globs, kind itemKind, is func(string) bool) {
		s := discover.Scan{Globs: g, Stop: stop, Yield: func(files []discover.Found) {
			for _, one := range files {
				if !one.Irregular && is(one.Path) && !g.HasOwnName(one.Path) {
					yield(kind, one)
				}
			}
		}}
		s.All()
		for _, err := range s.Errs {
			fail(err)
		}
	}
	scanFor(&f.databases, itemDatabase, func(path string) bool { return !besides(path) })
	scanFor(&f.documents, itemDocument, f.isDocument)
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
