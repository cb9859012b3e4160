package tail

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/errorlog"
	"github.com/tailspan/tailspan/internal/files/inventory"
	"github.com/tailspan/tailspan/tail/internal/fileset"
	"github.com/tailspan/tailspan/tail/internal/reader"
)

// StartAt selects where reading begins in files that exist at start.
type StartAt uint8

// The start positions.
const (
	// StartAtBeginning reads files whole.
	StartAtBeginning StartAt = iota
	// StartAtEnd skips the content that a file has at start, up to the next start of a line. A file that appears later is read
	// from its beginning.
	StartAtEnd
)

// String returns the wire value.
func (s StartAt) String() string {
	if s == StartAtEnd {
		return "end"
	}
	return "beginning"
}

// ParseStartAt parses the wire value; an empty string means beginning.
func ParseStartAt(s string) (StartAt, error) {
	switch s {
	case "", "beginning":
		return StartAtBeginning, nil
	case "end":
		return StartAtEnd, nil
	default:
		return 0, fmt.Errorf("start_at must be beginning or end, got %q", s)
	}
}

// Defaults of [Settings].
const (
	DefaultPollInterval       = time.Second
	DefaultIdleFlush          = 2 * time.Second
	DefaultSuspendAfter       = 10 * time.Second
	DefaultMaxLineSize        = 16 << 20
	DefaultBatchBytes         = 1 << 20
	DefaultBatchLines         = 512
	DefaultMaxConcurrentFiles = 4
	DefaultMaxOpenFiles       = 64
	DefaultRetryInterval      = 100 * time.Millisecond
	DefaultMaxRetryInterval   = 5 * time.Second
	DefaultDrainTimeout       = 2 * time.Second
	DefaultUnlinkGrace        = 5 * time.Second
	DefaultKeepUnlinked       = 7 * 24 * time.Hour
)

// Settings configures what to read and how. The zero value of each field except Include selects its default.
type Settings struct {
	// Include and Exclude are glob patterns; see the package documentation.
	Include, Exclude []string
	// Skip excludes further files by their slash-separated paths, such as those that package poll reads. Nil: none.
	Skip func(path string) bool
	// StartAt is where reading begins in files that exist at start.
	StartAt StartAt
	// PollInterval is the time between two scans of all files, which are a safety net for watched folders. After a slow scan
	// the time is longer: up to two minutes, or, without watches, long enough that scans take at most 5 % of a core.
	PollInterval time.Duration
	// PollOnly turns off the watching of folders.
	PollOnly bool
	// IdleFlush is the time after which an unterminated last line that is one complete JSON object is delivered. Negative:
	// never.
	IdleFlush time.Duration
	// IdleClose is the time without a line after which a consumer is closed. It is opened again when the file grows. With
	// Replay, it is closed at once if the file has not changed for that long and the consumer has nothing pending
	// ([Stateful]). 0: never.
	IdleClose time.Duration
	// SuspendAfter is the time without a line after which a [Suspender] is suspended; it needs Replay. Large files, and those
	// that were suspended before, must be idle for longer. Negative: never.
	SuspendAfter time.Duration
	// ExcludeOlderThan skips files that, when first seen, have not changed for that long. Once they change, they are read as
	// StartAt says. 0: none.
	ExcludeOlderThan time.Duration
	// UnlinkGrace is how long an unlinked file stays open in case it reappears under another name.
	UnlinkGrace time.Duration
	// MaxLineSize is the size in bytes above which a line is counted and abridged, or skipped.
	MaxLineSize int
	// BatchBytes and BatchLines bound one call of [Consumer.Lines]. A line longer than BatchBytes is a separate batch.
	BatchBytes, BatchLines int
	// MaxConcurrentFiles is how many files are read at the same time.
	MaxConcurrentFiles int
	// MaxOpenFiles is how many recently read files stay open, so that they are read to their end if they are deleted or moved
	// away. Negative: none.
	MaxOpenFiles int
	// Descriptors is shared with other sources, whose files count too. Nil: this source has its own.
	Descriptors *Descriptors
	// RetryInterval is the first wait after a refused batch or a failed read; it doubles up to MaxRetryInterval.
	RetryInterval, MaxRetryInterval time.Duration
	// Store keeps checkpoints across restarts. Nil: none are kept.
	Store Store
	// KeepUnlinked is how long the store keeps the checkpoint of a file that is not found.
	KeepUnlinked time.Duration
	// Replay delivers all acknowledged lines again, marked [Line.Replayed], to a consumer that is opened for a file that was
	// read before.
	Replay bool
	// DrainTimeout is how long Shutdown waits for running calls of the handler before it cancels their context.
	DrainTimeout time.Duration
	// Logger receives one entry for each file and reason, never one per line read. Nil: none.
	Logger *zap.Logger
	// WatchWarning makes the sources that share it warn only once that folders can't be watched. Nil: each warns.
	WatchWarning *sync.Once
	// Observer receives counts of what happens.
	Observer Observer
}

