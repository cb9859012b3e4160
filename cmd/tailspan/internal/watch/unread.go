package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tailspan/tailspan/internal/files/lines"
	"github.com/tailspan/tailspan/tail"
)

// maxUnread bounds the known paths that cannot be read.
const maxUnread = 1000

// Unread holds the files and folders that cannot be read. It is safe for concurrent use.
type Unread struct {
	// Clean removes secrets from a path. Report, if set, is called once for each path. Changed is called after a change.
	Clean   func(string) string
	Report  func(problem string)
	Changed func()

	mu    sync.Mutex
	paths []string // in the order of their first error
	why   map[string]error
}

// Failed records that a path cannot be read.
func (u *Unread) Failed(path string, err error, _ time.Duration) {
	if errors.Is(err, fs.ErrNotExist) {
		return // removed meanwhile
	}
	for inner := errors.Unwrap(err); inner != nil && strings.Contains(err.Error(), path); inner = errors.Unwrap(err) {
		err = inner // it names the path too
	}
	u.mu.Lock()
	_, known := u.why[path]
	full := len(u.paths) >= maxUnread
	if !known && !full {
		if u.why == nil {
			u.why = map[string]error{}
		}
		u.paths, u.why[path] = append(u.paths, path), err
	}
	u.mu.Unlock()
	if known || full {
		return
	}
	if u.Report != nil {
		u.Report(fmt.Sprintf("cannot read %q: %v", u.Clean(path), err))
	}
	u.Changed()
}

// Read records that a file was read, and with it the folders above it. The lines of a file in UTF-16 are read, but not recognized.
func (u *Unread) Read(path string, _ int, _ int64) {
	u.remove(func(p string) bool {
		return p == path && !errors.Is(u.why[p], lines.ErrUTF16) || strings.HasPrefix(path, p+string(filepath.Separator))
	})
}

// Closed records that a file was removed or has new content.
func (u *Unread) Closed(path string, reason tail.CloseReason) {
	if reason == tail.CloseReasonUnlinked || reason == tail.CloseReasonRewritten {
		u.remove(func(p string) bool { return p == path })
	}
}

func (u *Unread) remove(obsolete func(path string) bool) {
	u.mu.Lock()
	before := len(u.paths)
	u.paths = slices.DeleteFunc(u.paths, func(p string) bool {
		remove := obsolete(p)
		if remove {
			delete(u.why, p)
		}
		return remove
	})
	changed := len(u.paths) < before
	u.mu.Unlock()
	if changed {
		u.Changed()
	}
}

// Notice names the first path in at most width cells and counts the others. It is "" if everything can be read.
func (u *Unread) Notice(width int) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.paths) == 0 {
		return ""
	}
	path := u.paths[0]
	end := ": " + u.why[path].Error()
	if more := len(u.paths) - 1; more > 0 {
		end += fmt.Sprintf(", and %d more (tailspan doctor)", more)
	}
	const begin = "cannot read "
	return begin + fitEnd(line(u.Clean(path)), max(leastPath, width-cells(begin+end))) + end
}

// leastPath is the room of a path in a notice, in cells.
const leastPath = 16
