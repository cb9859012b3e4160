package poll

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/errorlog"
	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/tail"
)

// itemStates holds the checkpoints of items. A store that can't list its keys is asked for each one.
type itemStates struct {
	settings *tail.Settings
	saver    *checkpoint.Saver
	log      *errorlog.Log
	walked   map[string]*checkpoint.Checkpoint             // by stream; nil if the store can't list its keys
	byID     map[fingerprint.FileID]*checkpoint.Checkpoint // documents, and for databases the last written stream
	byPath   map[string]*checkpoint.Checkpoint             // the same, by their last path
	asked    map[string]bool
	lastRun  int64 // when the last of them was written, in Unix seconds
	settled  bool  // expired checkpoints were deleted
}

// load reads the checkpoints of the store.
func (s *itemStates) load(ctx context.Context) error {
	if _, ok := s.settings.Store.(checkpoint.Walker); !ok {
		return nil
	}
	s.walked, s.asked = map[string]*checkpoint.Checkpoint{}, map[string]bool{}
	s.byID, s.byPath = map[fingerprint.FileID]*checkpoint.Checkpoint{}, map[string]*checkpoint.Checkpoint{}
	return s.saver.Each(ctx, checkpoint.ItemPrefix, func(state *checkpoint.Checkpoint) {
		s.walked[state.Stream] = state
		if id := state.ID(); id != (fingerprint.FileID{}) {
			keepNewest(s.byID, id, state)
		}
		keepNewest(s.byPath, state.Path, state)
		s.lastRun = max(s.lastRun, state.Saved)
	}, s.unusable)
}

// keepNewest adds a state unless a newer one is present: paths and inodes are reused.
func keepNewest[K comparable](states map[K]*checkpoint.Checkpoint, key K, state *checkpoint.Checkpoint) {
	if other := states[key]; other == nil || other.Saved <= state.Saved {
		states[key] = state
	}
}

// of returns what is known of a stream, or nil. An error of the store may be temporary.
func (s *itemStates) of(ctx context.Context, stream string) (*checkpoint.Checkpoint, error) {
	if s.settings.Store == nil {
		return nil, nil
	}
	if s.walked != nil {
		s.asked[stream] = true
	}
	state, err := s.saver.Lookup(ctx, checkpoint.ItemPrefix+stream)
	if checkpoint.IsUnusable(err) {
		s.unusable(checkpoint.ItemPrefix+stream, err)
		return nil, nil
	}
	return state, err
}

// ofDocument returns what is known of the document at a path, or nil, and the origin that names its stream. That is the origin
// of the document that was last there or has this inode. Otherwise it is the path, or a variant of it if another document,
// since renamed, is named by the path.
func (s *itemStates) ofDocument(ctx context.Context, one discover.Found, follows func(origin string) bool) (*checkpoint.Checkpoint, string, error) {
	if state := s.walkedOf(one, itemDocument, follows); state != nil {
		s.asked[state.Stream] = true
		return state, state.Origin, nil
	}
	for n := 1; ; n++ {
		origin := variant(one.Path, n)
		if follows(origin) {
			continue
		}
		state, err := s.of(ctx, polledID(origin, ""))
		if err != nil || state == nil || mayBeOf(state, one) {
			return state, origin, err
		}
	}
}

// originOf returns the origin that names the streams of the database at a path, as ofDocument does.
func (s *itemStates) originOf(one discover.Found, follows func(origin string) bool) string {
	if state := s.walkedOf(one, itemDatabase, follows); state != nil {
		return state.Origin
	}
	for n := 1; ; n++ {
		if origin := variant(one.Path, n); !follows(origin) {
			return origin
		}
	}
}

// walkedOf returns a state of the item at a path, by the path or else by the inode, if the store lists its keys. Only streams
// of databases have keys.
func (s *itemStates) walkedOf(one discover.Found, kind itemKind, follows func(origin string) bool) *checkpoint.Checkpoint {
	for _, state := range []*checkpoint.Checkpoint{s.byPath[one.Path], s.byID[one.ID]} {
		if state != nil && (state.Key != "") == (kind == itemDatabase) && mayBeOf(state, one) && !follows(state.Origin) {
			return state
		}
	}
	return nil
}

// knows reports whether there is a state of the item at a path.
func (s *itemStates) knows(one discover.Found, kind itemKind) bool {
	return s.walkedOf(one, kind, func(string) bool { return false }) != nil
}

// variant returns the nth origin for a path; the first is the path itself.
func variant(path string, n int) string {
	if n == 1 {
		return path
	}
	return fmt.Sprintf("%s#%d", path, n)
}

// mayBeOf reports whether a checkpoint may be that of the found file: its file was last at that path, or is no longer where it was.
func mayBeOf(c *checkpoint.Checkpoint, one discover.Found) bool {
	return c.Path == one.Path || !fingerprint.LeadsTo(c.Path, c.ID())
}

// unusable reports a value that is not used, because a broken or unknown format is never guessed.
func (s *itemStates) unusable(key string, err error) {
	s.settings.Observer.Unusable(key, err)
	s.log.Unusable(key, err)
}

// expire deletes old checkpoints that no item asked for, after all items have asked.
func (s *itemStates) expire(items []*item) {
	if s.settled || slices.ContainsFunc(items, (*item).isUnread) {
		return
	}
	s.settled = true
	before := time.Now().Add(-s.settings.KeepUnlinked).Unix()
	for stream, state := range s.walked {
		if !s.asked[stream] && state.Saved < before {
			s.saver.Delete(checkpoint.ItemPrefix + stream)
		}
	}
	s.walked, s.byID, s.byPath, s.asked = nil, nil, nil, nil
}
