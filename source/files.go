package source

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/zap"
)

// Files follows the files that match globs and hands their lines to a [Handler].
type Files struct {
	settings Settings
	handler  Handler
	globs    globs
	// Seams for tests.
	open       opener
	newWatcher func(*Settings) (*watcher, error)

	mu      sync.Mutex // of started and stopped
	started bool
	stopped bool

	stop    chan struct{}      // closed by Shutdown: no new batch
	giveUp  context.CancelFunc // ends the handler's context
	table   *table
	watch   *watcher
	saver   *saver
	nudges  *nudges[*file]
	jobs    chan job
	results chan result
	workers sync.WaitGroup
	manager sync.WaitGroup // the manager and the scanner
}

// New makes a source. Start starts it.
func New(settings Settings, handler Handler) (*Files, error) {
	if handler == nil {
		return nil, errors.New("handler must not be nil")
	}
	if err := settings.Validate(); err != nil {
		return nil, err
	}
	g, err := newGlobs(settings.Include, settings.Exclude)
	if err != nil {
		return nil, err
	}
	g.skip = settings.Skip
	return &Files{settings: settings.withDefaults(), handler: handler, globs: g, open: openFile, newWatcher: newWatcher}, nil
}

// Start looks at all files once, so that with [StartAtEnd] what is written after Start has returned is read, and then
// goes on by itself. The values of ctx reach the handler; its end does not stop the source, Shutdown does.
func (f *Files) Start(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.started || f.stopped {
		return errors.New("start source: it was started or shut down before")
	}
	f.started = true
	f.stop = make(chan struct{})
	f.jobs, f.results = make(chan job), make(chan result)
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f.giveUp = cancel
	if !f.settings.PollOnly {
		w, err := f.newWatcher(&f.settings)
		if err != nil {
			f.settings.cannotWatch("", err)
		}
		f.watch = w
	}
	f.table = newTable(f.settings, &f.globs)
	f.saver = &saver{store: f.settings.Store, observer: &f.settings.Observer}
	if err := f.table.restore(ctx, f.saver); err != nil {
		cancel()
		return errors.Join(err, f.watch.close())
	}
	var err error
	if f.table.seen, err = loadInventory(ctx, filesInventoryKey, &f.settings, &f.globs); err != nil {
		cancel()
		return errors.Join(err, f.watch.close())
	}
	f.nudges = newNudges[*file]()
	took := f.firstLook()
	if err := f.table.seen.save(ctx); err != nil {
		f.table.complaints.unsaved(err)
	}
	lent := newBuffers(f.settings.BatchBytes, f.settings.MaxLineSize)
	open := f.settings.Descriptors.counted(f.open)
	for range f.settings.workers() {
		r := &reader{
			settings: f.settings, handler: f.handler, globs: &f.globs, open: open, names: f.table.names, ctx: run, stop: f.stop,
			saver: f.saver, nudges: f.nudges,
			split: newSplitter(lent, f.settings.MaxLineSize),
		}
		f.workers.Go(func() {
			for j := range f.jobs {
				f.results <- r.do(j)
			}
		})
	}
	f.manager.Go(func() { f.manage(run, took) })
	return nil
}

// firstLook finds the files that are there at start.
func (f *Files) firstLook() time.Duration {
	begin := time.Now()
	var leftOut []string
	s := &scan{globs: &f.globs, watch: f.watch, stop: f.stop, yield: func(files []found) {
		for _, one := range files {
			f.table.ingest(one, true)
		}
	}, leftOut: func(path string) { leftOut = append(leftOut, path) }}
	s.all()
	f.table.report(s.errs)
	f.table.tellMissing(leftOut)
	f.table.logFound()
	return time.Since(begin)
}

// Shutdown ends the source: no new batch is begun; calls of the handler that are under way have
// [Settings.DrainTimeout], or as long as ctx lasts if that is shorter, and then their context ends. At last all
// consumers are closed. It may be called without Start, and again.
func (f *Files) Shutdown(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopped {
		return nil
	}
	f.stopped = true
	if !f.started {
		return nil
	}
	close(f.stop)
	done := make(chan struct{})
	go func() {
		f.manager.Wait()
		f.workers.Wait()
		close(done)
	}()
	drain := time.NewTimer(f.settings.DrainTimeout)
	defer drain.Stop()
	select {
	case <-done:
	case <-drain.C:
	case <-ctx.Done():
	}
	f.giveUp()
	<-done
	return errors.Join(f.watch.close(), f.closeAll(ctx))
}

