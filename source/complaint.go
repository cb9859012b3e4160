package source

import (
	"errors"
	"io/fs"
	"syscall"

	"go.uber.org/zap"
)

// complaints logs what is wrong, once for each path and reason: what is tried again fails again.
type complaints struct {
	logger *zap.Logger
	told   map[string]string // the last reason by path
	store  string            // the last reason of the store
	// exhausted is true once the lack of descriptors was logged.
	exhausted bool
}

// isNew tells whether a reason is not the one that was told last of a path, and takes note of it.
func (c *complaints) isNew(path, reason string) bool {
	if known, ok := c.told[path]; ok && known == reason {
		return false
	}
	if c.told == nil || len(c.told) >= maxClosed {
		c.told = map[string]string{}
	}
	c.told[path] = reason
	return true
}

// settled takes note that nothing is wrong with a path.
func (c *complaints) settled(path string) { delete(c.told, path) }

// unreadable tells of what can't be read, with what can be done about it.
func (c *complaints) unreadable(path string, err error) {
	if noDescriptors(err) {
		c.noDescriptors(path, err)
		return
	}
	if !c.isNew(path, err.Error()) {
		return
	}
	fields := []zap.Field{zap.String("path", path), zap.Error(err)}
	if advice := adviceOn(err); advice != "" {
		fields = append(fields, zap.String("advice", advice))
	}
	c.logger.Warn("A file or folder can't be read; it is tried again", fields...)
}

// noDescriptors logs once that the system gives no descriptors, whatever the file.
func (c *complaints) noDescriptors(path string, err error) {
	if c.exhausted {
		return
	}
	c.exhausted = true
	c.logger.Warn("no file descriptor left, closing idle files and trying again",
		zap.String("path", path), zap.Error(err), zap.String("advice", "raise the limit of open files (ulimit -n)"))
}

// irregular tells of what is no file.
func (c *complaints) irregular(path string) {
	if c.isNew(path, "not regular") {
		c.logger.Info("A pipe, socket or device matches and is left alone", zap.String("path", path))
	}
}

// storeComplaint says what it means that the store takes no position, and what to do.
const storeComplaint = "A position can't be saved and is tried again; after a restart its lines come again. " +
	"See that the storage has space and may be written to."

// unsaved tells that the store takes no position: once for each reason, whatever the file.
func (c *complaints) unsaved(err error) {
	reason := errors.Unwrap(err)
	if reason == nil {
		reason = err
	}
	if c.store == reason.Error() {
		return
	}
	c.store = reason.Error()
	c.logger.Error(storeComplaint, zap.Error(err))
}

// pathOf is the path that an error is about, empty if it does not tell.
func pathOf(err error) string {
	if pathErr := (*fs.PathError)(nil); errors.As(err, &pathErr) {
		return pathErr.Path
	}
	return ""
}

// adviceOn is what to do about an error of reading, if that is known.
func adviceOn(err error) string {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "let the user that this process runs as read the file and enter its folders, or leave it out by exclude"
	case errors.Is(err, syscall.EIO):
		return "see to the disk, or to the server that the folder is mounted from"
	default:
		return ""
	}
}
