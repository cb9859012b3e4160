package tail

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/fingerprint"
)

// storedKey identifies a file with a checkpoint: two may have had one path, one after the other.
type storedKey struct {
	path string
	id   fingerprint.FileID
}

// restore reads the checkpoints of the store. Each file is retired until it is found.
func (t *table) restore(ctx context.Context, s *checkpoint.Saver) error {
	if _, ok := s.Store.(Walker); !ok {
		return nil
	}
	return eachCheckpoint(ctx, s, checkpoint.FilePrefix, t.recall, t.unusable)
}

// eachCheckpoint calls use for each checkpoint under a prefix, of a store that walks. It deletes what is broken or of an older
// version, after a report: it is of no use, and nothing may ever overwrite it.
func eachCheckpoint(
	ctx context.Context, s *checkpoint.Saver, prefix string, use func(*checkpoint.Checkpoint), unusable func(key string, err error),
) error {
	var useless []string
	err := s.Store.(Walker).Walk(ctx, func(key string, value []byte) error {
		if !strings.HasPrefix(key, prefix) {
			return nil
		}
		c, err := checkpoint.Decode(key, value)
		if err == nil {
			use(c)
			return nil
		}
		unusable(key, err)
		if errors.Is(err, ErrBroken) || errors.Is(err, ErrOlder) {
			useless = append(useless, key)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("walk store: %w", err)
	}
	s.Delete(ctx, useless)
	return nil
}

// EachState calls f for each checkpoint that has a consumer's state: the id of the stream, when it was written, and the state.
// Values that can't be read are left out; the source reports them when it restores them.
func EachState(ctx context.Context, store Walker, f func(stream string, saved time.Time, state []byte)) error {
	err := store.Walk(ctx, func(key string, value []byte) error {
		if strings.HasPrefix(key, checkpoint.FilePrefix) || strings.HasPrefix(key, checkpoint.ItemPrefix) {
			if c, err := checkpoint.Decode(key, value); err == nil && len(c.State) > 0 {
				f(c.Stream, time.Unix(c.Saved, 0), c.State)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("walk store: %w", err)
	}
	return nil
}

// unusable reports a value that is not used, since a broken or newer format is never guessed.
func (m *matcher) unusable(key string, err error) {
	m.settings.Observer.Unusable(key, err)
	m.settings.Logger.Error("stored checkpoint is not readable, reading its file as new",
		zap.String("key", key), zap.Error(err))
}

// recall makes a file of a checkpoint.
func (m *matcher) recall(c *checkpoint.Checkpoint) {
	f := newFile(c.Path)
	f.state, f.origin = stateRetired, originStored
	f.id, f.pos, f.size, f.mtime = c.ID(), c.At(), c.Size, c.MTime
	f.stream = openStream{
		id: c.Stream, begin: c.Begin, begun: c.Begin < c.Offset, atEnd: c.AtEnd, state: c.State, pending: c.Pending, stored: checkpoint.Restored(c),
	}
	m.lastRun = max(m.lastRun, c.Saved)
	f.indexed.slot = m.retired.PushBack(f)
	m.heads.add(f)
	m.restored[storedKey{f.path, f.id}] = f
	// What this process has seen of an inode is newer than what the store has.
	if other := m.ids[f.id]; other == nil || other.indexed.slot != nil && other.origin == originStored && other.stream.stored.At.Before(f.stream.stored.At) {
		m.enterID(f)
	}
}

// resume handles a path of the first scan: if it is a file with a checkpoint, it is followed from its offset. One that has not
// changed is not even opened, unless its consumer has pending output.
func (t *table) resume(one discover.Found) bool {
	known := t.restored[storedKey{one.Path, one.ID}]
	if known == nil || known.indexed.slot == nil || t.ids[one.ID] != known && one.ID != (fingerprint.FileID{}) {
		// A file that was emptied is not the known one, and is not opened.
		if k := t.ids[one.ID]; k != nil && k.indexed.slot != nil && (one.Size > 0 || k.pos.Offset == 0) {
			k.presentAt = one.Path
		}
		return false
	}
	t.adoptAs(known, one.Path, one.ID)
	known.lostLink = known.stream.stored.Last.LostLink || slices.ContainsFunc(known.stream.stored.Last.Links, func(name string) bool { return !fingerprint.LeadsTo(name, one.ID) })
	if one.Size == known.stream.stored.Last.Size && one.MTime == known.stream.stored.Last.MTime && known.stream.atEnd && !known.stream.pending {
		known.size, known.mtime, known.live, known.origin = one.Size, one.MTime, true, originNew
		return true
	}
	t.schedule(known)
	return true
}

// expireRestored evicts the files of checkpoints that were not found for long, in the store too. It runs when all existing
// files were visited.
func (t *table) expireRestored() {
	before := time.Now().Add(-t.settings.KeepUnlinked)
	for e := t.retired.Front(); e != nil; {
		f := e.Value.(*file)
		e = e.Next()
		if f.origin == originStored && f.stream.stored.At.Before(before) {
			t.retired.Remove(f.indexed.slot)
			t.evict(f)
			if t.names.vacant(f.stream.id) {
				t.expired = append(t.expired, t.names.take(f.stream.id)) // nobody else has it while it is being deleted
			}
		}
	}
	clear(t.restored)
}
