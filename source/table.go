package source

import (
	"container/list"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/zap"
)

// maxClosed is how many files that are gone are kept, to be recognised when they come back.
const maxClosed = 4096

// table is all that is known of files. It belongs to the manager's goroutine.
type table struct {
	settings Settings
	globs    *globs
	names    *streamNames

	paths  map[string]*file
	ids    map[fileID]*file // identified files
	heads  heads
	starts map[fileID]*file // files that were there at start and are not identified yet, with [StartAtEnd]
	closed list.List        // files in stateClosed, the oldest first
	gone   map[*file]struct{}
	// restored are the files of the store, until all that is there has been looked at; lastRun is when the last of
	// them was written, in Unix seconds.
	restored map[storedKey]*file
	lastRun  int64
	seen     inventory // of use at start alone
	settled  bool      // all that was there at start has been looked at
	dead     []string  // ids of streams whose positions are to be deleted

	queue  []*file // wait for a worker
	sleepy []*file // wait for one too, before the others; see askToRest
	packed packedQueue
	timers timers
	kept   *list.List // files with an open handle, the one read last at the front
	awake  *list.List // files whose consumer is open and does not rest, the one read last at the front
	busy   int        // files that workers have

	wanted     wanted
	look       uint32 // number of the current look at all files
	told       [2]int // files known and open, as last told
	complaints complaints
}

func newTable(settings Settings, g *globs) *table {
	return &table{
		settings: settings, globs: g, names: &streamNames{taken: map[string]struct{}{}},
		paths: map[string]*file{}, ids: map[fileID]*file{}, starts: map[fileID]*file{}, heads: heads{files: map[headKey]*file{}},
		packed: newPackedQueue(settings.workers()),
		gone:   map[*file]struct{}{}, restored: map[storedKey]*file{}, kept: list.New(), awake: list.New(), look: 1, complaints: complaints{logger: settings.Logger},
	}
}

// all gives each file that may have something open.
func (t *table) all() iter.Seq[*file] {
	return func(yield func(*file) bool) {
		for _, f := range t.paths {
			if !yield(f) {
				return
			}
		}
		for f := range t.gone {
			if !yield(f) {
				return
			}
		}
	}
}

// tellFiles tells the observer how many files there are, when that changed.
func (t *table) tellFiles() {
	now := [2]int{len(t.paths), t.kept.Len()}
	if tell := t.settings.Observer.Files; tell != nil && now != t.told {
		tell(now[0], now[1])
	}
	t.told = now
}

// tellMissing says once, at start, which patterns match nothing yet; what others read of what they match counts too.
func (t *table) tellMissing(leftOut []string) {
	var missing, folders []string
	for _, g := range t.globs.include {
		switch one := (globs{include: []glob{g}}); {
		case isFolder(filepath.FromSlash(g.pattern)):
			folders = append(folders, g.raw)
		case !one.matchesAny(maps.Keys(t.paths)) && !one.matchesAny(slices.Values(leftOut)):
			missing = append(missing, g.raw)
		}
	}
	if len(folders) > 0 {
		t.settings.Logger.Warn("A folder stands where files should be named, and nothing in it is read; name the files in it, "+
			"as in FOLDER/**/*.jsonl", zap.Strings("include", folders))
	}
	if len(missing) > 0 {
		t.settings.Logger.Info("No file matches yet; waiting", zap.Strings("include", missing))
	}
}

// logFound logs, once at start, how many files there are, and of how many [StartAtEnd] leaves out what they hold.
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

// report deals with what a look met.
func (t *table) report(errs []error) {
	for _, err := range errs {
		path := pathOf(err)
		if noDescriptors(err) {
			t.settings.Descriptors.exhaust()
		}
		t.settings.Observer.failed(path, err, t.settings.PollInterval)
		t.complaints.unreadable(path, err)
	}
}

// newFile notes a path that was not known.
func (t *table) newFile(path string) *file {
	f := &file{path: path, wakeSlot: -1, seen: t.look}
	t.paths[path] = f
	return f
}

