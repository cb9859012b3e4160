package agentstreamreceiver

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"sync"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/poll"
	"github.com/tailspan/tailspan/tail"
)

// databaseName is the file name of the OpenCode database.
const databaseName = "opencode.db"

// sources are files of lines, and the polled documents and databases.
type sources struct {
	files  *tail.Tailer // nil if there are no files to read
	polled *poll.Poller
}

// newSources divides what the settings name: documents by their path, databases by the setting or their usual name, and
// everything else as files of lines. Offsets are stored in store unless it is nil.
func newSources(cfg *config.Stream, logger *zap.Logger, observer tail.Observer, store tail.Store, handler tail.Handler) (sources, error) {
	startAt, err := tail.ParseStartAt(cfg.StartAt)
	if err != nil {
		return sources{}, err
	}
	settings := tail.Settings{
		Include:            cfg.Include,
		Exclude:            cfg.Exclude,
		StartAt:            startAt,
		PollInterval:       cfg.PollInterval,
		IdleFlush:          cfg.ForceFlushPeriod,
		IdleClose:          cfg.IdleClose,
		ExcludeOlderThan:   cfg.ExcludeOlderThan,
		MaxLineSize:        int(cfg.MaxLineSize),
		MaxConcurrentFiles: cfg.MaxConcurrentFiles,
		Store:              store,
		Logger:             logger,
		WatchWarning:       new(sync.Once),
		Descriptors:        tail.NewDescriptors(),
		Observer:           observer,
	}
	var s sources
	s.polled, err = poll.New(poll.Settings{
		Documents:       cfg.Include,
		IsDocument:      parser.IsDocument,
		MaxDocumentSize: int(cfg.MaxDocumentSize),
		Databases:       slices.Concat(cfg.Databases, poll.InFolders(cfg.Include, databaseName)),
		Shared:          settings,
	}, handler)
	if err != nil || len(cfg.Include) == 0 {
		return s, err
	}
	settings.Exclude = slices.Concat(cfg.Exclude, cfg.Databases)
	settings.Skip = func(file string) bool { return parser.IsDocument(file) || isDatabase(file) }
	settings.Replay = true
	s.files, err = tail.New(settings, handler)
	return s, err
}

// isDatabase reports whether a name is that of the OpenCode database or of the files that SQLite keeps beside it.
func isDatabase(file string) bool {
	besides, ok := strings.CutPrefix(path.Base(file), databaseName)
	return ok && slices.Contains([]string{"", "-wal", "-shm", "-journal"}, besides)
}

func (s *sources) start(ctx context.Context) error {
	if s.files != nil {
		if err := s.files.Start(ctx); err != nil {
			return err
		}
	}
	return s.polled.Start(ctx)
}

// shutdown stops both concurrently, so that each has all of the time.
func (s *sources) shutdown(ctx context.Context) error {
	if s.polled == nil {
		return nil // start failed before that
	}
	polled := make(chan error, 1)
	go func() { polled <- s.polled.Shutdown(ctx) }()
	var err error
	if s.files != nil {
		err = s.files.Shutdown(ctx)
	}
	return errors.Join(err, <-polled)
}
