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

// itemKind is what an item of [Poller] is.
type itemKind uint8

const (
	itemDocument itemKind = iota
	itemDatabase
)

// item is one document or database.
type item struct {
	kind     itemKind
	path     string
	origin   string // where it was first
	id       fingerprint.FileID
	source   source.Source
	streams  map[string]*polledStream
	caughtUp bool // all that was there was read once
	// missingSince is when its path was found to lead nowhere.
	missingSince time.Time
	tries        retry.Tries
	retryAt      time.Time
	due          bool      // to be asked in this round
	wakeAt       time.Time // to be asked then; zero: with all others
	notBefore    time.Time // polls take a tenth of the time at most
}

// isUnread reports whether an item may yet ask for checkpoints: a database does so in its first scan, which may fail for long.
func (it *item) isUnread() bool { return it.kind == itemDatabase && !it.caughtUp }

// newItem makes an item, which resumes from its checkpoint, if the store has one.
func (p *Poller) newItem(ctx context.Context, kind itemKind, one discover.Found, atStart bool) (*item, error) {
	it := &item{kind: kind, path: one.Path, origin: one.Path, id: one.ID, due: true, streams: map[string]*polledStream{}}
	var known *checkpoint.Checkpoint
	var err error
	switch kind {
	case itemDatabase: // has a position for each family
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

// documents says how documents are read.
func (p *Poller) documents() source.DocumentSettings {
	s := &p.settings.Shared
	return source.DocumentSettings{
		MaxSize: p.settings.MaxDocumentSize,
		Open:    s.Descriptors.Counted(func(path string) (openfile.Handle, error) { return p.openFile(path) }),
		TooLong: func(path string, bytes int64) { s.Observer.Skipped(path, tail.SkipReasonTooLong, bytes) },
		Incomplete: func(path string, bytes int64) {
			s.Observer.Skipped(path, tail.SkipReasonIncomplete, bytes)
			s.Logger.Warn("skipping incomplete document until it changes", zap.String("path", path),
				zap.String("advice", "a document is one whole JSON object or array; name a file of JSON lines .jsonl"))
		},
	}
}

// database makes the source of a database.
func (p *Poller) database(ctx context.Context, it *item, since time.Time) source.Source {
	s := &p.settings.Shared
	return source.NewDatabase(it.path, source.DatabaseSettings{
		Since: since, MaxRowSize: s.MaxLineSize, BatchBytes: s.BatchBytes, BatchRows: s.BatchLines, Descriptors: s.Descriptors,
		Known:    func(root string) (*checkpoint.Checkpoint, error) { return p.states.of(ctx, polledID(it.origin, root)) },
		Unusable: func(stream string, err error) { p.states.unusable(checkpoint.ItemPrefix+stream, err) },
		TooLong:  func(path string, bytes int64) { s.Observer.Skipped(path, tail.SkipReasonTooLong, bytes) },
	})
}

// isOld reports whether an item that is there at start, and without a position, was there before: what came while no process ran
// was not. A database that goes on is written to all the time, and has positions for its families alone.
func (p *Poller) isOld(kind itemKind, one discover.Found) bool {
	if kind == itemDatabase {
		return p.states.knows(one, kind) || !p.seen.Appeared(one)
	}
	return !p.seen.Arrived(one, p.states.lastRun)
}

// follows reports whether a followed item names its streams by a path.
func (p *Poller) follows(origin string) bool {
	return slices.ContainsFunc(p.items, func(it *item) bool { return it.origin == origin })
}

// since is the row time from which rows are wanted of sessions without a checkpoint: that of the settings, or with
// [tail.StartAtEnd] the last write of the last process, or now.
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
	p.save(ctx, it, b.Key, s)
	return true
}

// wakeIn schedules an item's next poll after some time at the latest.
func (it *item) wakeIn(wait time.Duration) {
	if at := time.Now().Add(wait); it.wakeAt.IsZero() || at.Before(it.wakeAt) {
		it.wakeAt = at
	}
}

// refused: the consumer did not take the lines.
func (p *Poller) refused(it *item, err error) {
	if it.tries == 0 {
		p.settings.Shared.Logger.Warn("consumer refused batch, will retry", zap.String("path", it.path), zap.Error(err))
	}
	p.settings.Shared.Observer.Refused(it.path, err, p.backOff(it))
}

// backOff delays an item's next poll, longer each time.
func (p *Poller) backOff(it *item) time.Duration {
	wait := it.tries.Next(p.settings.Shared.RetryInterval, p.settings.Shared.MaxRetryInterval)
	it.retryAt = time.Now().Add(wait)
	return wait
}

// missing: nothing is under the path. The file may be being replaced.
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
	delete(p.byPath, it.path) // a later file there is new
	p.items = slices.DeleteFunc(p.items, func(other *item) bool { return other == it })
}
