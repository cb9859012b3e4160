package tail

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/zap"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/lines"
	"github.com/tailspan/tailspan/internal/files/openfile"
)

// Tailer follows the files that match globs and hands their lines to a [Handler].
type Tailer struct {
	settings Settings
	handler  Handler
	globs    discover.Globs
	// Seams for tests.
	open       openfile.Opener
	newWatcher func(*Settings) (*discover.Watcher, error)

	mu      sync.Mutex // of started and stopped
	started bool
	stopped bool

	stop    chan struct{}      // closed by Shutdown: no new batch
	cancel  context.CancelFunc // ends the handler's context
	table   *table
	watch   *discover.Watcher
	saver   *checkpoint.Saver
	dirty   *dirtySet[*file]
	jobs    chan job
	results chan result
	workers sync.WaitGroup
	manager sync.WaitGroup // the manager and the scanner
}

// New makes a source. Start starts it.
func New(settings Settings, handler Handler) (*Tailer, error) {
	if handler == nil {
		return nil, errors.New("handler must not be nil")
	}
	if err := settings.Validate(); err != nil {
		return nil, err
	}
	g, err := discover.NewGlobs(settings.Include, settings.Exclude)
	if err != nil {
		return nil, err
	}
	g.Skip = settings.Skip
	return &Tailer{settings: settings.withDefaults(), handler: handler, globs: g, open: openfile.Open, newWatcher: newWatcher}, nil
}

