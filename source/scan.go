package source

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tailspan/tailspan/source/internal/fingerprint"
)

// found is a path that matches, as it was seen.
type found struct {
	path  string
	id    fingerprint.FileID
	size  int64
	mtime int64
	// irregular: it is a pipe, a socket, a device; not to be opened.
	irregular bool
}

// scanBatch is how many paths are handed on at once.
const scanBatch = 256

// scan is one pass over the folders.
type scan struct {
	globs *globs
	watch *watcher // gets each folder before it is listed; may be nil
	yield func([]found)
	// leftOut is called for each file that Settings.Skip leaves out; may be nil.
	leftOut func(path string)
	stop    <-chan struct{}
	batch   []found
	errs    []error
}

// all scans everything that may match.
func (s *scan) all() {
	seen := map[string]bool{}
	for _, g := range s.globs.include {
		if !seen[g.base] {
			seen[g.base] = true
			s.base(filepath.FromSlash(g.base))
		}
	}
	s.flush()
}

// below scans one folder that appeared.
func (s *scan) below(folder string) {
	info, err := os.Lstat(folder)
	switch {
	case err != nil:
		s.fail(err)
	case info.IsDir(), info.Mode()&fs.ModeSymlink != 0 && s.globs.follows(folder) && isFolder(folder):
		s.folder(folder)
	}
	s.flush()
}

// base scans the folder that holds a pattern's matches. If it isn't there yet, the nearest folder above it is watched, so that
// its creation is seen.
func (s *scan) base(folder string) {
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		for above := filepath.Dir(folder); ; above = filepath.Dir(above) {
			if isFolder(above) {
				s.watch.add(above)
				return
			}
			if above == filepath.Dir(above) {
				return
			}
		}
	case err != nil:
		s.fail(err)
	case info.IsDir():
		s.folder(folder)
	default: // a pattern without a meta character is its own base
		s.watch.add(filepath.Dir(folder))
		if s.globs.match(folder) {
			s.file(folder, info)
		} else {
			s.leave(folder)
		}
	}
}

// folder lists a folder and what is below it. It is watched before it is listed: what comes in between is seen twice
// and not missed.
func (s *scan) folder(folder string) {
	select {
	case <-s.stop:
		return
	default:
	}
	s.watch.add(folder)
	entries, err := os.ReadDir(folder)
	if err != nil {
		s.fail(err) // what was read before the error is used
	}
	inside := s.globs.in(folder)
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		switch {
		case e.IsDir():
			if s.globs.canHold(path) {
				s.folder(path)
			}
		case e.Type()&fs.ModeSymlink != 0:
			s.link(path)
		case inside.match(path, e.Name()):
			s.entry(path, e)
		default:
			s.leave(path)
		}
	}
}

// leave reports a file that another source reads.
func (s *scan) leave(path string) {
	if s.leftOut != nil && s.globs.skip != nil && s.globs.skip(filepath.ToSlash(path)) {
		s.leftOut(path)
	}
}

// entry stats a file that is no link.
func (s *scan) entry(path string, e fs.DirEntry) {
	if !e.Type().IsRegular() {
		s.add(found{path: path, irregular: true})
		return
	}
	info, err := e.Info() // lstat
	if err != nil {
		s.fail(err)
		return
	}
	s.file(path, info)
}

// link resolves a symbolic link. A file is taken under the link's path, unless it is known under its own; a folder is entered
// where that can't form a cycle.
func (s *scan) link(path string) {
	matches, follows := s.globs.match(path), s.globs.follows(path)
	if !matches {
		s.leave(path)
	}
	if !matches && !follows {
		return
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		s.fail(err)
	case info.IsDir() && follows:
		s.folder(path)
	case !info.IsDir() && matches:
		s.file(path, info)
	}
}

func (s *scan) file(path string, info fs.FileInfo) {
	f := found{path: path, size: info.Size(), mtime: info.ModTime().UnixNano(), irregular: !info.Mode().IsRegular()}
	f.id, _ = fingerprint.IDOf(info)
	s.add(f)
}

func (s *scan) add(f found) {
	s.batch = append(s.batch, f)
	if len(s.batch) >= scanBatch {
		s.flush()
	}
}

func (s *scan) flush() {
	if len(s.batch) > 0 {
		s.yield(s.batch)
		s.batch = nil
	}
}

// fail records an error. A file that is removed between listing and stat is none.
func (s *scan) fail(err error) {
	if !errors.Is(err, fs.ErrNotExist) {
		s.errs = append(s.errs, err)
	}
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// scanRequest asks for a scan: of all, or of some folders that appeared.
type scanRequest struct {
	all     bool
	folders []string
}

// scanReport is a part of what a scan found; the last one says so.
type scanReport struct {
	files []found
	done  bool
	all   bool
	took  time.Duration
	errs  []error
}

// serveScans scans on request, until stop is closed.
func serveScans(g *globs, w *watcher, requests <-chan scanRequest, reports chan<- scanReport, stop <-chan struct{}) {
	report := func(r scanReport) {
		select {
		case reports <- r:
		case <-stop:
		}
	}
	for {
		var req scanRequest
		select {
		case req = <-requests:
		case <-stop:
			return
		}
		begin := time.Now()
		s := &scan{globs: g, watch: w, stop: stop, yield: func(files []found) { report(scanReport{files: files}) }}
		if req.all {
			s.all()
		} else {
			for _, folder := range req.folders {
				s.below(folder)
			}
		}
		report(scanReport{done: true, all: req.all, took: time.Since(begin), errs: s.errs})
	}
}
