package fileset

import (
	"time"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/internal/files/stream"
	"github.com/tailspan/tailspan/tail/internal/reader"
)

// Settings configures which files are read, and when. The values and their defaults come from the Tailer.
type Settings struct {
	// StartAtEnd skips the content that files have at start.
	StartAtEnd bool
	// ExcludeOlderThan skips files that, when first seen, have not changed for that long. 0: none.
	ExcludeOlderThan time.Duration
	// UnlinkGrace is how long an unlinked file is kept open.
	UnlinkGrace time.Duration
	// KeepUnlinked is how long the store keeps the checkpoint of a file that is not found.
	KeepUnlinked time.Duration
	// PollInterval is the time until the next try after a folder was unreadable.
	PollInterval time.Duration
	// RetryInterval is the first wait after a refused batch or a failed read; it doubles up to MaxRetryInterval.
	RetryInterval, MaxRetryInterval time.Duration
	// Workers is how many files are read at the same time; MaxOpenFiles is how many others are kept open.
	Workers, MaxOpenFiles int
	Descriptors           *openfile.Descriptors
	// Reader controls when a visit suspends or closes a consumer.
	Reader   reader.Settings
	Logger   *zap.Logger
	Observer stream.Observer
}
