package discover

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tailspan/tailspan/internal/files/fingerprint"
)

// Found is a path that matches, as seen by a scan.
type Found struct {
	Path  string
	ID    fingerprint.FileID
	Size  int64
	MTime int64
	// Irregular is true for a pipe, socket or device, which must not be opened.
	Irregular bool
	Way       Way
}

// Way is how a path leads to a file.
type Way uint8

const (
	WayUnknown Way = iota
	WayDirect      // through no symbolic link, so the path is the file's own name
	WayLinked      // through one or more symbolic links
)

// scanBatch is how many paths are yielded at once.
const scanBatch = 256

// Scan is one pass over the folders.
type Scan struct {
	Globs *Globs
	Watch *Watcher // adds each folder before it is listed; may be nil
	Yield func([]Found)
	// LeftOut is called for each file that [Globs.Skip] excludes; may be nil.
	LeftOut func(path string)
	Stop    <-chan struct{}
	batch   []Found
	way     Way // of the files in the current folder
	Errs    []error
}

// All scans everything that may match.
func (s *Scan) All() {
	seen := map[string]bool{}
	for _, g := range s.Globs.Include {
		if !seen[g.Base] {
			seen[g.Base] = true
			s.base(filepath.FromSlash(g.Base))
		}
	}
	s.flush()
}

// Below scans one folder that appeared.
func (s *Scan) Below(folder string) {
	s.way = wayTo(folder)
	info, err := os.Lstat(folder)
	switch {
	case err != nil:
		s.fail(err)
	case info.IsDir(), info.Mode()&fs.ModeSymlink != 0 && s.Globs.Follows(folder) && IsFolder(folder):
		s.folder(folder)
	}
	s.flush()
}

// base scans the folder that holds a pattern's matches. If it does not exist yet, the nearest existing folder above it is
// watched to see its creation.
func (s *Scan) base(folder string) {
	s.way = wayTo(folder)
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.Watch.AddNearest(folder)
	case err != nil:
		s.fail(err)
	case info.IsDir():
		s.folder(folder)
	default: // a pattern without wildcards is its own base
		s.Watch.Add(filepath.Dir(folder))
		if s.Globs.Match(folder) {
			s.file(folder, info)
		} else {
			s.leave(folder)
		}
	}
}

// folder lists a folder and everything below it. It watches the folder first, so that what appears in between is seen twice
// rather than missed.
func (s *Scan) folder(folder string) {
	select {
	case <-s.Stop:
		return
	default:
	}
	s.Watch.Add(folder)
	entries, err := os.ReadDir(folder)
	if err != nil {
		s.fail(err) // entries read before the error are used
	}
	inside := s.Globs.In(folder)
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		switch {
		case e.IsDir():
			if s.Globs.CanHold(path) {
				s.folder(path)
			}
		case e.Type()&fs.ModeSymlink != 0:
			s.link(path)
		case inside.matches(path, e.Name()):
			s.entry(path, e)
		default:
			s.leave(path)
		}
	}
}

// leave reports a file that another source reads.
func (s *Scan) leave(path string) {
	if s.LeftOut != nil && s.Globs.Skip != nil && s.Globs.Skip(filepath.ToSlash(path)) {
		s.LeftOut(path)
	}
}

// entry stats a file that is not a link.
func (s *Scan) entry(path string, e fs.DirEntry) {
	if !e.Type().IsRegular() {
		s.add(Found{Path: path, Irregular: true})
		return
	}
	info, err := e.Info() // lstat
	if err != nil {
		s.fail(err)
		return
	}
	s.file(path, info)
}

// link resolves a symbolic link. A file is added under the path of the link. A folder is entered if that can't form a cycle.
func (s *Scan) link(path string) {
	matches, follows := s.Globs.Match(path), s.Globs.Follows(path)
	if !matches {
		s.leave(path)
	}
	if !matches && !follows {
		return
	}
	defer func(way Way) { s.way = way }(s.way)
	s.way = WayLinked
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

func (s *Scan) file(path string, info fs.FileInfo) {
	f := Found{Path: path, Size: info.Size(), MTime: info.ModTime().UnixNano(), Irregular: !info.Mode().IsRegular(), Way: s.way}
	f.ID, _ = fingerprint.IDOf(info)
	s.add(f)
}

func (s *Scan) add(f Found) {
	s.batch = append(s.batch, f)
	if len(s.batch) >= scanBatch {
		s.flush()
	}
}

func (s *Scan) flush() {
	if len(s.batch) > 0 {
		s.Yield(s.batch)
		s.batch = nil
	}
}

// fail records an error, except that of a file removed between listing and stat.
func (s *Scan) fail(err error) {
	if !errors.Is(err, fs.ErrNotExist) {
		s.Errs = append(s.Errs, err)
	}
}

// wayTo returns the way to a path. A path that can't be resolved may have a link.
func wayTo(path string) Way {
	if real, err := filepath.EvalSymlinks(path); err == nil && real == path {
		return WayDirect
	}
	return WayLinked
}

// IsFolder reports whether a path leads to a folder.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Request asks for a scan of everything, or of folders that appeared.
type Request struct {
	All     bool
	Folders []string
}

// Report is one part of the result of a scan; Done marks the last part.
type Report struct {
	Files []Found
	Done  bool
	All   bool
	Took  time.Duration
	Errs  []error
}

// Serve runs scans on request until stop is closed.
func Serve(g *Globs, w *Watcher, requests <-chan Request, reports chan<- Report, stop <-chan struct{}) {
	report := func(r Report) {
		select {
		case reports <- r:
		case <-stop:
		}
	}
	for {
		var req Request
		select {
		case req = <-requests:
		case <-stop:
			return
		}
		begin := time.Now()
		s := &Scan{Globs: g, Watch: w, Stop: stop, Yield: func(files []Found) { report(Report{Files: files}) }}
		if req.All {
			s.All()
		} else {
			for _, folder := range req.Folders {
				s.Below(folder)
			}
		}
		report(Report{Done: true, All: req.All, Took: time.Since(begin), Errs: s.Errs})
	}
}
