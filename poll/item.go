package poll

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/internal/retry"
	"github.com/tailspan/tailspan/poll/internal/source"
	"github.com/tailspan/tailspan/tail"
)

// itemKind is what kind of source an item is.
type itemKind uint8

const (
	itemDocument itemKind = iota
	itemDatabase
)

// item is one document or database.
type item struct {
	kind     itemKind
	path     string
	origin   string // where it was first seen
	id       fingerprint.FileID
	source   source.Source
	streams  map[string]*polledStream
	caughtUp bool // all existing content was read once
	// missingSince is when its path was found to lead nowhere.
	missingSince time.Time
	tries        retry.Tries
	retryAt      time.Time
	due          bool      // to be polled in this round
	wakeAt       time.Time // to be polled at this time; zero: with all others
	notBefore    time.Time // so that polls take at most a tenth of the time
}

// isUnread reports whether an item may yet ask for checkpoints: a database does so in its first scan, which may fail for long.
func (it *item) isUnread() bool { return it.kind == itemDatabase && !it.caughtUp }

// newItem returns an item, which resumes from its checkpoint if the store has one.
func (p *Poller) newItem(ctx context.Context, kind itemKind, one discover.Found, atStart bool) (*item, error) {
	it := &item{kind: kind, path: one.Path, origin: one.Path, id: one.ID, due: true, streams: map[string]*polledStream{}}
	var known *checkpoint.Checkpoint
	var err error
	switch kind {
	case itemDatabase: // it has a position for each family
		it.origin = p.states.originOf(one, p.follows)
	case itemDocument:
		known, it.origin, err = p.states.ofDocument(ctx, one, p.follows)
	}
	if err != nil {
		return nil, fmt.Errorf("read checkpoint of %q: %w", one.Path, err)
	}
	old := atStart && known == nil && p.isOld(kind, one)
	if old {
		p.seen.Leave(one)
	}
	skip := old && p.settings.Shared.StartAt == tail.StartAtEnd
	if age := p.settings.Shared.ExcludeOlderThan; age > 0 && kind == itemDocument && known == nil {
		skip = skip || time.Since(time.Unix(0, one.MTime)) > age
	}
	switch kind {
	case itemDocument:
		it.source, err = source.NewDocument(p.documents(), one, skip, known)
	case itemDatabase:
		it.source = p.database(ctx, it, p.since(skip))
	}
	if err != nil {
		p.states.unusable(checkpoint.ItemPrefix+polledID(it.origin, ""), err)
		it.source, _ = source.NewDocument(p.documents(), one, false, nil)
	}
	return it, nil
}

// documents returns the settings for reading documents.
func (p *Poller) documents() source.DocumentSettings {
	s := &p.settings.Shared
	return source.DocumentSettings{
		MaxSize: p.settings.MaxDocumentSize,
		Open:    s.Descriptors.Counted(func(path string) (openfile.Handle, error) { return p.openFile(path) }),
		TooLong: func(path string, bytes int64) { s.Observer.Skipped(path, tail.SkipReasonTooLong, bytes) },
		Incomplete: func(path string, bytes int64) {
			s.Observer.Skipped(path, tail.SkipReasonIncomplete, bytes)
			s.Logger.Warn("skipping incomplete document until it changes", zap.String("path", path),
				zap.String("advice", "a document must be one complete JSON object or array; rename a file of JSON lines to .jsonl"))
		},
	}
}

// database returns the source of a database.
func (p *Poller) database(ctx context.Context, it *item, since time.Time) source.Source {
	s := &p.settings.Shared
	return source.NewDatabase(it.path, source.DatabaseSettings{
		Since: since, MaxRowSize: s.MaxLineSize, BatchBytes: s.BatchBytes, BatchRows: s.BatchLines, Descriptors: s.Descriptors,
		Known:    func(root string) (*checkpoint.Checkpoint, error) { return p.states.of(ctx, polledID(it.origin, root)) },
		Unusable: func(stream string, err error) { p.states.unusable(checkpoint.ItemPrefix+stream, err) },
		TooLong:  func(path string, bytes int64) { s.Observer.Skipped(path, tail.SkipReasonTooLong, bytes) },
	})
}