// manage is the one goroutine that knows all files. It decides what is to be read; workers read.
func (f *Files) manage(ctx context.Context, took time.Duration) {
	t := f.table
	requests, reports := make(chan scanRequest, 1), make(chan scanReport)
	f.manager.Go(func() { serveScans(&f.globs, f.watch, requests, reports, f.stop) })
	var events <-chan fsnotify.Event
	var watchErrors <-chan error
	if f.watch != nil {
		events, watchErrors = f.watch.events, f.watch.errors
	}
	poll := time.NewTimer(f.pause(took))
	defer poll.Stop()
	tend := time.NewTimer(f.settings.PollInterval)
	defer tend.Stop()
	wake := time.NewTimer(time.Hour)
	defer wake.Stop()
	scanning := false
	for {
		if req, ok := t.nextLook(scanning); ok {
			scanning = true
			requests <- req
		}
		f.deleteDead(ctx)
		var jobs chan<- job
		var next job
		if j, ok := t.nextJob(); ok {
			jobs, next = f.jobs, j
		}
		wake.Reset(t.untilWake())
		t.tellFiles()
		select {
		case jobs <- next:
			t.begun(next)
		case res := <-f.results:
			t.settle(res)
		case event := <-events:
			t.event(event, f.watch)
		case <-f.nudges.signal:
			t.touchAll(f.nudges.take())
		case <-f.settings.Descriptors.wanted:
			t.closeIdle()
		case err := <-watchErrors:
			f.watchError(err)
		case report := <-reports:
			t.reported(report)
			if report.done {
				scanning = false
				if report.all {
					poll.Reset(f.pause(report.took))
				}
			}
		case <-wake.C:
			t.wakeUp()
		case <-poll.C:
			t.wanted.all = true
		case <-tend.C:
			tend.Reset(f.tend())
		case <-f.stop:
			f.drain()
			return
		}
	}
}

// deleteDead has the store forget what was found nowhere for long, beside the reading.
func (f *Files) deleteDead(ctx context.Context) {
	dead := f.table.dead
	if len(dead) == 0 {
		return
	}
	f.table.dead = nil
	f.manager.Go(func() {
		for _, id := range dead {
			f.saver.delete(ctx, []string{checkpointPrefix + id})
			f.table.names.free(id)
		}
	})
}

// watchError: the queue of events ran over, or the system has another complaint. Either way events may be missing.
func (f *Files) watchError(err error) {
	if err == nil {
		return
	}
	f.settings.Logger.Debug("Events of watched folders were lost; looking at all files", zap.Error(err))
	f.table.wanted.all = true
}

// Looking at all files takes no more than one part in so many of a core, whatever their number: where folders are watched
// it is only a safety net, but one that is there within longestWatchedPause. Tending takes no more than one in tendRest,
// but in longestUntended.
const (
	watchedRest         = 4800
	unwatchedRest       = 20
	longestWatchedPause = 2 * time.Minute
	tendRest            = 5000
	longestUntended     = 10 * time.Second
)

// pause is the time to the next look at all files: the poll interval, but so much longer when a look takes long that
// looking stays cheap.
func (f *Files) pause(took time.Duration) time.Duration {
	rest := unwatchedRest * took
	if f.watch.whole() {
		rest = max(rest, min(watchedRest*took, longestWatchedPause))
	}
	return max(f.settings.PollInterval, rest)
}

// tend lets go of what nothing happened to for long, and gives the time to when it is to be done again.
func (f *Files) tend() time.Duration {
	begin := time.Now()
	f.table.tend()
	return max(f.settings.PollInterval, min(tendRest*time.Since(begin), longestUntended))
}

// drain takes what workers still bring, until all have stopped.
func (f *Files) drain() {
	close(f.jobs)
	for f.table.busy > 0 {
		f.table.settle(<-f.results)
	}
}

// closeAll closes what is open at shutdown, and writes what is not written yet.
func (f *Files) closeAll(ctx context.Context) error {
	t := f.table
	var errs []error
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	for one := range t.all() {
		if err := one.closeHandle(); err != nil {
			errs = append(errs, fmt.Errorf("close file: %w", err))
		}
		if one.consumer != nil {
			if err := one.consumer.Close(ctx, CloseReasonShutdown); err != nil {
				errs = append(errs, fmt.Errorf("close stream of %q: %w", one.path, err))
			}
			t.settings.Observer.closed(one.path, CloseReasonShutdown)
		}
		now := saved{path: one.path, id: one.id, pos: one.pos, size: one.size, mtime: one.mtime, names: one.otherNames(), strayed: one.strayed}
		if _, err := f.saver.save(last, one, now, true); err != nil {
			errs = append(errs, err)
		}
		one.consumer = nil
	}
	t.kept = list.New()
	return errors.Join(errs...)
}
