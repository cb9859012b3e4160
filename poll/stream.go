package poll

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/internal/files/stream"
	"github.com/tailspan/tailspan/poll/internal/source"
	"github.com/tailspan/tailspan/tail"
)

// polledStream is one open stream of an item.
type polledStream struct {
	id          string
	consumer    tail.Consumer
	lastRead    time.Time
	idlePending bool
	// replaying is true if only replayed lines were delivered so far.
	replaying bool
	state     []byte // the consumer's last state
	pending   bool
	stored    *checkpoint.Checkpoint // what the store has or will have; nil: not known
}

// offer delivers lines to their stream, opening it first if necessary.
func (p *Poller) offer(ctx context.Context, it *item, b *source.Batch) (*polledStream, error) {
	s := it.streams[b.Key]
	if s == nil {
		var err error
		if s, err = p.open(ctx, it, b); err != nil {
			return nil, err
		}
		it.streams[b.Key] = s
	}
	if err := s.consumer.Lines(ctx, b.Lines); err != nil {
		return nil, err
	}
	s.idlePending, s.lastRead, s.replaying = true, time.Now(), b.Replayed
	return s, nil
}

// open opens a stream, with what the store has of it.
func (p *Poller) open(ctx context.Context, it *item, b *source.Batch) (*polledStream, error) {
	key, changed := b.Key, b.Changed
	if changed.IsZero() {
		changed = modTime(it.path)
	}
	s := &polledStream{id: polledID(it.origin, key), replaying: true}
	in := tail.Stream{
		ID: s.id, Path: it.path, Name: filepath.Base(it.path), Session: key, ModTime: changed, Compressed: openfile.IsCompressed(it.path),
		Restated: true, Afresh: it.kind == itemDatabase,
	}
	if it.kind == itemDocument { // others may replace it under its path
		in.Outside = func() bool { return discover.Outside(it.path, fingerprint.FileID{}, p.settings.Documents) }
	}
	known, err := p.states.of(ctx, s.id)
	if err != nil {
		return nil, fmt.Errorf("read checkpoint of %q: %w", it.path, err)
	}
	if known != nil {
		in.State = known.State
	}
	if p.settings.Shared.Store != nil {
		in.Changed = func() { p.dirty.Add(dirtyStream{it, key}) }
	}
	s.consumer, err = p.handler.Open(ctx, in)
	return s, err
}

// polledID returns a stream ID for an item's path and the stream's key in it.
func polledID(path, key string) string {
	h := sha256.New()
	h.Write([]byte(filepath.ToSlash(path)))
	h.Write([]byte{0, 0})
	h.Write([]byte(key))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// tidy calls Idle at the end of streams and closes streams that were idle for long.
func (p *Poller) tidy(ctx context.Context, it *item) {
	for key, s := range it.streams {
		if s.idlePending {
			if err := s.consumer.Idle(ctx); err != nil {
				p.refused(it, err)
				return
			}
			s.idlePending, s.replaying = false, false
		}
		p.save(it, key, s)
		idle := p.idleClose(it.kind)
		if idle <= 0 || time.Since(s.lastRead) < idle {
			continue
		}
		if s.lastRead = stream.MovedOf(s.consumer); time.Since(s.lastRead) >= idle {
			p.closeStream(ctx, it, key, tail.CloseReasonIdle)
		}
	}
	it.tries = 0
}

// idleClose returns the time without a line after which a stream is closed; 0: never. A document that changes after that is
// replayed as after a restart, which requires a stored checkpoint. The rows of a database that were delivered are known without one.
func (p *Poller) idleClose(kind itemKind) time.Duration {
	switch {
	case kind == itemDatabase, kind == itemDocument && p.settings.Shared.Store != nil:
		return p.settings.Shared.IdleClose
	default:
		return 0
	}
}

func (p *Poller) closeStream(ctx context.Context, it *item, key string, reason tail.CloseReason) {
	s := it.streams[key]
	delete(it.streams, key)
	if err := s.consumer.Close(ctx, reason); err != nil {
		p.settings.Shared.Observer.Failed(it.path, err, 0)
	}
	it.source.Release(key) // this moves a position
	p.save(it, key, s)
	p.settings.Shared.Observer.Closed(it.path, reason)
}

// closeItem closes everything that an item has open.
func (p *Poller) closeItem(ctx context.Context, it *item, reason tail.CloseReason) error {
	var errs []error
	for key, s := range it.streams {
		if err := s.consumer.Close(ctx, reason); err != nil {
			errs = append(errs, fmt.Errorf("close stream of %q: %w", it.path, err))
		}
		p.save(it, key, s)
		delete(it.streams, key)
		p.settings.Shared.Observer.Closed(it.path, reason)
	}
	if err := it.source.Close(); err != nil {
		errs = append(errs, fmt.Errorf("close %q: %w", it.path, err))
	}
	return errors.Join(errs...)
}

// save saves a stream's checkpoint if it changed.
func (p *Poller) save(it *item, key string, s *polledStream) {
	if p.settings.Shared.Store == nil || s.replaying {
		return
	}
	if c, ok := s.consumer.(tail.Stateful); ok {
		s.state, s.pending = c.State()
	}
	c := checkpoint.Checkpoint{Stream: s.id, Path: it.path, Device: it.id.Device, Inode: it.id.Inode, Pending: s.pending, State: s.state}
	c.Item = checkpoint.Item{Origin: it.origin, Key: key, Position: it.source.Position(key)}
	s.stored = p.states.saver.Save(s.stored, &c)
}
