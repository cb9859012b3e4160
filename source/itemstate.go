package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/source/internal/discover"
	"github.com/tailspan/tailspan/source/internal/fingerprint"
)

// itemPrefix begins the keys of the checkpoints of [Polled]'s streams; the stream's id follows.
const itemPrefix = "item/"

// itemState is the checkpoint of a stream of a document or a database: its identity, the acknowledged position in
// the source's own terms, and the state of its consumer.
type itemState struct {
	Stream string `json:"stream"`
	// Path is where the item is; Origin, where it was first, which names its streams.
	Path   string `json:"path"`
	Origin string `json:"origin"`
	Key    string `json:"key,omitempty"`
	Device uint64 `json:"device,omitempty"`
	Inode  uint64 `json:"inode,omitempty"`

	Position json.RawMessage `json:"position"`
	Pending  bool            `json:"pending,omitempty"`
	State    []byte          `json:"state,omitempty"`
	Saved    int64           `json:"saved"`
}

func (s *itemState) encode() ([]byte, error) {
	body, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("encode checkpoint: %w", err)
	}
	return seal(body), nil
}

func decodeItem(value []byte) (itemState, error) {
	var s itemState
	body, err := unseal(value)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(body, &s); err != nil {
		return itemState{}, fmt.Errorf("decode checkpoint: %w: %w", ErrBroken, err)
	}
	if s.Stream == "" || s.Path == "" || s.Origin == "" {
		return itemState{}, fmt.Errorf("decode checkpoint: %w: no stream or path", ErrBroken)
	}
	return s, nil
}

// itemStates are the checkpoints of items. A store that can't list its keys is asked for each.
type itemStates struct {
	settings *Settings
	walked   map[string]*itemState             // by stream; nil if the store does not walk
	byID     map[fingerprint.FileID]*itemState // documents, and of databases the stream that was written last
	byPath   map[string]*itemState             // the same, by where they were last
	asked    map[string]bool
	lastRun  int64 // when the last of them was written, in Unix seconds
	settled  bool  // expired checkpoints were deleted
}

// load reads the checkpoints of the store.
func (s *itemStates) load(ctx context.Context) error {
	walker, ok := s.settings.Store.(Walker)
	if !ok {
		return nil
	}
	s.walked, s.asked = map[string]*itemState{}, map[string]bool{}
	s.byID, s.byPath = map[fingerprint.FileID]*itemState{}, map[string]*itemState{}
	err := walker.Walk(ctx, func(key string, value []byte) error {
		if len(key) <= len(itemPrefix) || key[:len(itemPrefix)] != itemPrefix {
			return nil
		}
		state, err := decodeItem(value)
		if err != nil {
			s.unusable(key, err)
			return nil
		}
		s.walked[state.Stream] = &state
		if id := (fingerprint.FileID{Device: state.Device, Inode: state.Inode}); id != (fingerprint.FileID{}) {
			keepNewest(s.byID, id, &state)
		}
		keepNewest(s.byPath, state.Path, &state)
		s.lastRun = max(s.lastRun, state.Saved)
		return nil
	})
	if err != nil {
		return fmt.Errorf("walk store: %w", err)
	}
	return nil
}

// keepNewest enters a state unless one that was written later is there: paths and inodes are reused.
func keepNewest[K comparable](states map[K]*itemState, key K, state *itemState) {
	if other := states[key]; other == nil || other.Saved <= state.Saved {
		states[key] = state
	}
}

// of returns what is known of a stream, nil if nothing is. An error of the store may be temporary.
func (s *itemStates) of(ctx context.Context, stream string) (*itemState, error) {
	if s.settings.Store == nil {
		return nil, nil
	}
	if s.walked != nil {
		s.asked[stream] = true
	}
	value, err := s.settings.Store.Get(ctx, itemPrefix+stream)
	if err != nil || value == nil {
		return nil, err
	}
	state, err := decodeItem(value)
	if err != nil {
		s.unusable(itemPrefix+stream, err)
		return nil, nil
	}
	return &state, nil
}

// ofDocument returns what is known of the document under a path, nil if nothing is, and the origin to name its stream by:
// that of the document that was there last or has this inode, and else the path, or a variant of it where another
// document, which was renamed, goes by the path.
func (s *itemStates) ofDocument(ctx context.Context, one discover.Found, follows func(origin string) bool) (*itemState, string, error) {
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
		if err != nil || state == nil || state.mayBe(one) {
			return state, origin, err
		}
	}
}

