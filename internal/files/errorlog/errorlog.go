// Package errorlog logs errors of files and checkpoints, once for each path and reason.
package errorlog

import (
	"errors"
	"io/fs"
	"sync"
	"sync/atomic"
	"syscall"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/openfile"
)

// maxReasons bounds the paths whose last reason is kept.
const maxReasons = 4096

// Log logs errors once for each path and reason, because a retry fails for the same reason.
type Log struct {
	logger  *zap.Logger
	reasons map[string]string // the last reason by path
	store   atomic.Value      // the last reason of the store, a string
	// exhausted is true once the lack of descriptors was logged.
	exhausted bool
}

// New returns a Log.
func New(logger *zap.Logger) *Log { return &Log{logger: logger} }

// isNew reports whether a reason differs from the path's last one, and records it.
func (l *Log) isNew(path, reason string) bool {
	if known, ok := l.reasons[path]; ok && known == reason {
		return false
	}
	if l.reasons == nil || len(l.reasons) >= maxReasons {
		l.reasons = map[string]string{}
	}
	l.reasons[path] = reason
	return true
}

// Resolved records that a path has no error any more.
func (l *Log) Resolved(path string) { delete(l.reasons, path) }

// Unreadable logs a path that can't be read, with advice if there is any.
func (l *Log) Unreadable(path string, err error) {
	if openfile.NoneLeft(err) {
		l.noDescriptors(path, err)
		return
	}
	if !l.isNew(path, err.Error()) {
		return
	}
	fields := []zap.Field{zap.String("path", path), zap.Error(err)}
	if advice := adviceFor(err); advice != "" {
		fields = append(fields, zap.String("advice", advice))
	}
	l.logger.Warn("file or folder is not readable, will retry", fields...)
}

// noDescriptors logs, once for all files, that the system has no descriptors left.
func (l *Log) noDescriptors(path string, err error) {
	if l.exhausted {
		return
	}
	l.exhausted = true
	l.logger.Warn("no file descriptor left, closing idle files, will retry",
		zap.String("path", path), zap.Error(err), zap.String("advice", "raise the limit of open files (ulimit -n)"))
}

// Irregular logs a path that is not a regular file.
func (l *Log) Irregular(path string) {
	if l.isNew(path, "not regular") {
		l.logger.Info("skipping non-regular file", zap.String("path", path))
	}
}

// storeAdvice is the advice for a store that can't save checkpoints.
const storeAdvice = "check that the storage is writable and has space; after a restart, lines are exported again"

// Both returns a function that passes an error of a key or path to an observer and to a log.
func Both(observe, log func(key string, err error)) func(key string, err error) {
	return func(key string, err error) {
		observe(key, err)
		log(key, err)
	}
}

// Unsaved logs that the store did not save a checkpoint, once for each reason, whichever the file. Any goroutine may call it.
func (l *Log) Unsaved(_ string, err error) {
	reason := errors.Unwrap(err)
	if reason == nil {
		reason = err
	}
	if text := reason.Error(); l.store.Swap(text) == text {
		return
	}
	l.logger.Error("checkpoint not saved, will retry", zap.Error(err), zap.String("advice", storeAdvice))
}

// Unusable logs a stored checkpoint that is not used, because a broken or unknown format is never guessed.
func (l *Log) Unusable(key string, err error) {
	l.logger.Error("stored checkpoint is not readable, reading its file as new", zap.String("key", key), zap.Error(err))
}

// UnusableInventory logs a stored inventory that is not used.
func (l *Log) UnusableInventory(key string, err error) {
	l.logger.Error("stored inventory is not readable, deciding by file times which files are new", zap.String("key", key), zap.Error(err))
}

// Watcher returns a watcher, or nil if it can't be created. It passes each folder that can't be watched to refused, or an
// empty name if none can be, and logs that once for all sources that share the Once.
func (l *Log) Watcher(newWatcher discover.NewWatcherFunc, refused func(folder string, err error), once *sync.Once) *discover.Watcher {
	unwatched := func(folder string, err error) {
		refused(folder, err)
		once.Do(func() {
			l.logger.Warn("folders can't be watched, polling them each poll_interval", zap.String("folder", folder), zap.Error(err),
				zap.String("advice", "on Linux raise fs.inotify.max_user_watches or fs.inotify.max_user_instances"))
		})
	}
	w, err := newWatcher(unwatched)
	if err != nil {
		unwatched("", err)
	}
	return w
}

// PathOf returns the path in an error, or an empty string.
func PathOf(err error) string {
	if pathErr := (*fs.PathError)(nil); errors.As(err, &pathErr) {
		return pathErr.Path
	}
	return ""
}

// adviceFor returns advice for a read error, or an empty string.
func adviceFor(err error) string {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "grant the user of this process read access to the file and its folders, or add the file to exclude"
	case errors.Is(err, syscall.EIO):
		return "check the disk, or the server of the mounted folder"
	default:
		return ""
	}
}
