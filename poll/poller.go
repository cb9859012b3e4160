package poll

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/dirty"
	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/errorlog"
	"github.com/tailspan/tailspan/internal/files/inventory"
	"github.com/tailspan/tailspan/internal/files/lifecycle"
	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/tail"
)

// Poller follows documents that are rewritten in place, and OpenCode databases.
type Poller struct {
	settings Settings
	handler  tail.Handler
	finder   finder

	lifecycle lifecycle.Lifecycle
	work      sync.WaitGroup

	// Replaced by tests.
	newWatcher discover.NewWatcherFunc
	openFile   openfile.Opener
	watch      *discover.Watcher
	dirty      *dirty.Set[dirtyStream]

	// Used only by the goroutine once it runs.
	states   itemStates
	seen     inventory.Inventory // used only at start
	items    []*item
	byPath   map[string]*item
	errorLog *errorlog.Log
	search   search
}

// inventoryKey is the store key of the inventory of the last start.
const inventoryKey = "seen/items"

// search is the last scan for sources.
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

// New returns a Poller that is not started.
func New(settings Settings, handler tail.Handler) (*Poller, error) {
	if handler == nil {
		return nil, errors.New("handler must not be nil")
	}
	if err := settings.Validate(); err != nil {
		return nil, err
	}
	settings = settings.withDefaults()
	p := &Poller{
		settings: settings, handler: handler, byPath: map[string]*item{},
		newWatcher: discover.NewWatcher, openFile: openfile.Open, dirty: dirty.New[dirtyStream](),
	}
	shared := &p.settings.Shared
	p.errorLog = errorlog.New(shared.Logger)
	p.states = itemStates{settings: shared, log: p.errorLog, saver: checkpoint.NewSaver(shared.Store, shared.Observer.Saved, p.unsaved())}
	var err error
	p.finder, err = newFinder(&p.settings)
	return p, err
}

// Start scans once and then polls until Shutdown. The values of ctx reach the handler; its cancellation does not stop the Poller.
func (p *Poller) Start(ctx context.Context) error {
	return p.lifecycle.Start(ctx, p.start)
}

func (p *Poller) start(ctx, run context.Context) error {
	if p.finder.empty() {
		return nil
	}
	err := p.states.load(ctx)
	if err != nil {
		return err
	}
	if !p.settings.Shared.PollOnly {
		p.watch = p.errorLog.Watcher(p.newWatcher, p.settings.Shared.Observer.WatchRefused, p.settings.Shared.WatchWarning)
	}
	unusable := errorlog.Both(p.settings.Shared.Observer.Unusable, p.errorLog.UnusableInventory)
	if p.seen, err = inventory.Load(ctx, p.settings.Shared.Store, inventoryKey, unusable, p.finder.sets()...); err != nil {
		return errors.Join(err, p.watch.Close())
	}
	p.find(run, true)
	if err := p.seen.Save(ctx); err != nil {
		p.unsaved()(inventoryKey, err)
	}
	p.states.saver.Start(run)
	p.work.Go(func() { p.run(run) })
	return nil
}

// Shutdown stops the Poller as [tail.Tailer.Shutdown] does.
func (p *Poller) Shutdown(ctx context.Context) error {
	wait := func() {
		p.work.Wait()
		p.states.saver.Stop()
	}
	return p.lifecycle.Shutdown(ctx, p.settings.Shared.DrainTimeout, wait, func() error {
		errs := []error{p.watch.Close()}
		for _, it := range p.items {
			errs = append(errs, p.closeItem(ctx, it, tail.CloseReasonShutdown))
		}
		p.items = nil
		return errors.Join(append(errs, p.states.saver.Flush(ctx))...)
	})
}

// unsaved returns what reports that the store did not save something.
func (p *Poller) unsaved() func(key string, err error) {
	return errorlog.Both(p.settings.Shared.Observer.Unsaved, p.errorLog.Unsaved)
}
