package source

import (
	"errors"
	"io/fs"
	"syscall"

	"go.uber.org/zap"
)

// unreadable tells of what can't be read, with what can be done about it.
func unreadable(logger *zap.Logger, path string, err error) {
	fields := []zap.Field{zap.String("path", path), zap.Error(err)}
	if advice := adviceOn(err); advice != "" {
		fields = append(fields, zap.String("advice", advice))
	}
	logger.Warn("A file or folder can't be read; it is tried again", fields...)
}

// adviceOn is what to do about an error of reading, if that is known.
func adviceOn(err error) string {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "let the user that this process runs as read the file and enter its folders, or leave it out by exclude"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "raise the limit of open files (ulimit -n)"
	case errors.Is(err, syscall.EIO):
		return "see to the disk, or to the server that the folder is mounted from"
	default:
		return ""
	}
}