// Validate returns all errors joined, each naming its key.
func (s *Settings) Validate() error {
	var errs []error
	if len(s.Include) == 0 {
		errs = append(errs, errors.New("include must name at least one glob"))
	}
	for _, p := range s.Include {
		errs = append(errs, ValidateGlob("include", p))
	}
	for _, p := range s.Exclude {
		errs = append(errs, ValidateGlob("exclude", p))
	}
	if s.StartAt > StartAtEnd {
		errs = append(errs, fmt.Errorf("start_at must be beginning or end, got %d", s.StartAt))
	}
	for _, limit := range []struct {
		key   string
		value int64
	}{
		{"poll_interval", int64(s.PollInterval)},
		{"idle_close", int64(s.IdleClose)},
		{"exclude_older_than", int64(s.ExcludeOlderThan)},
		{"unlink_grace", int64(s.UnlinkGrace)},
		{"keep_unlinked", int64(s.KeepUnlinked)},
		{"max_line_size", int64(s.MaxLineSize)},
		{"batch_bytes", int64(s.BatchBytes)},
		{"batch_lines", int64(s.BatchLines)},
		{"max_concurrent_files", int64(s.MaxConcurrentFiles)},
		{"retry_interval", int64(s.RetryInterval)},
		{"max_retry_interval", int64(s.MaxRetryInterval)},
		{"drain_timeout", int64(s.DrainTimeout)},
	} {
		if limit.value < 0 {
			errs = append(errs, fmt.Errorf("%s must not be negative, got %d", limit.key, limit.value))
		}
	}
	return errors.Join(errs...)
}

// WithDefaults returns the settings with each zero field set to its default.
func (s Settings) WithDefaults() Settings {
	s.PollInterval = cmp.Or(s.PollInterval, DefaultPollInterval)
	s.IdleFlush = cmp.Or(s.IdleFlush, DefaultIdleFlush)
	s.SuspendAfter = cmp.Or(s.SuspendAfter, DefaultSuspendAfter)
	s.UnlinkGrace = cmp.Or(s.UnlinkGrace, DefaultUnlinkGrace)
	s.KeepUnlinked = cmp.Or(s.KeepUnlinked, DefaultKeepUnlinked)
	s.MaxLineSize = cmp.Or(s.MaxLineSize, DefaultMaxLineSize)
	s.BatchBytes = cmp.Or(s.BatchBytes, DefaultBatchBytes)
	s.BatchLines = cmp.Or(s.BatchLines, DefaultBatchLines)
	s.MaxConcurrentFiles = cmp.Or(s.MaxConcurrentFiles, DefaultMaxConcurrentFiles)
	s.MaxOpenFiles = cmp.Or(s.MaxOpenFiles, DefaultMaxOpenFiles)
	s.RetryInterval = cmp.Or(s.RetryInterval, DefaultRetryInterval)
	s.MaxRetryInterval = cmp.Or(s.MaxRetryInterval, DefaultMaxRetryInterval)
	s.DrainTimeout = cmp.Or(s.DrainTimeout, DefaultDrainTimeout)
	s.MaxRetryInterval = max(s.MaxRetryInterval, s.RetryInterval)
	s.Observer = s.Observer.WithDefaults()
	if s.Descriptors == nil {
		s.Descriptors = NewDescriptors()
	}
	if s.WatchWarning == nil {
		s.WatchWarning = new(sync.Once)
	}
	if s.Logger == nil {
		s.Logger = zap.NewNop()
	}
	return s
}

// workers returns how many files are read at the same time: fewer if the process has few descriptors. Each worker uses one and
// usually causes the exporter that receives its lines to use another.
func (s *Settings) workers() int {
	return int(min(int64(s.MaxConcurrentFiles), max(1, s.Descriptors.Limit()/2)))
}

// unsaved returns what reports that the store did not save something.
func (s *Settings) unsaved(log *errorlog.Log) func(key string, err error) {
	return errorlog.Both(s.Observer.Unsaved, log.Unsaved)
}

func (s *Settings) saver(log *errorlog.Log) *checkpoint.Saver {
	return checkpoint.NewSaver(s.Store, s.Observer.Saved, s.unsaved(log))
}

// inventoryKey is the store key of the inventory of the last start.
const inventoryKey = "seen/files"

func (s *Settings) inventory(ctx context.Context, log *errorlog.Log, globs *discover.Globs) (inventory.Inventory, error) {
	return inventory.Load(ctx, s.Store, inventoryKey, errorlog.Both(s.Observer.Unusable, log.UnusableInventory), globs)
}

func (s *Settings) reader() reader.Settings {
	return reader.Settings{
		Include: s.Include, MaxLineSize: s.MaxLineSize, BatchBytes: s.BatchBytes, BatchLines: s.BatchLines,
		IdleFlush: s.IdleFlush, IdleClose: s.IdleClose, SuspendAfter: s.SuspendAfter, Replay: s.Replay, Observer: s.Observer,
	}
}

func (s *Settings) fileset() fileset.Settings {
	return fileset.Settings{
		StartAtEnd: s.StartAt == StartAtEnd, ExcludeOlderThan: s.ExcludeOlderThan, UnlinkGrace: s.UnlinkGrace, KeepUnlinked: s.KeepUnlinked,
		PollInterval: s.PollInterval, RetryInterval: s.RetryInterval, MaxRetryInterval: s.MaxRetryInterval,
		Workers: s.workers(), MaxOpenFiles: s.MaxOpenFiles, Descriptors: s.Descriptors, Reader: s.reader(), Logger: s.Logger, Observer: s.Observer,
	}
}

// ValidateGlob returns what is wrong with a pattern; the error names the key that holds it.
func ValidateGlob(key, pattern string) error { return discover.ValidateGlob(key, pattern) }
