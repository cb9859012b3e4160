package tail

import (
	"container/list"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/zap"

	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/internal/files/inventory"
	"github.com/tailspan/tailspan/internal/files/openfile"
)

// maxRetired is how many retired files are kept, to be recognised when they come back.
const maxRetired = 4096

// table is all that is known of files. It belongs to the manager's goroutine.
type table struct {
	*matcher
	globs    *discover.Globs
	seen     inventory.Inventory // of use at start alone
	settled  bool                // all files of the start were visited
	expired  []string            // ids of streams whose checkpoints are to be deleted
	active   *list.List          // files with an active consumer, the one read last at the front
	wanted   discover.Request    // what the next scan covers
	reported [2]int              // files known and open, as last reported
	errorLog errorLog
}

func newTable(settings Settings, g *discover.Globs) *table {
	s := &settings
	return &table{
		matcher: &matcher{
			index: &index{
				paths: map[string]*file{}, ids: map[fingerprint.FileID]*file{}, heads: heads{files: map[headKey]*file{}},
				unlinked: map[*file]struct{}{}, names: &streamNames{taken: map[string]struct{}{}}, scans: 1,
			},
			scheduler: &scheduler{settings: s, packed: newPackedQueue(s.workers())},
			handles:   &handles{settings: s, kept: list.New()},
			settings:  s, starts: map[fingerprint.FileID]*file{}, restored: map[storedKey]*file{},
		},
		globs: g, active: list.New(), errorLog: errorLog{logger: s.Logger},
	}
}

// reportFiles reports how many files there are, when that changed.
func (t *table) reportFiles() {
	now := [2]int{len(t.paths), t.kept.Len()}
	if now != t.reported {
		t.settings.Observer.Files(now[0], now[1])
	}
	t.reported = now
}

// logMissing logs once, at start, which patterns match nothing yet; files that another source reads count as matches.
func (t *table) logMissing(leftOut []string) {
	var missing, folders []string
	for _, g := range t.globs.Include {
		switch one := (discover.Globs{Include: []discover.Glob{g}}); {
		case discover.IsFolder(filepath.FromSlash(g.Pattern)):
			folders = append(folders, g.Raw)
		case !one.MatchesAny(maps.Keys(t.paths)) && !one.MatchesAny(slices.Values(leftOut)):
			missing = append(missing, g.Raw)
		}
	}
	if len(folders) > 0 {
		t.settings.Logger.Warn("include names folders, skipping them", zap.Strings("include", folders),
			zap.String("advice", "name the files in a folder, as in FOLDER/**/*.jsonl"))
	}
	if len(missing) > 0 {
		t.settings.Logger.Info("no file matches yet, waiting", zap.Strings("include", missing))
	}
}

// logFound logs, once at start, how many files there are, and of how many [StartAtEnd] skips the content.
func (t *table) logFound() {
	skipped := 0
	for _, f := range t.paths {
		if f.seek > 0 {
			skipped++
		}
	}
	if len(t.paths) > 0 {
		t.settings.Logger.Info("watching files", zap.Int("found", len(t.paths)), zap.Int("skipped_to_end", skipped))
	}
}

// report handles the errors of a scan.
func (t *table) report(errs []error) {
	for _, err := range errs {
		path := pathOf(err)
		if openfile.NoneLeft(err) {
			t.settings.Descriptors.Exhaust()
		}
		t.settings.Observer.Failed(path, err, t.settings.PollInterval)
		t.errorLog.unreadable(path, err)
	}
}

// ingest handles a path that a scan found.
func (t *table) ingest(one discover.Found, atStart bool) {
	if one.Irregular {
		if t.paths[one.Path] == nil {
			t.errorLog.irregular(one.Path)
		} else {
			t.schedule(t.paths[one.Path])
		}
		return
	}
	f := t.paths[one.Path]
	if f == nil {
		if atStart && t.resume(one) {
			return
		}
		// What came while no process ran is no old file.
		atStart = atStart && !t.seen.Arrived(one, t.lastRun)
		f = t.newFile(one.Path)
		f.size, f.mtime = one.Size, one.MTime
		if atStart {
			f.id = one.ID
			if one.Size > 0 {
				f.origin = originStart
				t.seen.Leave(one)
			}
		}
		toEnd := atStart && t.settings.StartAt == StartAtEnd
		skip := toEnd && openfile.IsCompressed(one.Path)
		if toEnd && !skip {
			f.seek = one.Size
		}
		if toEnd && one.ID != (fingerprint.FileID{}) {
			t.starts[one.ID] = f
		}
		if age := t.settings.ExcludeOlderThan; age > 0 && time.Since(time.Unix(0, one.MTime)) > age {
			skip = true
			if !toEnd {
				f.origin = originNew // its next change shows what it is
			}
		}
		if one.Size > 0 && !skip {
			t.schedule(f)
		}
		return
	}
	f.seen = t.scans
	known := f
	if f.state == stateLink {
		known = f.target
	}
	changed := one.Size != known.size || one.MTime != known.mtime || f.state != stateNew && one.ID != known.id
	switch {
	case !changed:
	case f.state == stateLink && one.ID != known.id:
		t.unlinkName(f)
		t.schedule(f)
	default:
		t.schedule(known)
	}
}

// event handles an event of a path.
func (t *table) event(event fsnotify.Event, w *discover.Watcher) {
	path := event.Name
	if event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename) {
		if w.Unwatch(path) {
			t.wanted.All = true
		}
	}
	if f := t.paths[path]; f != nil {
		switch {
		case f.state != stateLink:
		case event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename):
			t.unlinkName(f)
		case !event.Has(fsnotify.Create): // else another file may be there now
			f = f.target
		}
		t.schedule(f)
		return
	}
	if event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename) || event.Op == fsnotify.Chmod {
		return
	}
	if t.globs.Match(path) {
		t.schedule(t.newFile(path))
	}
	if event.Has(fsnotify.Create) && t.globs.CanHold(path) {
		t.wanted.Folders = append(t.wanted.Folders, path)
	}
}

// scanned handles a part of what a scan found.
func (t *table) scanned(r discover.Report) {
	for _, one := range r.Files {
		t.ingest(one, false)
	}
	if !r.Done {
		return
	}
	t.report(r.Errs)
	if !r.All {
		return
	}
	for _, f := range t.paths {
		if f.seen != t.scans {
			f.seen = t.scans
			t.schedule(f) // its next visit shows whether it is unlinked
		}
	}
}

func without(files []*file, f *file) []*file {
	for i, one := range files {
		if one == f {
			return append(files[:i:i], files[i+1:]...)
		}
	}
	return files
}

// atPath reports whether a file's path still leads to it.
func atPath(f *file) bool { return fingerprint.LeadsTo(f.path, f.id) }

// nextScan returns the next request, if there is one and no scan runs.
func (t *table) nextScan(scanning bool) (discover.Request, bool) {
	if scanning || !t.wanted.All && len(t.wanted.Folders) == 0 {
		return discover.Request{}, false
	}
	req := t.wanted
	t.wanted = discover.Request{}
	if req.All {
		t.scans++
		if t.scans > 3 && len(t.queue) == 0 && len(t.packed.queue) == 0 && t.working == 0 {
			clear(t.starts) // what two scans did not find under another path is removed
			if !t.settled {
				t.settled = true
				t.expireRestored()
			}
		}
	}
	return req, true
}
