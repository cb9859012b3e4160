package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"
)

// storedKey names a file that the store knows: two may have had one path, one after the other.
type storedKey struct {
	path string
	id   fileID
}

// restore takes in what the store has. Each file is then one that is gone, as far as we know, until it is found.
func (t *table) restore(ctx context.Context, s *saver) error {
	walker, ok := t.settings.Store.(Walker)
	if !ok {
		return nil
	}
	broken := []string{}
	err := walker.Walk(ctx, func(key string, value []byte) error {
		if len(key) <= len(checkpointPrefix) || key[:len(checkpointPrefix)] != checkpointPrefix {
			return nil
		}
		c, err := decodeCheckpoint(value)
		if err != nil {
			t.unusable(key, err)
			if errors.Is(err, ErrBroken) {
				broken = append(broken, key)
			}
			return nil
		}
		t.recall(&c)
		return nil
	})
	if err != nil {
		return fmt.Errorf("walk store: %w", err)
	}
	s.delete(ctx, broken) // they were reported, and nothing can be made of them
	return nil
}

// EachState gives what a store keeps for the consumers of files, documents and databases: the id of the stream, when that
// was written, and what the consumer gave. What can't be read is left out; it is reported when the source restores it.
func EachState(ctx context.Context, store Walker, f func(stream string, saved time.Time, state []byte)) error {
	err := store.Walk(ctx, func(key string, value []byte) error {
		switch {
		case strings.HasPrefix(key, checkpointPrefix):
			if c, err := decodeCheckpoint(value); err == nil && len(c.State) > 0 {
				f(c.Stream, time.Unix(c.Saved, 0), c.State)
			}
		case strings.HasPrefix(key, itemPrefix):
			if s, err := decodeItem(value); err == nil && len(s.State) > 0 {
				f(s.Stream, time.Unix(s.Saved, 0), s.State)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("walk store: %w", err)
	}
	return nil
}

// unusable reports a value that is not used: what is not understood is not guessed at.
func (t *table) unusable(key string, err error) {
	t.settings.Observer.unusable(key, err)
	t.settings.Logger.Error("A stored position can't be read; its file is read as if it were new",
		zap.String("key", key), zap.Error(err))
}

// recall makes a file of a stored position.
func (t *table) recall(c *checkpoint) {
	f := &file{
		path: c.Path, id: fileID{c.Device, c.Inode}, pos: c.position(), size: c.Size, mtime: c.MTime,
		state: stateClosed, wakeSlot: -1, restored: true, streamID: c.Stream,
		begin: c.Begin, begun: c.Begin < c.Offset, atEnd: c.AtEnd, consumerState: c.State, open: c.Open, stored: c.restored(),
	}
	t.lastRun = max(t.lastRun, c.Saved)
	f.slot = t.closed.PushBack(f)
	t.heads.add(f)
	t.restored[storedKey{f.path, f.id}] = f
	// What this process has seen of an inode is newer than what the store has.
	if other := t.ids[f.id]; other == nil || other.slot != nil && other.restored && other.stored.at.Before(f.stored.at) {
		t.enterID(f)
	}
}

// resume deals with a path of the first look: if a stored file is there still, it is followed from where it was. One
// that has not changed is not even opened, unless its consumer owes something.
func (t *table) resume(one found) bool {
	known := t.restored[storedKey{one.path, one.id}]
	if known == nil || known.slot == nil || t.ids[one.id] != known && one.id != (fileID{}) {
		// An emptied file is not the known one, and nobody opens it.
		if k := t.ids[one.id]; k != nil && k.slot != nil && (one.size > 0 || k.pos.offset == 0) {
			k.presentAt = one.path
		}
		return false
	}
	t.adoptAs(known, one.path, one.id)
	known.strayed = known.stored.strayed || slices.ContainsFunc(splitNames(known.stored.names), func(name string) bool { return !leadsTo(name, one.id) })
	if one.size == known.stored.size && one.mtime == known.stored.mtime && known.atEnd && !known.open {
		known.size, known.mtime, known.caughtUp, known.restored = one.size, one.mtime, true, false
		return true
	}
	t.touch(known)
	return true
}

// unverified tells that a file is followed because the store said so, and was not looked into yet. One that can't be read
// is taken at the store's word after some tries, or those that begin like it would wait for good.
func (f *file) unverified() bool {
	return f.restored && f.state == stateFollowed && f.tries < maxHeld
}

// expireRestored forgets the stored files that were not found for long, in the store too. It is asked when all that is
// there has been looked at.
func (t *table) expireRestored() {
	before := time.Now().Add(-t.settings.KeepGone)
	for e := t.closed.Front(); e != nil; {
		f := e.Value.(*file)
		e = e.Next()
		if f.restored && f.stored.at.Before(before) {
			t.closed.Remove(f.slot)
			t.forget(f)
			if t.names.vacant(f.streamID) {
				t.dead = append(t.dead, t.names.again(f.streamID)) // nobody else has it while it is being deleted
			}
		}
	}
	clear(t.restored)
}

// delete takes keys out of the store. What fails is tried again by the next process.
func (s *saver) delete(ctx context.Context, keys []string) {
	for _, key := range keys {
		if err := s.store.Delete(ctx, key); err != nil {
			s.observer.unsaved(key, fmt.Errorf("delete %q: %w", key, err))
			return
		}
	}
}

// lookup asks a store that can't tell all that it holds for the file that a worker looks at.
func (s *saver) lookup(ctx context.Context, id string) (*checkpoint, error) {
	if _, ok := s.store.(Walker); ok || s.store == nil {
		return nil, nil
	}
	value, err := s.store.Get(ctx, checkpointPrefix+id)
	if err != nil || value == nil {
		return nil, err
	}
	c, err := decodeCheckpoint(value)
	if err != nil {
		return nil, err
	}
	return &c, nil
}
