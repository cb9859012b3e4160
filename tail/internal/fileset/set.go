package fileset

import (
	"container/list"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/zap"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/dirty"
	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/errorlog"
	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/internal/files/inventory"
	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/internal/files/stream"
	"github.com/tailspan/tailspan/tail/internal/reader"
)

// maxRetired is how many retired files are kept to be recognized if they reappear.
const maxRetired = 4096

// Set is everything known of all files. It is for use by one goroutine, except Names and the functions in [reader.Open.Dirty].
type Set struct {
	*matcher
	globs    *discover.Globs
	seen     *inventory.Inventory // used only at start
	settled  bool                 // all files found at start were visited
	expired  []string             // IDs of streams whose checkpoints are to be deleted
	active   *list.List           // files with an active consumer, most recently read first
	wanted   discover.Request     // what the next scan covers
	reported [2]int               // known and open files, as last reported
}

// New returns an empty set. seen is the inventory of the last start.
func New(settings Settings, g *discover.Globs, seen *inventory.Inventory, log *errorlog.Log) *Set {
	s := &settings
	return &Set{
		matcher: &matcher{
			index: &index{
				paths: map[string]*File{}, ids: map[fingerprint.FileID]*File{}, heads: heads{files: map[headKey]*File{}},
				unlinked: map[*File]struct{}{}, names: stream.NewNames(), scans: 1,
			},
			scheduler: &scheduler{settings: s, packed: newPackedQueue(s.Workers), dirty: dirty.New[*File]()},
			handles:   &handles{settings: s, kept: list.New()},
			settings:  s, starts: map[fingerprint.FileID]*File{}, restored: map[storedKey]*File{}, log: log,
		},
		globs: g, seen: seen, active: list.New(),
	}
}

// Names returns the stream IDs of all files.
func (t *Set) Names() *stream.Names { return t.names }

// TakeExpired returns, once, the IDs of streams whose checkpoints are to be deleted. The caller frees each ID after that.
func (t *Set) TakeExpired() []string {
	expired := t.expired
	t.expired = nil
	return expired
}

// ScanAll makes the next scan cover all folders.
func (t *Set) ScanAll() { t.wanted.All = true }

// LogStart logs, once at start, the number of files, the number whose content start_at: end skips, and the patterns that match
// nothing. leftOut are files that another source reads.
func (t *Set) LogStart(leftOut []string) {
	t.logMissing(leftOut)
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

// Close closes everything that is open as the source stops, and saves the last checkpoints.
func (t *Set) Close(ctx context.Context, saver *checkpoint.Saver) error {
	var errs []error
	for one := range t.all() {
		j := one.job()
		errs = append(errs, reader.Shutdown(ctx, &j, saver, &t.settings.Observer))
	}
	t.kept = list.New()
	return errors.Join(errs...)
}

// ReportFiles reports the number of files if it changed.
func (t *Set) ReportFiles() {
	now := [2]int{len(t.paths), t.kept.Len()}
	if now != t.reported {
		t.settings.Observer.Files(now[0], now[1])
	}
	t.reported = now
}

// logMissing logs which patterns match nothing yet. Files that another source reads count as matches.
func (t *Set) logMissing(leftOut []string) {
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

// Failed handles the errors of a scan.
func (t *Set) Failed(errs []error) {
	for _, err := range errs {
		path := errorlog.PathOf(err)
		if openfile.NoneLeft(err) {
			t.settings.Descriptors.Exhaust()
		}
		t.settings.Observer.Failed(path, err, t.settings.PollInterval)
		t.log.Unreadable(path, err)
	}
}

// Found handles a path that a scan found.
func (t *Set) Found(one discover.Found, atStart bool) {
	if one.Irregular {
		if t.paths[one.Path] == nil {
			t.log.Irregular(one.Path)
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
		// A file that appeared while no process ran did not exist at the last start.
		atStart = atStart && !t.seen.Arrived(one, t.lastRun)
		f = t.newFile(one.Path)
		f.size, f.mtime, f.way = one.Size, one.MTime, one.Way
		if atStart {
			f.id = one.ID
			if one.Size > 0 {
				f.origin = originStart
				t.seen.Leave(one)
			}
		}
		toEnd := atStart && t.settings.StartAtEnd
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
	f.seen, f.way = t.scans, one.Way
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

// Event handles a file system event.
func (t *Set) Event(event fsnotify.Event, w *discover.Watcher) {
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
		case !event.Has(fsnotify.Create): // otherwise another file may be there now
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

// Scanned handles one part of the result of a scan.
func (t *Set) Scanned(r discover.Report) {
	for _, one := range r.Files {
		t.Found(one, false)
	}
	if !r.Done {
		return
	}
	t.Failed(r.Errs)
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

func without(files []*File, f *File) []*File {
	for i, one := range files {
		if one == f {
			return append(files[:i:i], files[i+1:]...)
		}
	}
	return files
}

// atPath reports whether a file's path still leads to it.
func atPath(f *File) bool { return fingerprint.LeadsTo(f.path, f.id) }

// NextScan returns the next request, if there is one and no scan runs.
func (t *Set) NextScan(scanning bool) (discover.Request, bool) {
	if scanning || !t.wanted.All && len(t.wanted.Folders) == 0 {
		return discover.Request{}, false
	}
	req := t.wanted
	t.wanted = discover.Request{}
	if req.All {
		t.scans++
		if t.scans > 3 && len(t.queue) == 0 && len(t.packed.queue) == 0 && t.working == 0 {
			clear(t.starts) // drops those that two scans did not find under another path
			if !t.settled {
				t.settled = true
				t.expireRestored()
			}
		}
	}
	return req, true
}