// Start scans all files once, so that with [StartAtEnd] what is written after Start has returned is read, and then
// continues until Shutdown. The values of ctx reach the handler; its end does not stop the source.
func (f *Tailer) Start(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.started || f.stopped {
		return errors.New("start source: it was started or shut down before")
	}
	f.started = true
	f.stop = make(chan struct{})
	f.jobs, f.results = make(chan job), make(chan result)
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f.cancel = cancel
	if !f.settings.PollOnly {
		w, err := f.newWatcher(&f.settings)
		if err != nil {
			f.settings.cannotWatch("", err)
		}
		f.watch = w
	}
	f.table = newTable(f.settings, &f.globs)
	f.saver = f.settings.saver()
	if err := f.table.restore(ctx, f.saver); err != nil {
		cancel()
		return errors.Join(err, f.watch.Close())
	}
	var err error
	if f.table.seen, err = f.settings.inventory(ctx, filesInventoryKey, &f.globs); err != nil {
		cancel()
		return errors.Join(err, f.watch.Close())
	}
	f.dirty = newDirtySet[*file]()
	took := f.firstScan()
	if err := f.table.seen.Save(ctx); err != nil {
		f.settings.Observer.Unsaved(filesInventoryKey, err)
		f.table.errorLog.unsaved(err)
	}
	pool := lines.NewPool(f.settings.BatchBytes, f.settings.MaxLineSize)
	open := f.settings.Descriptors.Counted(f.open)
	for range f.settings.workers() {
		r := &reader{
			settings: f.settings, handler: f.handler, globs: &f.globs, open: open, names: f.table.names, ctx: run, stop: f.stop,
			saver: f.saver, dirty: f.dirty,
			split: lines.NewSplitter(pool, f.settings.MaxLineSize),
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

// firstScan finds the files that are there at start.
func (f *Tailer) firstScan() time.Duration {
	begin := time.Now()
	var leftOut []string
	s := &discover.Scan{Globs: &f.globs, Watch: f.watch, Stop: f.stop, Yield: func(files []discover.Found) {
		for _, one := range files {
			f.table.ingest(one, true)
		}
	}, LeftOut: func(path string) { leftOut = append(leftOut, path) }}
	s.All()
	f.table.report(s.Errs)
	f.table.logMissing(leftOut)
	f.table.logFound()
	return time.Since(begin)
}

// Shutdown ends the source: no new batch is begun; calls of the handler that are under way have
// [Settings.DrainTimeout], or as long as ctx lasts if that is shorter, and then their context ends. At last all
// consumers are closed. It may be called without Start, and again.
func (f *Tailer) Shutdown(ctx context.Context) error {
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
	f.cancel()
	<-done
	return errors.Join(f.watch.Close(), f.closeAll(ctx))
}

// manage is the one goroutine that knows all files. It decides what is read; workers read.
func (f *Tailer) manage(ctx context.Context, took time.Duration) {
	t := f.table
	requests, reports := make(chan discover.Request, 1), make(chan discover.Report)
	f.manager.Go(func() { discover.Serve(&f.globs, f.watch, requests, reports, f.stop) })
	var events <-chan fsnotify.Event
	var watchErrors <-chan error
	if f.watch != nil {
		events, watchErrors = f.watch.Events, f.watch.Errors
	}
	poll := time.NewTimer(f.pause(took))
	defer poll.Stop()
	sweep := time.NewTimer(f.settings.PollInterval)
	defer sweep.Stop()
	wake := time.NewTimer(time.Hour)
	defer wake.Stop()
	scanning := false
	for {
		if req, ok := t.nextScan(scanning); ok {
			scanning = true
			requests <- req
		}
		f.deleteExpired(ctx)
		var jobs chan<- job
		var next job
		if j, ok := t.nextJob(); ok {
			jobs, next = f.jobs, j
		}
		wake.Reset(t.untilWake())
		t.reportFiles()
		select {
		case jobs <- next:
			t.started(next)
		case res := <-f.results:
			t.settle(res)
		case event := <-events:
			t.event(event, f.watch)
		case <-f.dirty.signal:
			t.scheduleAll(f.dirty.take())
		case <-f.settings.Descriptors.Wanted:
			t.closeIdle()
		case err := <-watchErrors:
			f.watchError(err)
		case report := <-reports:
			t.scanned(report)
			if report.Done {
				scanning = false
				if report.All {
					poll.Reset(f.pause(report.Took))
				}
			}
		case <-wake.C:
			t.wakeUp()
		case <-poll.C:
			t.wanted.All = true
		case <-sweep.C:
			sweep.Reset(f.sweep())
		case <-f.stop:
			f.drain()
			return
		}
	}
}

// deleteExpired deletes the checkpoints of files that were not found for long, while reading continues.
func (f *Tailer) deleteExpired(ctx context.Context) {
	expired := f.table.expired
	if len(expired) == 0 {
		return
	}
	f.table.expired = nil
	f.manager.Go(func() {
		for _, id := range expired {
			f.saver.Delete(ctx, []string{checkpoint.FilePrefix + id})
			f.table.names.free(id)
		}
	})
}

// watchError: the queue of events overflowed, or watching failed otherwise. Either way events may be missing.
func (f *Tailer) watchError(err error) {
	if err == nil {
		return
	}
	f.settings.Logger.Debug("events of watched folders were lost, scanning all files", zap.Error(err))
	f.table.wanted.All = true
}

// A scan takes no more than one part in so many of a core, whatever the number of files: where folders are watched it is
// only a safety net, but it runs after longestWatchedPause at the latest. Sweeps take no more than one in sweepShare, but
// run after longestUnswept.
const (
	watchedShare        = 4800
	unwatchedShare      = 20
	longestWatchedPause = 2 * time.Minute
	sweepShare          = 5000
	longestUnswept      = 10 * time.Second
)

// pause is the time to the next full scan: the poll interval, but longer when a scan takes long, so that scans stay cheap.
func (f *Tailer) pause(took time.Duration) time.Duration {
	wait := unwatchedShare * took
	if f.watch.Whole() {
		wait = max(wait, min(watchedShare*took, longestWatchedPause))
	}
	return max(f.settings.PollInterval, wait)
}

// sweep releases what was idle for long, and returns the time to the next sweep.
func (f *Tailer) sweep() time.Duration {
	begin := time.Now()
	f.table.sweep()
	return max(f.settings.PollInterval, min(sweepShare*time.Since(begin), longestUnswept))
}

// drain applies the last results of the workers, until all have stopped.
func (f *Tailer) drain() {
	close(f.jobs)
	for f.table.working > 0 {
		f.table.settle(<-f.results)
	}
}

// closeAll closes what is open at shutdown, and writes the last checkpoints.
func (f *Tailer) closeAll(ctx context.Context) error {
	t := f.table
	var errs []error
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	for one := range t.all() {
		if err := one.closeHandle(); err != nil {
			errs = append(errs, fmt.Errorf("close file: %w", err))
		}
		if one.stream.consumer != nil {
			if err := one.stream.consumer.Close(ctx, CloseReasonShutdown); err != nil {
				errs = append(errs, fmt.Errorf("close stream of %q: %w", one.path, err))
			}
			t.settings.Observer.Closed(one.path, CloseReasonShutdown)
		}
		now := one.snapshot()
		if _, err := one.save(last, f.saver, &now, false, true); err != nil {
			errs = append(errs, err)
		}
		one.stream.consumer = nil
	}
	t.kept = list.New()
	return errors.Join(errs...)
}
