package watch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/ticker"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/poll"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/tail"
	"github.com/tailspan/tailspan/telemetry"
)

// Intervals of the reader.
const (
	// scanInterval is the interval of full scans; where possible, the system reports new files earlier.
	scanInterval = 30 * time.Second
	// tickInterval is the precision of a stream's quiet times.
	tickInterval = 500 * time.Millisecond
	// ticksOfRegistry is the number of ticks between two checks for what ends by time alone.
	ticksOfRegistry = 4
)

// Older files that are read at start: the newest, up to these numbers of files and bytes.
const (
	recentFiles = 256
	recentBytes = 256 << 20
)

// recentRows is the maximum age of database sessions that are read at start.
const recentRows = 72 * time.Hour

// reader follows the sessions and applies what they contain to a board. It is a [tail.Handler].
type reader struct {
	board    *Board
	registry *telemetry.Registry
	redactor *redact.Redactor
	now      func() time.Time
	fail     context.CancelCauseFunc // ends the watch

	files  *tail.Tailer
	polled *poll.Poller
	stop   context.CancelFunc
	ticks  sync.WaitGroup

	mu       sync.Mutex
	restless map[*stream]struct{} // streams that wait for time to pass

	unread *Unread
}

// newReader returns a reader of the files and databases that the settings name.
func newReader(s *Settings, board *Board, fail context.CancelCauseFunc) (*reader, error) {
	r := newHandler(s, board, time.Now)
	r.fail = fail
	age := recentAge(s.Files, r.now())
	shared := tail.Settings{
		Include: s.Files, ExcludeOlderThan: age, IdleClose: idleGap, Replay: true, PollInterval: scanInterval,
		Skip: parser.IsDocument, WatchWarning: new(sync.Once), Descriptors: tail.NewDescriptors(),
		Observer: tail.Observer{Failed: r.unread.Failed, Read: r.unread.Read, Closed: r.unread.Closed},
	}
	var err error
	if len(s.Files) > 0 {
		r.files, err = tail.New(shared, r)
	}
	polled, pollErr := poll.New(poll.Settings{
		Documents: s.Files, IsDocument: parser.IsDocument, Databases: s.Databases, RowsSince: r.now().Add(-recentRows), Shared: shared,
	}, r)
	r.polled = polled
	return r, errors.Join(err, pollErr)
}

// recentAge returns the age of the oldest file that is read at start.
func recentAge(globs []string, now time.Time) time.Duration {
	found := make([]discover.Found, 0, 1024)
	set, err := discover.NewGlobs(globs, nil)
	if err != nil {
		return idleGap // the reader of the files reports the error
	}
	scan := discover.Scan{Globs: &set, Yield: func(files []discover.Found) { found = append(found, files...) }}
	scan.All()
	slices.SortFunc(found, func(a, b discover.Found) int { return int(b.MTime/1e6 - a.MTime/1e6) })
	age, bytes := idleGap, int64(0)
	for i, f := range found {
		if bytes += f.Size; i >= recentFiles || bytes > recentBytes {
			break
		}
		age = max(age, now.Sub(time.Unix(0, f.MTime))+time.Second)
	}
	return age
}

// newHandler returns a reader without sources.
func newHandler(s *Settings, board *Board, now func() time.Time) *reader {
	set := telemetry.NewDefaultSettings()
	set.Version, set.Prices, set.ProgressInterval, set.Now = s.Version, s.Prices, 0, now
	set.Capture.Prompts, set.Eager = true, true
	r := &reader{
		board: board, registry: telemetry.NewRegistry(set), redactor: s.Redactor, now: now, restless: map[*stream]struct{}{},
	}
	r.unread = &Unread{Clean: r.clean, Changed: board.notify}
	if !s.Screen {
		r.unread.Report = s.Report
	}
	return r
}

// Open opens a stream.
func (r *reader) Open(_ context.Context, s tail.Stream) (consumer tail.Consumer, err error) {
	defer r.guard(&err)
	return r.newStream(s)
}

// start starts reading.
func (r *reader) start(ctx context.Context) error {
	var errs []error
	if r.files != nil {
		errs = append(errs, r.files.Start(ctx))
	}
	errs = append(errs, r.polled.Start(ctx))
	ticking, stop := context.WithCancel(ctx)
	r.stop = stop
	r.ticks.Go(func() {
		var err error
		defer r.guard(&err)
		n := 0
		ticker.Run(ticking, tickInterval, func(now time.Time) error {
			if n++; n%ticksOfRegistry == 0 {
				out := r.registry.Take()
				r.board.Apply(&out.Data)
				out.Accepted()
			}
			r.tick(now)
			return nil
		})
	})
	return errors.Join(errs...)
}

// shutdown stops reading.
func (r *reader) shutdown(ctx context.Context) error {
	r.stop()
	r.ticks.Wait()
	var errs []error
	if r.files != nil {
		errs = append(errs, r.files.Shutdown(ctx))
	}
	return errors.Join(append(errs, r.polled.Shutdown(ctx))...)
}

// await registers a stream for ticks.
func (r *reader) await(s *stream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.restless[s] = struct{}{}
}

// tick ticks the streams that wait for time to pass.
func (r *reader) tick(now time.Time) {
	r.mu.Lock()
	waiting := slices.Collect(maps.Keys(r.restless))
	clear(r.restless)
	r.mu.Unlock()
	for _, s := range waiting {
		if s.tick(now) {
			r.await(s)
		}
	}
}

// clean removes secrets from a text.
func (r *reader) clean(s string) string {
	if r.redactor == nil {
		return s
	}
	return r.redactor.String(s)
}

// guard converts a panic of its goroutine to an error that ends the watch, so that the terminal is restored.
func (r *reader) guard(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		r.fail(*err)
	}
}
