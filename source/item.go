package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
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
	close() error
}

// batch is lines of one stream of an item.
type batch struct {
	key   string // of the stream within the item; empty if it has but one
	lines []Line
	bytes int64
	// done tells that nothing will ever follow.
	done bool
}

// item is one document, database or tree.
type item struct {
	kind     itemKind
	path     string
	id       fileID
	store    store
	streams  map[string]*polledStream
	caughtUp bool // all that was there was read once
	done     bool // nothing will ever follow
	// goneSince is when its path was found to lead nowhere.
	goneSince time.Time
	tries     uint8
	retryAt   time.Time
}

// polledStream is one open stream of an item.
type polledStream struct {
	consumer Consumer
	lastRead time.Time
	owesIdle bool
}

func (p *Polled) newItem(kind itemKind, one found, atStart bool) *item {
	it := &item{kind: kind, path: one.path, id: one.id, streams: map[string]*polledStream{}}
	skip := atStart && p.settings.Settings.StartAt == StartAtEnd
	switch kind {
	case itemDocument:
		it.store = newDocument(&p.settings, one, skip)
	case itemDatabase:
		it.store = newDatabase(&p.settings, one.path, skip)
	case itemTree:
		it.store, it.done = newTree(&p.settings, one.path), skip
	}
	return it
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
		if b.done {
			it.done = true
			if err := p.closeItem(ctx, it, CloseReasonEnd); err != nil {
				p.settings.Settings.Observer.failed(it.path, err, 0)
			}
		}
		return false
	}
	for i := range b.lines {
		b.lines[i].Live = it.caughtUp
	}
	if err := p.offer(ctx, it, &b); err != nil {
		p.refused(it, err)
		return false
	}
	it.store.accept()
	it.tries = 0
	delete(p.complains, it.path)
	p.settings.Settings.Observer.read(it.path, len(b.lines), b.bytes)
	return true
}

// offer hands lines to their stream, which is opened first if need be.
func (p *Polled) offer(ctx context.Context, it *item, b *batch) error {
	s := it.streams[b.key]
	if s == nil {
		consumer, err := p.handler.Open(ctx, Stream{
			ID: polledID(it.path, b.key), Path: it.path, Name: filepath.Base(it.path), ModTime: modTime(it.path), Compressed: isCompressed(it.path),
		})
		if err != nil {
			return err
		}
		s = &polledStream{consumer: consumer}
		it.streams[b.key] = s
	}
	if err := s.consumer.Lines(ctx, b.lines); err != nil {
		return err
	}
	s.owesIdle, s.lastRead = true, time.Now()
	return nil
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
			s.owesIdle = false
		}
		if it.kind == itemDatabase && time.Since(s.lastRead) >= p.settings.FamilyIdle {
			p.closeStream(ctx, it, key, CloseReasonIdle)
		}
	}
	it.tries = 0
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
	for i, other := range p.items {
		if other == it {
			p.items = append(p.items[:i:i], p.items[i+1:]...)
			return
		}
	}
}

func (p *Polled) closeStream(ctx context.Context, it *item, key string, reason CloseReason) {
	s := it.streams[key]
	delete(it.streams, key)
	it.store.forget(key)
	if err := s.consumer.Close(ctx, reason); err != nil {
		p.settings.Settings.Observer.failed(it.path, err, 0)
	}
	p.settings.Settings.Observer.closed(it.path, reason)
}

// closeItem closes all that an item has open.
func (p *Polled) closeItem(ctx context.Context, it *item, reason CloseReason) error {
	var errs []error
	for key, s := range it.streams {
		if err := s.consumer.Close(ctx, reason); err != nil {
			errs = append(errs, fmt.Errorf("close stream of %q: %w", it.path, err))
		}
		delete(it.streams, key)
		p.settings.Settings.Observer.closed(it.path, reason)
	}
	if err := it.store.close(); err != nil {
		errs = append(errs, fmt.Errorf("close %q: %w", it.path, err))
	}
	return errors.Join(errs...)
}