// ingest takes what a look found under a path.
func (t *table) ingest(one found, atStart bool) {
	if one.irregular {
		if t.paths[one.path] == nil {
			t.complaints.irregular(one.path)
		} else {
			t.touch(t.paths[one.path])
		}
		return
	}
	f := t.paths[one.path]
	if f == nil {
		if atStart && t.resume(one) {
			return
		}
		// What came while no process looked is no old file.
		atStart = atStart && !t.seen.arrived(one, t.lastRun)
		f = t.newFile(one.path)
		f.size, f.mtime = one.size, one.mtime
		if atStart {
			f.first, f.id = one.size > 0, one.id
			if f.first {
				t.seen.leave(one)
			}
		}
		toEnd := atStart && t.settings.StartAt == StartAtEnd
		skip := toEnd && isCompressed(one.path)
		if toEnd && !skip {
			f.seek = one.size
		}
		if toEnd && one.id != (fileID{}) {
			t.starts[one.id] = f
		}
		if age := t.settings.IgnoreOlderThan; age > 0 && time.Since(time.Unix(0, one.mtime)) > age {
			skip = true
			f.first = f.first && toEnd // else what it is shows when it is changed
		}
		if one.size > 0 && !skip {
			t.touch(f)
		}
		return
	}
	f.seen = t.look
	known := f
	if f.state == stateAlias {
		known = f.target
	}
	changed := one.size != known.size || one.mtime != known.mtime || f.state != stateNew && one.id != known.id
	switch {
	case !changed:
	case f.state == stateAlias && one.id != known.id:
		t.unalias(f)
		t.touch(f)
	default:
		t.touch(known)
	}
}

// event takes what the system tells of a path.
func (t *table) event(event fsnotify.Event, w *watcher) {
	path := event.Name
	if event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename) {
		if w.forget(path) {
			t.wanted.all = true
		}
	}
	if f := t.paths[path]; f != nil {
		switch {
		case f.state != stateAlias:
		case event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename):
			t.unalias(f)
		case !event.Has(fsnotify.Create): // else another file may stand there now
			f = f.target
		}
		t.touch(f)
		return
	}
	if event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename) || event.Op == fsnotify.Chmod {
		return
	}
	if t.globs.match(path) {
		t.touch(t.newFile(path))
	}
	if event.Has(fsnotify.Create) && t.globs.canHold(path) {
		t.wanted.folders = append(t.wanted.folders, path)
	}
}

// reported takes a part of what a look found.
func (t *table) reported(r scanReport) {
	for _, one := range r.files {
		t.ingest(one, false)
	}
	if !r.done {
		return
	}
	t.report(r.errs)
	if !r.all {
		return
	}
	for _, f := range t.paths {
		if f.seen != t.look {
			f.seen = t.look
			t.touch(f) // it will be found to be gone, or not
		}
	}
}

// unalias makes a path one of its own again.
func (t *table) unalias(f *file) {
	f.target.strayed = true
	t.touch(f.target) // so that it is written down
	f.target.aliases = without(f.target.aliases, f)
	f.anew()
}

// anew forgets what was found out of a path, which may lead to another file by now.
func (f *file) anew() {
	f.state, f.target, f.claims = stateNew, nil, nil
	f.held, f.disowned, f.rechecked = 0, false, false
}

// release makes paths of their own again of what were names of a file that turned out to be another one.
func (t *table) release(f *file) {
	for _, name := range f.aliases {
		name.anew()
		t.touch(name)
	}
	f.aliases = nil
}

// giveNames has the other names of a file be another one's.
func (f *file) giveNames(to *file) {
	for _, name := range f.aliases {
		name.target = to
	}
	to.aliases = append(to.aliases, f.aliases...)
	f.aliases = nil
}

// drop forgets a path.
func (t *table) drop(f *file) {
	if f.target != nil {
		t.unalias(f)
	}
	t.release(f)
	if t.paths[f.path] == f {
		delete(t.paths, f.path)
	}
	t.disarm(f)
}

func without(files []*file, f *file) []*file {
	for i, one := range files {
		if one == f {
			return append(files[:i:i], files[i+1:]...)
		}
	}
	return files
}

// under tells whether a file's path still leads to it.
func under(f *file) bool { return leadsTo(f.path, f.id) }

// isPresent tells whether a file of the store, which is not followed yet, was seen at start and is there still, under
// whatever path: it is about to be found, or to be another one by now.
func (f *file) isPresent() bool {
	return f.presentAt != "" && f.slot != nil && leadsTo(f.presentAt, f.id)
}

// hasStrayed tells whether a file that is there lost a name, also if that was not noticed yet.
func (f *file) hasStrayed() bool {
	return f.strayed || slices.ContainsFunc(f.aliases, func(name *file) bool { return !leadsTo(name.path, f.id) })
}

// wanted is what the next look is to be at.
type wanted struct {
	all     bool
	folders []string
}

// nextLook gives the next request, if there is one and no look is under way.
func (t *table) nextLook(scanning bool) (scanRequest, bool) {
	if scanning || !t.wanted.all && len(t.wanted.folders) == 0 {
		return scanRequest{}, false
	}
	req := scanRequest(t.wanted)
	t.wanted = wanted{}
	if req.all {
		t.look++
		if t.look > 3 && len(t.queue) == 0 && len(t.packed.queue) == 0 && t.busy == 0 {
			clear(t.starts) // what two looks did not find under another path is gone
			if !t.settled {
				t.settled = true
				t.expireRestored()
			}
		}
	}
	return req, true
}
