package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"go.uber.org/zap"
)

// itemKind is what an item of [Polled] is.
type itemKind uint8

const (
	itemDocument itemKind = iota
	itemDatabase
	itemTree
)

// store is where the lines of an item come from.
type store interface {
	// changed tells, cheaply, whether next may have something.
	changed() bool
	// next gives the next lines, and the same ones again until they are accepted; none if there is nothing new. An
	// error may go by.
	next(ctx context.Context) (batch, error)
	// accept takes note that the last lines were accepted.
	accept()
	// forget takes note that a stream was closed.
	forget(key string)
	// move follows a file to another path, if it can.
	move(path string) bool
	// position is how far a stream was accepted, for a later process.
	position(key string) (json.RawMessage, error)
	close() error
}

// batch is lines of one stream of an item.
type batch struct {
	key   string // of the stream within the item; empty if it has but one
	lines []Line
	bytes int64
	// replayed tells that an earlier process accepted them all.
	replayed bool
	// done tells that nothing will ever follow.
	done bool
}

// item is one document, database or tree.
type item struct {
	kind     itemKind
	path     string
	origin   string // where it was first
	id       fileID
	store    store
	streams  map[string]*polledStream
	caughtUp bool // all that was there was read once
	done     bool // nothing will ever follow
	// goneSince is when its path was found to lead nowhere.
	goneSince time.Time
	tries     uint8
	retryAt   time.Time
	due       bool      // to be asked in this round
	wakeAt    time.Time // to be asked then; zero: with all others
	notBefore time.Time // looks cost a tenth of the time at most
}

// polledStream is one open stream of an item.
type polledStream struct {
	id       string
	consumer Consumer
	lastRead time.Time
	owesIdle bool
	// replaying tells that only what an earlier process accepted was given so far.
	replaying bool
	state     []byte // what the consumer gave last
	open      bool
	// stored is what the store has; it was written at storedAt, which took storing.
	stored   string
	storedAt time.Time
	storing  time.Duration
}

// newItem makes an item, which goes on where an earlier process was, if the store knows of one.
func (p *Polled) newItem(ctx context.Context, kind itemKind, one found, atStart bool) (*item, error) {
	it := &item{kind: kind, path: one.path, origin: one.path, id: one.id, due: true, streams: map[string]*polledStream{}}
	var known *itemState
	var err error
	switch kind {
	case itemDatabase: // has a position for each family
		it.origin = p.states.originOf(one, p.follows)
	case itemDocument:
		known, it.origin, err = p.states.ofDocument(ctx, one, p.follows)
	case itemTree:
		known, err = p.states.of(ctx, polledID(one.path, ""))
	}
	if err != nil {
		return nil, fmt.Errorf("read position of %q: %w", one.path, err)
	}
	// What was made while no process looked is no old file.
	old := p.states.lastRun == 0 || one.mtime/int64(time.Second) < p.states.lastRun
	skip := atStart && p.settings.Settings.StartAt == StartAtEnd && known == nil && (old || kind == itemDatabase)
	if age := p.settings.Settings.IgnoreOlderThan; age > 0 && kind == itemDocument && known == nil {
		skip = skip || time.Since(time.Unix(0, one.mtime)) > age
	}
	switch kind {
	case itemDocument:
		it.store, err = newDocument(&p.settings, one, skip, known)
	case itemDatabase:
		it.store = newDatabase(&p.settings, one.path, p.since(skip), func(root string) (*itemState, error) {
			return p.states.of(ctx, polledID(it.origin, root))
		}, func(stream string, err error) { p.states.unusable(itemPrefix+stream, err) })
	case itemTree:
		it.store, it.done, err = newTree(&p.settings, one.path, known)
		it.done = it.done || skip
	}
	if err != nil {
		p.states.unusable(itemPrefix+polledID(it.origin, ""), err)
		return p.newItemAnew(kind, it, one), nil
	}
	return it, nil
}

// follows tells whether an item that is followed has its streams' names from a path.
func (p *Polled) follows(origin string) bool {
	return slices.ContainsFunc(p.items, func(it *item) bool { return it.origin == origin })
}

