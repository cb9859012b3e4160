package tail

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/zap"
	"golang.org/x/sync/semaphore"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/errorlog"
	"github.com/tailspan/tailspan/internal/files/inventory"
	"github.com/tailspan/tailspan/internal/files/lifecycle"
	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/tail/internal/fileset"
	"github.com/tailspan/tailspan/tail/internal/reader"
)

// Tailer follows the files that match globs and delivers their lines to a [Handler].
type Tailer struct {
	settings Settings
	handler  Handler
	globs    discover.Globs
	// Replaced by tests.
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

// New returns a Tailer that is not started.
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

// Start scans all files once and then runs until Shutdown. With [StartAtEnd], everything written after Start has returned is
// read. The values of ctx reach the handler; its cancellation does not stop the Tailer.
func (t *Tailer) Start(ctx context.Context) error {
	return t.lifecycle.Start(ctx, t.start)
}

// batchesInFlight returns how many whole batches are in flight at most: one for each core, two to four. More would cost memory and
// processor time: see docs/decisions.md.
func batchesInFlight() int { return min(max(2, runtime.GOMAXPROCS(0)), 4) }

func (t *Tailer) start(ctx, run context.Context) error {
	t.tasks, t.results = make(chan fileset.Task), make(chan fileset.Done)
	log := errorlog.New(t.settings.Logger)
	if !t.settings.PollOnly {
		t.watch = log.Watcher(t.newWatcher, t.settings.Observer.WatchRefused, t.settings.WatchWarning)
	}
	t.saver = t.settings.saver(log)
	var seen inventory.Inventory
	t.set = fileset.New(t.settings.fileset(), &t.globs, &seen, log)
	err := t.set.Restore(ctx, t.saver)
	if err == nil {
		seen, err = t.settings.inventory(ctx, log, &t.globs)
	}
	if err != nil {
		return errors.Join(err, t.watch.Close())
	}
	took := t.firstScan()
	if err := seen.Save(ctx); err != nil {
		t.settings.unsaved(log)(inventoryKey, err)
	}
	settings := t.settings.reader()
	shared := reader.Shared{
		Settings: &settings, Handler: t.handler, Globs: &t.globs, Opener: t.settings.Descriptors.Counted(t.open), Names: t.set.Names(),
		Saver: t.saver, Buffers: reader.NewBuffers(t.settings.BatchBytes, t.settings.MaxLineSize),
		InFlight: semaphore.NewWeighted(int64(batchesInFlight() * t.settings.BatchBytes)), Context: run, Stop: t.lifecycle.Stop(),
	}
	for range t.settings.workers() {
		r := reader.New(shared)
		t.workers.Go(func() {
			for task := range t.tasks {
				t.results <- fileset.Done{File: task.File, Result: r.Do(task.Job)}
			}
		})
	}
	t.saver.Start(run)
	t.manager.Go(func() { t.manage(took) })
	return nil
}

// firstScan finds the files that exist at start and returns how long that took.
func (t *Tailer) firstScan() time.Duration {
	begin := time.Now()
	var leftOut []string
	s := &discover.Scan{Globs: &t.globs, Watch: t.watch, Stop: t.lifecycle.Stop(), Yield: func(files []discover.Found) {
		for _, one := range files {
			t.set.Found(one, true)
		}
	}, LeftOut: func(path string) { leftOut = append(leftOut, path) }}
	s.All()
	t.set.Failed(s.Errs)
	t.set.LogStart(leftOut)
	return time.Since(begin)
}

// Shutdown stops the Tailer. No new batch begins; running calls of the handler have [Settings.DrainTimeout], or as long as ctx
// lasts if that is shorter, before their context is canceled. Finally all consumers are closed. Shutdown may be called without
// Start, and repeatedly.
func (t *Tailer) Shutdown(ctx context.Context) error {
	wait := func() {
		t.manager.Wait()
		t.workers.Wait()
		t.saver.Stop()
	}
	return t.lifecycle.Shutdown(ctx, t.settings.DrainTimeout, wait, func() error {
		return errors.Join(t.watch.Close(), t.set.Close(ctx, t.saver), t.saver.Flush(ctx))
	})
}

// manage runs on the one goroutine that knows all files. It decides what is read; workers read.
func (t *Tailer) manage(took time.Duration) {
	set := t.set
	requests, reports := make(chan discover.Request, 1), make(chan discover.Report)
	t.manager.Go(func() { discover.Serve(&t.globs, t.watch, requests, reports, t.lifecycle.Stop()) })
	var events <-chan fsnotify.Event
	var watchErrors <-chan error
	if t.watch != nil {
		events, watchErrors = t.watch.Events, t.watch.Errors
	}
	poll := time.NewTimer(t.pause(took))
	defer poll.Stop()
	sweep := time.NewTimer(t.settings.PollInterval)
	defer sweep.Stop()
	wake := time.NewTimer(time.Hour)
	defer wake.Stop()
	scanning := false
	for {
		if req, ok := set.NextScan(scanning); ok {
			scanning = true
			requests <- req
		}
		t.deleteExpired()
		var tasks chan<- fileset.Task
		next, ok := set.Next()
		if ok {
			tasks = t.tasks
		}
		wake.Reset(set.UntilWake())
		set.ReportFiles()
		select {
		case tasks <- next:
			set.Started(next)
		case res := <-t.results:
			set.Settle(res)
		case event := <-events:
			set.Event(event, t.watch)
		case <-set.Dirty():
			set.VisitDirty()
		case <-t.settings.Descriptors.Wanted:
			set.CloseIdle()
		case err := <-watchErrors:
			t.watchError(err)
		case report := <-reports:
			set.Scanned(report)
			if report.Done {
				scanning = false
				if report.All {
					poll.Reset(t.pause(report.Took))
				}
			}
		case <-wake.C:
			set.WakeUp()
		case <-poll.C:
			set.ScanAll()
		case <-sweep.C:
			sweep.Reset(t.sweep())
		case <-t.lifecycle.Stop():
			t.drain()
			return
		}
	}
}

// deleteExpired deletes the checkpoints of files that have long not been found.
func (t *Tailer) deleteExpired() {
	for _, id := range t.set.TakeExpired() {
		t.saver.Delete(checkpoint.FilePrefix + id)
		t.set.Names().Free(id)
	}
}

// watchError handles an overflow of the event queue or another failure of watching. Either way, events may be missing.
func (t *Tailer) watchError(err error) {
	if err == nil {
		return
	}
	t.settings.Logger.Debug("events of watched folders were lost, scanning all files", zap.Error(err))
	t.set.ScanAll()
}

// However many files there are, a scan takes at most 1/watchedShare or 1/unwatchedShare of a core. For watched folders it is
// only a safety net, but it runs after longestWatchedPause at the latest. Sweeps take at most 1/sweepShare, but run after
// longestUnswept at the latest.
const (
	watchedShare        = 4800
	unwatchedShare      = 20
	longestWatchedPause = 2 * time.Minute
	sweepShare          = 5000
	longestUnswept      = 10 * time.Second
)

// pause returns the time until the next full scan: the poll interval, or longer after a slow scan so that scans stay cheap.
func (t *Tailer) pause(took time.Duration) time.Duration {
	wait := unwatchedShare * took
	if t.watch.Whole() {
		wait = max(wait, min(watchedShare*took, longestWatchedPause))
	}
	return max(t.settings.PollInterval, wait)
}

// sweep releases what has long been idle, and returns the time until the next sweep.
func (t *Tailer) sweep() time.Duration {
	begin := time.Now()
	t.set.Sweep()
	return max(t.settings.PollInterval, min(sweepShare*time.Since(begin), longestUnswept))
}

// drain applies the last results of the workers until all have stopped.
func (t *Tailer) drain() {
	close(t.tasks)
	for t.set.Working() > 0 {
		t.set.Settle(<-t.results)
	}
}