// originOf returns what the streams of the database under a path are named by, as ofDocument does.
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

// walkedOf returns a state of the item under a path, by the path or else by the inode, if the store lists its keys. Only
// a database's streams have keys.
func (s *itemStates) walkedOf(one discover.Found, kind itemKind, follows func(origin string) bool) *itemState {
	for _, state := range []*itemState{s.byPath[one.Path], s.byID[one.ID]} {
		if state != nil && (state.Key != "") == (kind == itemDatabase) && state.mayBe(one) && !follows(state.Origin) {
			return state
		}
	}
	return nil
}

// knows reports whether there is a state of the item under a path.
func (s *itemStates) knows(one discover.Found, kind itemKind) bool {
	return s.walkedOf(one, kind, func(string) bool { return false }) != nil
}

// variant is the nth origin for a path; the first is the path.
func variant(path string, n int) string {
	if n == 1 {
		return path
	}
	return fmt.Sprintf("%s#%d", path, n)
}

// mayBe reports whether a checkpoint may be that of the found file: it was there last, or is no longer where it was.
func (s *itemState) mayBe(one discover.Found) bool {
	return s.Path == one.Path || !fingerprint.LeadsTo(s.Path, fingerprint.FileID{Device: s.Device, Inode: s.Inode})
}

// unusable reports a value that is not used, since a broken or newer format is never guessed.
func (s *itemStates) unusable(key string, err error) {
	s.settings.Observer.unusable(key, err)
	s.settings.Logger.Error("stored checkpoint is not readable, reading its file as new", zap.String("key", key), zap.Error(err))
}

// expire deletes old checkpoints that no item asked for, after the first scan.
func (s *itemStates) expire(ctx context.Context) {
	if s.settled {
		return
	}
	s.settled = true
	before := time.Now().Add(-s.settings.KeepUnlinked).Unix()
	for stream, state := range s.walked {
		if s.asked[stream] || state.Saved >= before {
			continue
		}
		if err := s.settings.Store.Delete(ctx, itemPrefix+stream); err != nil {
			s.settings.Observer.unsaved(state.Path, fmt.Errorf("delete checkpoint of %q: %w", state.Path, err))
			return // the next process does it
		}
	}
	s.walked, s.byID, s.byPath, s.asked = nil, nil, nil, nil
}

// saveItem writes a stream's checkpoint, if that changed and it is not too early. It returns the time to the next try; 0: none.
func (p *Polled) saveItem(ctx context.Context, it *item, key string, s *polledStream, must bool) time.Duration {
	if p.settings.Settings.Store == nil || s.replaying {
		return 0
	}
	position, err := it.store.position(key)
	if c, ok := s.consumer.(Stateful); ok {
		s.state, s.pending = c.State()
	}
	now := itemState{
		Stream: s.id, Path: it.path, Origin: it.origin, Key: key, Device: it.id.Device, Inode: it.id.Inode,
		Position: position, Pending: s.pending, State: s.state,
	}
	started := time.Now()
	body, e := json.Marshal(&now)
	if err = errors.Join(err, e); err == nil && string(body) == s.stored {
		return 0
	}
	if wait := min(saveShare*s.storing, saveAtLeast) - started.Sub(s.storedAt); wait > 0 && !must {
		return wait
	}
	now.Saved = started.Unix()
	var value []byte
	if err == nil {
		value, err = now.encode()
	}
	if err == nil {
		err = p.settings.Settings.Store.Set(ctx, itemPrefix+s.id, value)
	}
	s.storedAt, s.storing = started, time.Since(started)
	if err != nil {
		err = fmt.Errorf("save checkpoint of %q: %w", it.path, err)
		p.settings.Settings.Observer.unsaved(it.path, err)
		p.errorLog.unsaved(err)
		return saveAtLeast
	}
	s.stored = string(body)
	p.settings.Settings.Observer.saved()
	return 0
}

// saveLast writes the checkpoint of a closed stream, also when ctx has ended.
func (p *Polled) saveLast(ctx context.Context, it *item, key string, s *polledStream) {
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	p.saveItem(last, it, key, s, true)
}
