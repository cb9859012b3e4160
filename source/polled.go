package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"
)

// Defaults of [PolledSettings].
const (
	// DefaultMaxDocumentSize is the size in bytes over which a document is left out.
	DefaultMaxDocumentSize = 64 << 20
	// DefaultFamilyIdle is how long a family of sessions in a database is kept open without a new row.
	DefaultFamilyIdle = time.Hour
)

// PolledSettings says what to ask again, and how. The zero value of each field is its default.
type PolledSettings struct {
	// Documents are globs of files of which each is one document if IsDocument says so of its path.
	Documents  []string
	IsDocument func(path string) bool
	// MaxDocumentSize is the size in bytes over which a document is left out, as it is after decompression.
	MaxDocumentSize int
	// Databases are globs of OpenCode's databases.
	Databases []string
	// Trees are globs of folders in which OpenCode kept its sessions before it had a database.
	Trees []string
	// FamilyIdle is how long a family of sessions in a database is kept open without a new row.
	FamilyIdle time.Duration
	// Settings are those that Files has too: Exclude, StartAt, PollInterval, MaxLineSize (of a row), BatchBytes, BatchLines,
	// GoneGrace, RetryInterval, MaxRetryInterval, DrainTimeout, Logger, Observer. The others are without effect.
	Settings Settings
}

// Validate reports all that is wrong, each with its key.
func (s *PolledSettings) Validate() error {
	settings := s.Settings
	settings.Include = slices.Concat(s.Documents, s.Databases)
	var errs []error
	if len(settings.Include) > 0 {
		errs = append(errs, settings.Validate())
	}
	for _, p := range s.Trees {
		errs = append(errs, ValidateGlob("opencode_trees", p))
	}
	if s.MaxDocumentSize < 0 {
		errs = append(errs, fmt.Errorf("max_document_size must not be negative, got %d", s.MaxDocumentSize))
	}
	if s.FamilyIdle < 0 {
		errs = append(errs, fmt.Errorf("family_idle must not be negative, got %v", s.FamilyIdle))
	}
	return errors.Join(errs...)
}

// Polled follows what is no file of lines: documents that are rewritten in place, OpenCode's databases, and its older
// trees. Each is known by its path, and asked again when it looks changed from outside.
//
//	what      a stream is             its lines are                  it comes again
//	--------  ----------------------  -----------------------------  ------------------------------------------------
//	document  the document            one: all of it, at offset 0    whole, when it changed and its brackets match
//	database  a session with those    rows, as JSON                  row by row, when a row is new or was changed
//	          of its sub-agents
//	tree      the tree                rows, as JSON                  never
//
// So the consumer of a document or of rows must know what it has had; see packages parser/gemini and parser/opencode. A
// half-written document waits for its next change. With [StartAtEnd] a document that is there at start comes when it
// changes, whole; of a database come the rows that are written after the start, and what they need to be understood; and
// a tree that is there is left alone.
//
// One goroutine asks all of them in turn, a batch at a time, at least each [Settings.PollInterval]; it waits for the
// handler, so memory is bounded by one batch or one document. Delivery, retries and closing are as those of [Files].
type Polled struct {
	settings PolledSettings
	handler  Handler
	finder   finder

	mu      sync.Mutex // of started and stopped
	started bool
	stopped bool

	stop   chan struct{}      // closed by Shutdown: no new batch
	giveUp context.CancelFunc // ends the handler's context
	work   sync.WaitGroup

	// Of the goroutine alone, once it runs.
	items     []*item
	complains map[string]string
	nextFind  time.Time
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
	p := &Polled{settings: settings, handler: handler, complains: map[string]string{}}
	var err error
	p.finder, err = newFinder(&p.settings)
	return p, err
}

// Start finds what is there, and then goes on by itself. The values of ctx reach the handler; its end does not stop the
// source, Shutdown does.
func (p *Polled) Start(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.started || p.stopped {
		return errors.New("start source: it was started or shut down before")
	}
	p.started = true
	p.stop = make(chan struct{})
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p.giveUp = cancel
	if p.finder.empty() {
		return nil
	}
	p.find(true)
	p.work.Go(func() { p.run(run) })
	return nil
}

// Shutdown ends the source as [Files.Shutdown] does.
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
	p.giveUp()
	<-done
	var errs []error
	for _, it := range p.items {
		errs = append(errs, p.closeItem(ctx, it, CloseReasonShutdown))
	}
	p.items = nil
	return errors.Join(errs...)
}

// run asks all items in turn until it is told to stop.
func (p *Polled) run(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		begin := time.Now()
		more := false
		for _, it := range slices.Clone(p.items) {
			if p.stopping() {
				return
			}
			more = p.turn(ctx, it) || more
		}
		if more {
			continue
		}
		timer.Reset(p.pause(time.Since(begin)))
		select {
		case <-p.stop:
			return
		case <-timer.C:
		}
		if now := time.Now(); !now.Before(p.nextFind) {
			p.find(false)
		}
	}
}

// pause is the time to the next look: so long that looking costs a twentieth of the time, within reason, but not beyond
// the next try of something that failed.
func (p *Polled) pause(took time.Duration) time.Duration {
	interval := p.settings.Settings.PollInterval
	wait := max(interval, min(20*took, 10*interval))
	for _, it := range p.items {
		if it.tries > 0 {
			wait = min(wait, max(0, time.Until(it.retryAt)))
		}
	}
	return wait
}

func (p *Polled) stopping() bool {
	select {
	case <-p.stop:
		return true
	default:
		return false
	}
}

// find looks for what matches.
func (p *Polled) find(atStart bool) {
	begin := time.Now()
	known := map[string]*item{}
	ids := map[fileID]*item{}
	for _, it := range p.items {
		known[it.path] = it
		if it.id != (fileID{}) {
			ids[it.id] = it
		}
	}
	p.finder.find(p.stop, func(kind itemKind, one found) {
		if known[one.path] != nil {
			return
		}
		if same := ids[one.id]; same != nil && one.id != (fileID{}) && kind == same.kind {
			if !leadsTo(same.path, same.id) && same.store.move(one.path) { // else another name for it
				delete(known, same.path)
				same.path, same.goneSince = one.path, time.Time{}
				known[one.path] = same
			}
			return
		}
		it := p.newItem(kind, one, atStart)
		known[one.path], ids[one.id] = it, it
		p.items = append(p.items, it)
	}, func(err error) { p.failed("", err, p.settings.Settings.PollInterval) })
	took := time.Since(begin)
	p.nextFind = time.Now().Add(max(p.settings.Settings.PollInterval, 50*took))
}

// failed tells of an error, and logs it once for each path and reason.
func (p *Polled) failed(path string, err error, retryIn time.Duration) {
	p.settings.Settings.Observer.failed(path, err, retryIn)
	reason := err.Error()
	if p.complains[path] == reason {
		return
	}
	if len(p.complains) >= maxClosed {
		clear(p.complains)
	}
	p.complains[path] = reason
	p.settings.Settings.Logger.Warn("Something can't be read; it is tried again", zap.String("path", path), zap.Error(err))
}