// newItemAnew makes an item whose position is not understood.
func (p *Polled) newItemAnew(kind itemKind, it *item, one found) *item {
	if kind == itemDocument {
		it.store, _ = newDocument(&p.settings, one, false, nil)
	} else {
		it.store, it.done, _ = newTree(&p.settings, one.path, nil)
	}
	return it
}

// since is the row time from which rows are wanted of sessions that are not known: when the last process was there last, or
// now.
func (p *Polled) since(skip bool) time.Time {
	switch {
	case !skip:
		return time.Time{}
	case p.states.lastRun > 0:
		return time.Unix(p.states.lastRun, 0)
	default:
		return time.Now()
	}
}

// turn asks an item for one batch. It reports whether there may be more at once.
func (p *Polled) turn(ctx context.Context, it *item) bool {
	if it.done || time.Now().Before(it.retryAt) {
		return false
	}
	if !it.store.changed() {
		p.tidy(ctx, it)
		return false
	}
	b, err := it.store.next(ctx)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.gone(ctx, it)
		return false
	case err != nil:
		it.goneSince = time.Time{}
		p.failed(it.path, err, p.backOff(it))
		return false
	}
	it.goneSince = time.Time{}
	if len(b.lines) == 0 {
		it.caughtUp = true
		p.tidy(ctx, it)
		if !b.done && it.store.changed() { // it was being written
			it.wakeIn(changeWait)
		}
		if b.done {
			it.done = true
			if err := p.closeItem(ctx, it, CloseReasonEnd); err != nil {
				p.settings.Settings.Observer.failed(it.path, err, 0)
			}
		}
		return false
	}
	fresh := 0
	for i := range b.lines {
		b.lines[i].Live = it.caughtUp && !b.lines[i].Replayed
		if !b.lines[i].Replayed {
			fresh++
		}
	}
	s, err := p.offer(ctx, it, &b)
	if err != nil {
		p.refused(it, err)
		return false
	}
	it.store.accept()
	it.tries = 0
	delete(p.complains, it.path)
	if fresh > 0 {
		p.settings.Settings.Observer.read(it.path, fresh, b.bytes)
	}
	p.save(ctx, it, b.key, s)
	return true
}

// save writes where a stream stands; later, if it is too early for that.
func (p *Polled) save(ctx context.Context, it *item, key string, s *polledStream) {
	if wait := p.saveItem(ctx, it, key, s, false); wait > 0 {
		it.wakeIn(wait)
	}
}

// wakeIn has an item asked at the latest when some time has passed.
func (it *item) wakeIn(wait time.Duration) {
	if at := time.Now().Add(wait); it.wakeAt.IsZero() || at.Before(it.wakeAt) {
		it.wakeAt = at
	}
}

// offer hands lines to their stream, which is opened first if need be.
func (p *Polled) offer(ctx context.Context, it *item, b *batch) (*polledStream, error) {
	s := it.streams[b.key]
	if s == nil {
		var err error
		if s, err = p.open(ctx, it, b.key); err != nil {
			return nil, err
		}
		it.streams[b.key] = s
	}
	if err := s.consumer.Lines(ctx, b.lines); err != nil {
		return nil, err
	}
	s.owesIdle, s.lastRead, s.replaying = true, time.Now(), b.replayed
	return s, nil
}

// open opens a stream, with what the store has of it.
func (p *Polled) open(ctx context.Context, it *item, key string) (*polledStream, error) {
	s := &polledStream{id: polledID(it.origin, key), replaying: true}
	in := Stream{
		ID: s.id, Path: it.path, Name: filepath.Base(it.path), ModTime: modTime(it.path), Compressed: isCompressed(it.path),
		Restated: true, Afresh: it.kind == itemDatabase,
	}
	known, err := p.states.of(ctx, s.id)
	if err != nil {
		return nil, fmt.Errorf("read position of %q: %w", it.path, err)
	}
	if known != nil {
		in.State = known.State
	}
	if p.settings.Settings.Store != nil {
		in.Changed = func() { p.nudges.add(nudge{it, key}) }
	}
	s.consumer, err = p.handler.Open(ctx, in)
	return s, err
}

