package tail

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/tailspan/tailspan/internal/files/dirty"
	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/errorlog"
	"github.com/tailspan/tailspan/internal/files/inventory"
	"github.com/tailspan/tailspan/internal/files/openfile"
)

// Defaults of [PolledSettings].
const (
	// DefaultMaxDocumentSize is the size in bytes over which a document is skipped.
	DefaultMaxDocumentSize = 64 << 20
	// DefaultFamilyIdle is how long a family of sessions in a database is kept open without a new row.
	DefaultFamilyIdle = time.Hour
)

// PolledSettings says what to poll, and how. The zero value of each field is its default.
type PolledSettings struct {
	// Documents are globs of files of which each is one document if IsDocument says so of its path.
	Documents  []string
	IsDocument func(path string) bool
	// MaxDocumentSize is the size in bytes, after decompression, over which a document is skipped.
	MaxDocumentSize int
	// Databases are globs of OpenCode's databases.
	Databases []string
	// FamilyIdle is how long a family of sessions in a database is kept open without a new row.
	FamilyIdle time.Duration
	// Settings are those that the Tailer has too: Exclude, StartAt, PollInterval, MaxLineSize (of a row), BatchBytes, BatchLines,
	// UnlinkGrace, IdleClose (of documents, with a Store), ExcludeOlderThan (of documents), RetryInterval, MaxRetryInterval,
	// DrainTimeout, PollOnly, Store, KeepUnlinked, Logger, WatchWarning, Observer. The others have no effect.
	Settings Settings
}

// Validate returns all errors, each with its key.
func (s *PolledSettings) Validate() error {
	settings := s.Settings
	settings.Include = slices.Concat(s.Documents, s.Databases)
	var errs []error
	if len(settings.Include) > 0 {
		errs = append(errs, settings.Validate())
	}
	if s.MaxDocumentSize < 0 {
		errs = append(errs, fmt.Errorf("max_document_size must not be negative, got %d", s.MaxDocumentSize))
	}
	if s.FamilyIdle < 0 {
		errs = append(errs, fmt.Errorf("family_idle must not be negative, got %v", s.FamilyIdle))
	}
	return errors.Join(errs...)
}

// Polled follows sources that are no files of lines: documents that are rewritten in place, and OpenCode's databases. Each
// is identified by its path, and by its inode when it is renamed; one that is
// missing for [Settings.UnlinkGrace] is closed, and new when it comes again. Each is polled when its size or time changed: at
// once where its folder can be watched (of a database also the files that SQLite keeps beside it), and at each
// [Settings.PollInterval] besides. A document that stays incomplete for long is counted and logged.
//
//	source    a stream is             its lines are                  they come again
//	--------  ----------------------  -----------------------------  ------------------------------------------------
//	document  the document            one: all of it, at offset 0    whole, when it changed and its brackets match
//	database  a session with those    rows, as JSON                  row by row, when a row is new or was changed
//	          of its sub-agents
//
// So the consumer of a document or of rows must recognize what it received before; see packages parser/gemini and
// parser/opencode. A half-written document waits for its next change. With [StartAtEnd] a document that exists at start is
// delivered whole when it changes; of a database the rows that are written after the start, with the rows that they refer
// to.
//
// One goroutine polls all of them in turn, a batch at a time; it waits for the handler, so memory is bounded by one batch or
// one document. Delivery, retries and closing are as those of [Tailer].
//
// # Restarts
//
// A [Settings.Store] has a checkpoint of each stream, under the key "item/" and its id: how far it was acknowledged (of a
// document a hash of its content, of a family the times of rows) and the state of its consumer.
// An unchanged source is not opened, unless its consumer has pending output. Else the acknowledged lines are replayed as
// they are now ([Stream.Restated]), and then the new ones follow. With [StartAtEnd], what was written after the last
// checkpoint is new, and so is what was not there at the last start, as in [Tailer].
type Polled struct {
	settings PolledSettings
	handler  Handler
	finder   finder

	mu      sync.Mutex // of started and stopped
	started bool
	stopped bool

	stop   chan struct{}      // closed by Shutdown: no new batch
	cancel context.CancelFunc // ends the handler's context
	work   sync.WaitGroup

	// Seams for tests.
	newWatcher func(*Settings) (*discover.Watcher, error)
	openFile   openfile.Opener
	watch      *discover.Watcher
	dirty      *dirty.Set[dirtyStream]

	// Of the goroutine alone, once it runs.
	states   itemStates
	seen     inventory.Inventory // of use at start alone
	items    []*item
	byPath   map[string]*item
	errorLog *errorlog.Log
	search   search
}