// isOld reports whether an item that exists at start without a position existed before; what appeared while no process ran did
// not. A database in use is written all the time and has positions only for its families.
func (p *Poller) isOld(kind itemKind, one discover.Found) bool {
	if kind == itemDatabase {
		return p.states.knows(one, kind) || !p.seen.Appeared(one)
	}
	return !p.seen.Arrived(one, p.states.lastRun)
}

// follows reports whether the streams of a followed item are named by the path.
func (p *Poller) follows(origin string) bool {
	return slices.ContainsFunc(p.items, func(it *item) bool { return it.origin == origin })
}

// since returns the row time from which rows are wanted in sessions without a checkpoint: that of the settings or, with
// [tail.StartAtEnd], the last write of the last process, or now.
func (p *Poller) since(skip bool) time.Time {
	switch {
	case !skip:
		return p.settings.RowsSince
	case p.states.lastRun > 0:
		return time.Unix(p.states.lastRun, 0)
	default:
		return time.Now()
	}
}

// turn asks an item for one batch. It reports whether there may be more at once.
func (p *Poller) turn(ctx context.Context, it *item) bool {
	if time.Now().Before(it.retryAt) {
		return false
	}
	if !it.source.Changed() {
		it.caughtUp = it.caughtUp || len(it.streams) > 0
		p.tidy(ctx, it)
		return false
	}
	b, err := it.source.Next(ctx)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.missing(ctx, it)
		return false
	case err != nil:
		it.missingSince = time.Time{}
		p.failed(it.path, err, p.backOff(it))
		return false
	}
	it.missingSince = time.Time{}
	if len(b.Lines) == 0 {
		it.caughtUp = true
		p.tidy(ctx, it)
		if it.source.Changed() { // it was being written
			it.wakeIn(changeWait)
		}
		return false
	}
	fresh := 0
	for i := range b.Lines {
		b.Lines[i].Live = it.caughtUp && !b.Lines[i].Replayed
		if !b.Lines[i].Replayed {
			fresh++
		}
	}
	s, err := p.offer(ctx, it, &b)
	if err != nil {
		p.refused(it, err)
		return false
	}
	it.source.Acknowledge()
	it.tries = 0
	p.errorLog.Resolved(it.path)
	if fresh > 0 {
		p.settings.Shared.Observer.Read(it.path, fresh, b.Bytes)
	}
	p.save(it, b.Key, s)
	return true
}

// wakeIn schedules an item's next poll for after wait at the latest.
func (it *item) wakeIn(wait time.Duration) {
	if at := time.Now().Add(wait); it.wakeAt.IsZero() || at.Before(it.wakeAt) {
		it.wakeAt = at
	}
}

// refused handles lines that the consumer did not acknowledge.
func (p *Poller) refused(it *item, err error) {
	if it.tries == 0 {
		p.settings.Shared.Logger.Warn("consumer refused batch, will retry", zap.String("path", it.path), zap.Error(err))
	}
	p.settings.Shared.Observer.Refused(it.path, err, p.backOff(it))
}

// backOff delays an item's next poll, longer after each consecutive call.
func (p *Poller) backOff(it *item) time.Duration {
	wait := it.tries.Next(p.settings.Shared.RetryInterval, p.settings.Shared.MaxRetryInterval)
	it.retryAt = time.Now().Add(wait)
	return wait
}

// missing handles a path that leads nowhere. The file may be in the middle of a replacement.
func (p *Poller) missing(ctx context.Context, it *item) {
	p.tidy(ctx, it)
	if it.missingSince.IsZero() {
		it.missingSince = time.Now()
	}
	if time.Since(it.missingSince) < p.settings.Shared.UnlinkGrace {
		return
	}
	if err := p.closeItem(ctx, it, tail.CloseReasonUnlinked); err != nil {
		p.settings.Shared.Observer.Failed(it.path, err, 0)
	}
	delete(p.byPath, it.path) // a later file at that path is new
	p.items = slices.DeleteFunc(p.items, func(other *item) bool { return other == it })
}