// polledID names a stream by the item's path and its key in it.
func polledID(path, key string) string {
	h := sha256.New()
	h.Write([]byte(filepath.ToSlash(path)))
	h.Write([]byte{0, 0})
	h.Write([]byte(key))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// tidy tells streams that the end was reached, and closes those of a database to which nothing came for long.
func (p *Polled) tidy(ctx context.Context, it *item) {
	for key, s := range it.streams {
		if s.owesIdle {
			if err := s.consumer.Idle(ctx); err != nil {
				p.refused(it, err)
				return
			}
			s.owesIdle, s.replaying = false, false
		}
		p.save(ctx, it, key, s)
		if idle := p.idleClose(it.kind); idle > 0 && time.Since(s.lastRead) >= idle {
			p.closeStream(ctx, it, key, CloseReasonIdle)
		}
	}
	it.tries = 0
}

// idleClose is after which time without a line a stream is closed; 0: never. A document that goes on then is given again
// as after a restart, for which its position has to be kept.
func (p *Polled) idleClose(kind itemKind) time.Duration {
	switch {
	case kind == itemDatabase:
		return p.settings.FamilyIdle
	case kind == itemDocument && p.settings.Settings.Store != nil:
		return p.settings.Settings.IdleClose
	default:
		return 0
	}
}

// refused: the handler did not accept.
func (p *Polled) refused(it *item, err error) {
	if it.tries == 0 {
		p.settings.Settings.Logger.Warn("Lines were not accepted; they are offered again", zap.String("path", it.path), zap.Error(err))
	}
	p.settings.Settings.Observer.refused(it.path, err, p.backOff(it))
}

// backOff leaves an item alone for a while, longer each time.
func (p *Polled) backOff(it *item) time.Duration {
	s := &p.settings.Settings
	wait := s.RetryInterval << min(it.tries, 20)
	if wait <= 0 || wait > s.MaxRetryInterval {
		wait = s.MaxRetryInterval
	}
	if it.tries < 255 {
		it.tries++
	}
	it.retryAt = time.Now().Add(wait)
	return wait
}

// gone: nothing is under the path. Something may be again soon, if the file is being replaced.
func (p *Polled) gone(ctx context.Context, it *item) {
	p.tidy(ctx, it)
	if it.goneSince.IsZero() {
		it.goneSince = time.Now()
	}
	if time.Since(it.goneSince) < p.settings.Settings.GoneGrace {
		return
	}
	it.done = true
	if err := p.closeItem(ctx, it, CloseReasonGone); err != nil {
		p.settings.Settings.Observer.failed(it.path, err, 0)
	}
	delete(p.byPath, it.path) // what comes there again is found as if it were new
	p.items = slices.DeleteFunc(p.items, func(other *item) bool { return other == it })
}

func (p *Polled) closeStream(ctx context.Context, it *item, key string, reason CloseReason) {
	s := it.streams[key]
	delete(it.streams, key)
	if err := s.consumer.Close(ctx, reason); err != nil {
		p.settings.Settings.Observer.failed(it.path, err, 0)
	}
	it.store.forget(key) // which moves a position
	p.saveItem(ctx, it, key, s, true)
	p.settings.Settings.Observer.closed(it.path, reason)
}

// closeItem closes all that an item has open.
func (p *Polled) closeItem(ctx context.Context, it *item, reason CloseReason) error {
	var errs []error
	for key, s := range it.streams {
		if err := s.consumer.Close(ctx, reason); err != nil {
			errs = append(errs, fmt.Errorf("close stream of %q: %w", it.path, err))
		}
		p.saveLast(ctx, it, key, s)
		delete(it.streams, key)
		p.settings.Settings.Observer.closed(it.path, reason)
	}
	if err := it.store.close(); err != nil {
		errs = append(errs, fmt.Errorf("close %q: %w", it.path, err))
	}
	return errors.Join(errs...)
}
