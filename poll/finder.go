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

// finder finds the sources that a [Poller] follows.
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

// mayBe reports whether a pattern may match the name of a document. Patterns for other files need no second scan.
func mayBe(pattern string, isDocument func(string) bool) bool {
	last := path.Base(filepath.ToSlash(pattern))
	tail := last[strings.LastIndexAny(last, `*?[]{}\`)+1:]
	if tail == last {
		return isDocument(last)
	}
	const longest = len(".json.zst")
	return len(tail) < longest && !strings.Contains(tail, ".") || isDocument("x"+tail) || isDocument("x.json"+tail)
}

// InFolders returns patterns that match files with the given name wherever the given patterns would. It is for names with a
// special meaning.
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

// sets returns all globs.
func (f *finder) sets() []*discover.Globs {
	return []*discover.Globs{&f.documents, &f.databases}
}

func (f *finder) empty() bool {
	return len(f.documents.Include) == 0 && len(f.databases.Include) == 0
}

// watch watches the folders in which patterns begin. Folders below are watched once something was found in them.
func (f *finder) watch(w *discover.Watcher) {
	for _, g := range []*discover.Globs{&f.documents, &f.databases} {
		for _, one := range g.Include {
			w.AddNearest(filepath.FromSlash(one.Base))
		}
	}
}

// mayHold reports whether a new path may be a source, or a folder that holds one.
func (f *finder) mayHold(path string) bool {
	return f.documents.Match(path) && f.isDocument(path) || f.databases.Match(path) && !besides(path) ||
		(f.documents.CanHold(path) || f.databases.CanHold(path)) && discover.IsFolder(path)
}

// find scans the folders and yields the sources in them.
func (f *finder) find(stop <-chan struct{}, yield func(itemKind, discover.Found), fail func(error)) {
	scanFor := func(g *discover.Globs, kind itemKind, is func(string) bool) {
		s := discover.Scan{Globs: g, Stop: stop, Yield: func(files []discover.Found) {
			for _, one := range files {
				if !one.Irregular && is(one.Path) && (one.Way == discover.WayDirect || !g.HasOwnName(one.Path)) {
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

// besides reports whether SQLite keeps the file beside a database.
func besides(path string) bool {
	return strings.HasSuffix(path, "-wal") || strings.HasSuffix(path, "-shm") || strings.HasSuffix(path, "-journal")
}

// modTime returns when a file was last written, or zero if stat fails.
func modTime(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
