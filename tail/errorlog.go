package tail

import (
	"errors"
	"io/fs"
	"syscall"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/internal/files/openfile"
)

// errorLog logs errors once for each path and reason, since a retry fails for the same reason.
type errorLog struct {
	logger  *zap.Logger
	reasons map[string]string // the last reason by path
	store   string            // the last reason of the store
	// exhausted is true once the lack of descriptors was logged.
	exhausted bool
}

// isNew reports whether a reason differs from the last one of a path, and records it.
func (c *errorLog) isNew(path, reason string) bool {
	if known, ok := c.reasons[path]; ok && known == reason {
		return false
	}
	if c.reasons == nil || len(c.reasons) >= maxRetired {
		c.reasons = map[string]string{}
	}
	c.reasons[path] = reason
	return true
}

// resolved records that a path has no error any more.
func (c *errorLog) resolved(path string) { delete(c.reasons, path) }

// unreadable logs what can't be read, with what can be done about it.
func (c *errorLog) unreadable(path string, err error) {
	if openfile.NoneLeft(err) {
		c.noDescriptors(path, err)
		return
	}
	if !c.isNew(path, err.Error()) {
		return
	}
	fields := []zap.Field{zap.String("path", path), zap.Error(err)}
	if advice := adviceFor(err); advice != "" {
		fields = append(fields, zap.String("advice", advice))
	}
	c.logger.Warn("file or folder is not readable, will retry", fields...)
}

// noDescriptors logs once that the system has no descriptors left, whatever the file.
func (c *errorLog) noDescriptors(path string, err error) {
	if c.exhausted {
		return
	}
	c.exhausted = true
	c.logger.Warn("no file descriptor left, closing idle files and trying again",
		zap.String("path", path), zap.Error(err), zap.String("advice", "raise the limit of open files (ulimit -n)"))
}

// irregular logs a path that is no regular file.
func (c *errorLog) irregular(path string) {
	if c.isNew(path, "not regular") {
		c.logger.Info("skipping non-regular file", zap.String("path", path))
	}
}

// storeAdvice is what to do about a store that saves no checkpoint.
const storeAdvice = "check that the storage is writable and has space; after a restart, lines are exported again"

// unsaved logs that the store saves no checkpoint: once for each reason, whatever the file.
func (c *errorLog) unsaved(err error) {
	reason := errors.Unwrap(err)
	if reason == nil {
		reason = err
	}
	if c.store == reason.Error() {
		return
	}
	c.store = reason.Error()
	c.logger.Error("checkpoint not saved, will retry", zap.Error(err), zap.String("advice", storeAdvice))
}

// pathOf is the path that an error is about, empty if it has none.
func pathOf(err error) string {
	if pathErr := (*fs.PathError)(nil); errors.As(err, &pathErr) {
		return pathErr.Path
	}
	return ""
}

// adviceFor is what to do about a read error, if that is known.
func adviceFor(err error) string {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "let the user that this process runs as read the file and enter its folders, or leave it out by exclude"
	case errors.Is(err, syscall.EIO):
		return "check the disk, or the server that the folder is mounted from"
	default:
		return ""
	}
}