// search is the last scan for what matches.
type search struct {
	ended time.Time
	took  time.Duration
	soon  bool // something appeared that may match
}

// dirtyStream is a stream whose consumer has a new state.
type dirtyStream struct {
	item *item
	key  string
}

// NewPolled makes a source. Start starts it.
func NewPolled(settings PolledSettings, handler Handler) (*Polled, error) {
	if handler == nil {
		return nil, errors.New("handler must not be nil")
	}
	if err := settings.Validate(); err != nil {
		return nil, err
	}
	if settings.IsDocument == nil {
		settings.IsDocument = func(string) bool { return true }
	}
	orDefault(&settings.MaxDocumentSize, DefaultMaxDocumentSize)
	orDefault(&settings.FamilyIdle, DefaultFamilyIdle)
	settings.Settings = settings.Settings.withDefaults()
	p := &Polled{
		settings: settings, handler: handler, byPath: map[string]*item{},
		newWatcher: newWatcher, openFile: openfile.Open, dirty: dirty.New[dirtyStream](),
	}
	p.states.settings, p.states.saver = &p.settings.Settings, p.settings.Settings.saver()
	p.errorLog = errorlog.New(p.settings.Settings.Logger)
	p.states.log = p.errorLog
	var err error
	p.finder, err = newFinder(&p.settings)
	return p, err
}

// Start scans once, and then polls until Shutdown. The values of ctx reach the handler; its end does not stop the source.
func (p *Polled) Start(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.started || p.stopped {
		return errors.New("start source: it was started or shut down before")
	}
	p.started = true
	p.stop = make(chan struct{})
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p.cancel = cancel
	if p.finder.empty() {
		return nil
	}
	err := p.states.load(ctx)
	if err != nil {
		cancel()
		return err
	}
	if !p.settings.Settings.PollOnly {
		w, err := p.newWatcher(&p.settings.Settings)
		if err != nil {
			p.settings.Settings.cannotWatch("", err)
		}
		p.watch = w
	}
	if p.seen, err = p.settings.Settings.inventory(ctx, itemsInventoryKey, p.errorLog, p.finder.sets()...); err != nil {
		cancel()
		return errors.Join(err, p.watch.Close())
	}
	p.find(run, true)
	if err := p.seen.Save(ctx); err != nil {
		p.settings.Settings.Observer.Unsaved(itemsInventoryKey, err)
		p.errorLog.Unsaved(err)
	}
	p.work.Go(func() { p.run(run) })
	return nil
}

// Shutdown ends the source as [Tailer.Shutdown] does.
func (p *Polled) Shutdown(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return nil
	}
	p.stopped = true
	if !p.started {
		return nil
	}
	close(p.stop)
	done := make(chan struct{})
	go func() {
		p.work.Wait()
		close(done)
	}()
	drain := time.NewTimer(p.settings.Settings.DrainTimeout)
	defer drain.Stop()
	select {
	case <-done:
	case <-drain.C:
	case <-ctx.Done():
	}
	p.cancel()
	<-done
	errs := []error{p.watch.Close()}
	for _, it := range p.items {
		errs = append(errs, p.closeItem(ctx, it, CloseReasonShutdown))
	}
	p.items = nil
	return errors.Join(errs...)
}
