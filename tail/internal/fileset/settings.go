package fileset

import (
	"time"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/internal/files/stream"
	"github.com/tailspan/tailspan/tail/internal/reader"
)

// Settings say which files are read, and when. They are those of the Tailer, which has the defaults.
type Settings struct {
	// StartAtEnd skips what files hold that exist at start.
	StartAtEnd bool
	// ExcludeOlderThan skips files that were not changed for that long when they are first seen. 0: none.
	ExcludeOlderThan time.Duration
	// UnlinkGrace is how long an unlinked file is kept open.
	UnlinkGrace time.Duration
	// KeepUnlinked is how long the store keeps the checkpoint of a file that is not found.
	KeepUnlinked time.Duration
	// PollInterval is the time to the next try after a folder was not readable.
	PollInterval time.Duration
	// RetryInterval is the first wait after a refusal or a failed read; it doubles up to MaxRetryInterval.
	RetryInterval, MaxRetryInterval time.Duration
	// Workers is how many files are read at the same time; MaxOpenFiles, how many are kept open besides.
	Workers, MaxOpenFiles int
	Descriptors           *openfile.Descriptors
	// Reader says when a visit suspends or closes a consumer.
	Reader   reader.Settings
	Logger   *zap.Logger
	Observer stream.Observer
}
