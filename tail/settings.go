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

// StartAt says where reading begins in files that exist at start.
type StartAt uint8

// The places to start at.
const (
	// StartAtBeginning reads files whole.
	StartAtBeginning StartAt = iota
	// StartAtEnd skips what a file holds at start, up to the next line start. A file that appears later is read
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

// ParseStartAt parses the wire value; an empty string is the beginning.
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
	DefaultBatchBytes         = 256 << 10
	DefaultBatchLines         = 512
	DefaultMaxConcurrentFiles = 4
	DefaultMaxOpenFiles       = 64
	DefaultRetryInterval      = 100 * time.Millisecond
	DefaultMaxRetryInterval   = 5 * time.Second
	DefaultDrainTimeout       = 2 * time.Second
	DefaultUnlinkGrace        = 5 * time.Second
	DefaultKeepUnlinked       = 7 * 24 * time.Hour
)

// Settings says what to read and how. The zero value of each field but Include is its default.
type Settings struct {
	// Include and Exclude are glob patterns; see the package documentation.
	Include, Exclude []string
	// Skip leaves out more files, by their paths with slashes, such as those that package poll reads. Nil: none.
	Skip func(path string) bool
	// StartAt is where reading begins in files that exist at start.
	StartAt StartAt
	// PollInterval is the time between two scans of all files, a safety net where folders are watched. It is stretched when a
	// scan takes long: up to two minutes, or without watches so that scans take 5 % of a core at most.
	PollInterval time.Duration
	// PollOnly turns watching of folders off.
	PollOnly bool
	// IdleFlush is the time after which an unterminated last line that is one complete JSON object is taken.
	// Negative: never.
	IdleFlush time.Duration
	// IdleClose is the time without a line after which a consumer is closed, to be opened again when the file
	// grows; with Replay, at once if the file was changed last so long ago and the consumer has nothing pending ([Stateful]).
	// 0: never.
	IdleClose time.Duration
	// SuspendAfter is the time without a line after which a [Suspender] is suspended, with Replay. Large files, and those that
	// were suspended before, must be idle for longer. Negative: never.
	SuspendAfter time.Duration
	// ExcludeOlderThan skips files that were not changed for that long when they are first seen, until they are changed; then
	// they are read as StartAt says. 0: none.
	ExcludeOlderThan time.Duration
	// UnlinkGrace is how long an unlinked file is kept open, in case it comes back under another name.
	UnlinkGrace time.Duration
	// MaxLineSize is the size in bytes over which a line is abridged, or skipped, and counted.
	MaxLineSize int
	// BatchBytes and BatchLines bound one call of [Consumer.Lines]. A line longer than BatchBytes is a batch of its own.
	BatchBytes, BatchLines int
	// MaxConcurrentFiles is how many files are read at the same time.
	MaxConcurrentFiles int
	// MaxOpenFiles is how many files that were read lately are kept open, so that they are read to their end
	// when they are deleted or moved away. Negative: none.
	MaxOpenFiles int
	// Descriptors are shared with other sources, whose files count too. Nil: they are this source's alone.
	Descriptors *Descriptors
	// RetryInterval is the first wait after a refusal or a failed read; it doubles up to MaxRetryInterval.
	RetryInterval, MaxRetryInterval time.Duration
	// Store keeps checkpoints over a restart. Nil: none are kept.
	Store Store
	// KeepUnlinked is how long the store keeps the checkpoint of a file that is not found.
	KeepUnlinked time.Duration
	// Replay delivers all acknowledged lines again, marked [Line.Replayed], to a consumer that is opened for a file that was
	// read before.
	Replay bool
	// DrainTimeout is how long Shutdown waits for running calls of the handler before it ends their context.
	DrainTimeout time.Duration
	// Logger gets one entry for each file and reason, never one for each line read. Nil: none.
	Logger *zap.Logger
	// WatchWarning lets sources that share it warn once together that folders can't be watched. Nil: each warns.
	WatchWarning *sync.Once
	// Observer receives counts of what happens.
	Observer Observer
}

// Validate returns all errors, each with its key.
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

// WithDefaults returns the settings with the default of each field that is zero.
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

// workers is how many files are read at the same time: fewer where the process may have few descriptors. Each uses
// one, and mostly one more of the exporter that its lines go to.
func (s *Settings) workers() int {
	return int(min(int64(s.MaxConcurrentFiles), max(1, s.Descriptors.Limit()/2)))
}

func (s *Settings) saver() *checkpoint.Saver {
	return &checkpoint.Saver{Store: s.Store, Saved: s.Observer.Saved, Unsaved: s.Observer.Unsaved}
}

// inventoryKey is the key of the inventory of the last start.
const inventoryKey = "seen/files"

func (s *Settings) inventory(ctx context.Context, log *errorlog.Log, globs *discover.Globs) (inventory.Inventory, error) {
	return inventory.Load(ctx, s.Store, inventoryKey, func(key string, err error) {
		s.Observer.Unusable(key, err)
		log.UnusableInventory(key, err)
	}, globs)
}

// reader is what a reader needs.
func (s *Settings) reader() reader.Settings {
	return reader.Settings{
		Include: s.Include, MaxLineSize: s.MaxLineSize, BatchBytes: s.BatchBytes, BatchLines: s.BatchLines,
		IdleFlush: s.IdleFlush, IdleClose: s.IdleClose, SuspendAfter: s.SuspendAfter, Replay: s.Replay, Observer: s.Observer,
	}
}

// fileset is what the set of files needs.
func (s *Settings) fileset() fileset.Settings {
	return fileset.Settings{
		StartAtEnd: s.StartAt == StartAtEnd, ExcludeOlderThan: s.ExcludeOlderThan, UnlinkGrace: s.UnlinkGrace, KeepUnlinked: s.KeepUnlinked,
		PollInterval: s.PollInterval, RetryInterval: s.RetryInterval, MaxRetryInterval: s.MaxRetryInterval,
		Workers: s.workers(), MaxOpenFiles: s.MaxOpenFiles, Descriptors: s.Descriptors, Reader: s.reader(), Logger: s.Logger, Observer: s.Observer,
	}
}

// ValidateGlob reports what is wrong with a pattern, naming the key that holds it.
func ValidateGlob(key, pattern string) error { return discover.ValidateGlob(key, pattern) }
