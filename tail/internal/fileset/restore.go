package fileset

import (
	"context"
	"slices"
	"time"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/tail/internal/reader"
)

// storedKey identifies a file with a checkpoint; one path may have led to two files, one after the other.
type storedKey struct {
	path string
	id   fingerprint.FileID
}

// Restore reads the checkpoints of a store that can list its keys. Each file is retired until it is found.
func (t *Set) Restore(ctx context.Context, s *checkpoint.Saver) error {
	return s.Each(ctx, checkpoint.FilePrefix, t.recall, t.unusable)
}

// unusable reports a stored value that is not used.
func (m *matcher) unusable(key string, err error) {
	m.settings.Observer.Unusable(key, err)
	m.log.Unusable(key, err)
}

// recall adds the file of a checkpoint.
func (m *matcher) recall(c *checkpoint.Checkpoint) {
	f := newFile(c.Path)
	f.state, f.origin = stateRetired, originStored
	f.id, f.pos, f.size, f.mtime = c.ID(), c.At(), c.Size, c.MTime
	f.stream = reader.Restore(c)
	m.lastRun = max(m.lastRun, c.Saved)
	f.indexed.slot = m.retired.PushBack(f)
	m.heads.add(f)
	m.restored[storedKey{f.path, f.id}] = f
	// What this process has seen of an inode is newer than what the store has.
	if other := m.ids[f.id]; other == nil || other.isStoredBefore(c) {
		m.enterID(f)
	}
}

// isStoredBefore reports whether all that is known of the file is an older checkpoint than c.
func (f *File) isStoredBefore(c *checkpoint.Checkpoint) bool {
	return f.indexed.slot != nil && f.origin == originStored && f.stream.Stored().SavedAt().Before(c.SavedAt())
}

// resume handles a path found by the first scan. A file with a checkpoint is followed from its offset. One that has not
// changed is not even opened, unless its consumer has pending output.
func (t *Set) resume(one discover.Found) bool {
	known := t.restored[storedKey{one.Path, one.ID}]
	if known == nil || known.indexed.slot == nil || t.ids[one.ID] != known && one.ID != (fingerprint.FileID{}) {
		// An emptied file is not the known one and is not opened.
		if k := t.ids[one.ID]; k != nil && k.indexed.slot != nil && (one.Size > 0 || k.pos.Offset == 0) {
			k.presentAt = one.Path
		}
		return false
	}
	t.adoptAs(known, one.Path, one.ID)
	last := known.stream.Stored()
	known.lostLink = last.LostLink || slices.ContainsFunc(last.Links, func(name string) bool { return !fingerprint.LeadsTo(name, one.ID) })
	if known.stream.IsComplete(one.Size, one.MTime) {
		known.size, known.mtime, known.live, known.origin = one.Size, one.MTime, true, originNew
		return true
	}
	t.schedule(known)
	return true
}

// expireRestored evicts files whose checkpoints have long not been found, also from the store. It runs after all existing
// files were visited.
func (t *Set) expireRestored() {
	before := time.Now().Add(-t.settings.KeepUnlinked)
	for e := t.retired.Front(); e != nil; {
		f := e.Value.(*File)
		e = e.Next()
		if f.origin == originStored && f.stream.Stored().SavedAt().Before(before) {
			t.retired.Remove(f.indexed.slot)
			t.evict(f)
			if t.names.Vacant(f.stream.ID) {
				t.expired = append(t.expired, t.names.Take(f.stream.ID)) // reserved until the saver has it
			}
		}
	}
	clear(t.restored)
}
