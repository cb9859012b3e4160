package tail

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/zap"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/errorlog"
	"github.com/tailspan/tailspan/internal/files/inventory"
	"github.com/tailspan/tailspan/internal/files/lifecycle"
	"github.com/tailspan/tailspan/internal/files/lines"
	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/tail/internal/fileset"
	"github.com/tailspan/tailspan/tail/internal/reader"
)

// Tailer follows the files that match globs and hands their lines to a [Handler].
type Tailer struct {
	settings Settings
	handler  Handler
	globs    discover.Globs
	// Seams for tests.
	open       openfile.Opener
	newWatcher discover.NewWatcherFunc

	lifecycle lifecycle.Lifecycle

	set     *fileset.Set
	watch   *discover.Watcher
	saver   *checkpoint.Saver
	tasks   chan fileset.Task
	results chan fileset.Done
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
	return &Tailer{settings: settings.WithDefaults(), handler: handler, globs: g, open: openfile.Open, newWatcher: discover.NewWatcher}, nil
}

// Start scans all files once, so that with [StartAtEnd] what is written after Start has returned is read, and then
// continues until Shutdown. The values of ctx reach the handler; its end does not stop the source.
func (f *Tailer) Start(ctx context.Context) error {
	return f.lifecycle.Start(ctx, f.start)
}

func (f *Tailer) start(ctx, run context.Context) error {
	f.tasks, f.results = make(chan fileset.Task), make(chan fileset.Done)
	log := errorlog.New(f.settings.Logger)
	if !f.settings.PollOnly {
		f.watch = log.Watcher(f.newWatcher, f.settings.Observer.WatchRefused, f.settings.WatchWarning)
	}
	f.saver = f.settings.saver()
	var seen inventory.Inventory
	f.set = fileset.New(f.settings.fileset(), &f.globs, &seen, log)
	err := f.set.Restore(ctx, f.saver)
	if err == nil {
		seen, err = f.settings.inventory(ctx, log, &f.globs)
	}
	if err != nil {
		return errors.Join(err, f.watch.Close())
	}
	took := f.firstScan()
	if err := seen.Save(ctx); err != nil {
		f.settings.Observer.Unsaved(inventoryKey, err)
		log.Unsaved(err)
	}
	settings := f.settings.reader()
	shared := reader.Shared{
		Settings: &settings, Handler: f.handler, Globs: &f.globs, Opener: f.settings.Descriptors.Counted(f.open), Names: f.set.Names(),
		Saver: f.saver, Buffers: lines.NewPool(f.settings.BatchBytes, f.settings.MaxLineSize), Context: run, Stop: f.lifecycle.Stop(),
	}
	for range f.settings.workers() {
		r := reader.New(shared)
		f.workers.Go(func() {
			for t := range f.tasks {
				f.results <- fileset.Done{File: t.File, Result: r.Do(t.Job)}
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
	s := &discover.Scan{Globs: &f.globs, Watch: f.watch, Stop: f.lifecycle.Stop(), Yield: func(files []discover.Found) {
		for _, one := range files {
			f.set.Found(one, true)
		}
	}, LeftOut: func(path string) { leftOut = append(leftOut, path) }}
	s.All()
	f.set.Failed(s.Errs)
	f.set.LogStart(leftOut)
	return time.Since(begin)
}

// Shutdown ends the source: no new batch is begun; calls of the handler that are under way have
// [Settings.DrainTimeout], or as long as ctx lasts if that is shorter, and then their context ends. At last all
// consumers are closed. It may be called without Start, and again.
func (f *Tailer) Shutdown(ctx context.Context) error {
	wait := func() {
		f.manager.Wait()
		f.workers.Wait()
	}
	return f.lifecycle.Shutdown(ctx, f.settings.DrainTimeout, wait, func() error {
		return errors.Join(f.watch.Close(), f.set.Close(ctx, f.saver))
	})
}

// manage is the one goroutine that knows all files. It decides what is read; workers read.
func (f *Tailer) manage(ctx context.Context, took time.Duration) {
	set := f.set
	requests, reports := make(chan discover.Request, 1), make(chan discover.Report)
	f.manager.Go(func() { discover.Serve(&f.globs, f.watch, requests, reports, f.lifecycle.Stop()) })
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
		if req, ok := set.NextScan(scanning); ok {
			scanning = true
			requests <- req
		}
		f.deleteExpired(ctx)
		var tasks chan<- fileset.Task
		next, ok := set.Next()
		if ok {
			tasks = f.tasks
		}
		wake.Reset(set.UntilWake())
		set.ReportFiles()
		select {
		case tasks <- next:
			set.Started(next)
		case res := <-f.results:
			set.Settle(res)
		case event := <-events:
			set.Event(event, f.watch)
		case <-set.Dirty():
			set.VisitDirty()
		case <-f.settings.Descriptors.Wanted:
			set.CloseIdle()
		case err := <-watchErrors:
			f.watchError(err)
		case report := <-reports:
			set.Scanned(report)
			if report.Done {
				scanning = false
				if report.All {
					poll.Reset(f.pause(report.Took))
				}
			}
		case <-wake.C:
			set.WakeUp()
		case <-poll.C:
			set.ScanAll()
		case <-sweep.C:
			sweep.Reset(f.sweep())
		case <-f.lifecycle.Stop():
			f.drain()
			return
		}
	}
}

// deleteExpired deletes the checkpoints of files that were not found for long, while reading continues.
func (f *Tailer) deleteExpired(ctx context.Context) {
	expired := f.set.TakeExpired()
	if len(expired) == 0 {
		return
	}
	f.manager.Go(func() {
		for _, id := range expired {
			f.saver.Delete(ctx, []string{checkpoint.FilePrefix + id})
			f.set.Names().Free(id)
		}
	})
}

// watchError: the queue of events overflowed, or watching failed otherwise. Either way events may be missing.
func (f *Tailer) watchError(err error) {
	if err == nil {
		return
	}
	f.settings.Logger.Debug("events of watched folders were lost, scanning all files", zap.Error(err))
	f.set.ScanAll()
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
	f.set.Sweep()
	return max(f.settings.PollInterval, min(sweepShare*time.Since(begin), longestUnswept))
}

// drain applies the last results of the workers, until all have stopped.
func (f *Tailer) drain() {
	close(f.tasks)
	for f.set.Working() > 0 {
		f.set.Settle(<-f.results)
	}
}
