package poll

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tailspan/tailspan/tail"
)

// DefaultMaxDocumentSize is the default of [Settings.MaxDocumentSize].
const DefaultMaxDocumentSize = 64 << 20

// Settings configures what to poll and how. The zero value of each field selects its default.
type Settings struct {
	// Documents are globs of files, each of which is one document if IsDocument returns true for its path.
	Documents  []string
	IsDocument func(path string) bool
	// MaxDocumentSize is the size in bytes, after decompression, above which a document is skipped.
	MaxDocumentSize int
	// Databases are globs of OpenCode databases.
	Databases []string
	// RowsSince excludes database rows written before it, except those that later rows refer to. Zero: none are excluded.
	RowsSince time.Time
	// Shared are settings that the Tailer has too: Exclude, StartAt, PollInterval, MaxLineSize (of a row), BatchBytes, BatchLines,
	// UnlinkGrace, IdleClose (of documents only with a Store), ExcludeOlderThan (of documents), RetryInterval, MaxRetryInterval,
	// DrainTimeout, PollOnly, Store, KeepUnlinked, Logger, WatchWarning, Observer. The others have no effect.
	Shared tail.Settings
}

// Validate returns all errors joined, each naming its key.
func (s *Settings) Validate() error {
	settings := s.Shared
	settings.Include = slices.Concat(s.Documents, s.Databases)
	var errs []error
	if len(settings.Include) > 0 {
		errs = append(errs, settings.Validate())
	}
	if s.MaxDocumentSize < 0 {
		errs = append(errs, fmt.Errorf("max_document_size must not be negative, got %d", s.MaxDocumentSize))
	}
	return errors.Join(errs...)
}

func (s Settings) withDefaults() Settings {
	if s.IsDocument == nil {
		s.IsDocument = func(string) bool { return true }
	}
	s.MaxDocumentSize = cmp.Or(s.MaxDocumentSize, DefaultMaxDocumentSize)
	s.Shared = s.Shared.WithDefaults()
	return s
}
