package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// groupTime is how long a checkpoint waits for others that are written with it.
	groupTime = 20 * time.Millisecond
	// groupSize bounds one write to a [Batcher].
	groupSize = 256
	// saveShare bounds the cost of saving: after a write that took d, the next one waits until saveShare times d have passed, so
	// a slow store takes at most a tenth of the time.
	saveShare = 9
	// retryAfter is the longest such wait, and the wait after a failed write.
	retryAfter = time.Second
	// flushTimeout bounds each write of Flush.
	flushTimeout = 5 * time.Second
)

// Saver writes checkpoints to a store, in groups.
type Saver struct {
	Store   Store // may be nil
	batcher Batcher
	size    int // of one write to batcher
	saved   func()
	unsaved func(path string, err error)
	// first receives when something is pending and nothing was before.
	first   chan struct{}
	stop    chan struct{}
	running sync.WaitGroup
	// writing is held during a write, so that an older value of a key never replaces a newer one.
	writing sync.Mutex

	mu sync.Mutex
	// pending has, by store key, what is to be written: nil deletes the key. An entry remains until it was written, so that
	// Lookup finds it and a failed write is repeated.
	pending map[string]*Checkpoint
	// amended has the states that Amend wrote, by store key, until another state is saved.
	amended map[string]amendment
}

// amendment is the replacement of one state by another.
type amendment struct{ from, to []byte }

// NewSaver returns a Saver for a store, which may be nil. It calls saved after a write without an error, and unsaved for each
// path or key that was not written.
func NewSaver(store Store, saved func(), unsaved func(path string, err error)) *Saver {
	s := &Saver{
		Store: store, batcher: one{store}, size: 1, saved: saved, unsaved: unsaved, first: make(chan struct{}, 1), stop: make(chan struct{}),
		pending: map[string]*Checkpoint{}, amended: map[string]amendment{},
	}
	if batcher, ok := store.(Batcher); ok {
		s.batcher, s.size = batcher, groupSize
	}
	return s
}

// one is a store whose values are written one by one.
type one struct{ Store }

// WriteAll implements [Batcher].
func (s one) WriteAll(ctx context.Context, values map[string][]byte) error {
	for key, value := range values {
		var err error
		if value == nil {
			err = s.Delete(ctx, key)
		} else {
			err = s.Set(ctx, key, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Save makes a checkpoint pending if it differs from last, which is what Save returned for the stream before, or what the store
// had of it, or nil. It returns the stream's newest checkpoint, which is not changed any more.
func (s *Saver) Save(last, c *Checkpoint) *Checkpoint {
	if s.Store == nil || last != nil && last.same(c) {
		return last
	}
	now, newest := time.Now(), *c
	newest.Saved, newest.Nanos = now.Unix(), now.Nanosecond()
	newest.State, newest.Position = bytes.Clone(c.State), bytes.Clone(c.Position)
	s.keepAmended(&newest)
	s.add(newest.StoreKey(), &newest)
	return &newest
}

// keepAmended sets the amended state in a checkpoint whose state was taken before it was amended.
func (s *Saver) keepAmended(c *Checkpoint) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := c.StoreKey()
	a, ok := s.amended[key]
	switch {
	case ok && bytes.Equal(c.State, a.from):
		c.State, c.Pending = a.to, true
	case ok:
		delete(s.amended, key)
	}
}

// Entry is the stored checkpoint of one key. It is safe for concurrent use.
type Entry struct {
	saver *Saver
	key   string
}

// Entry returns the checkpoint of a key.
func (s *Saver) Entry(key string) *Entry { return &Entry{s, key} }

// Covers reports whether the checkpoint, which may not be written yet, has the lines up to an offset. If the store can't be
// read it reports true, because waiting would not help.
func (e *Entry) Covers(ctx context.Context, offset int64) bool {
	c, err := e.saver.Lookup(ctx, e.key)
	return err != nil || c != nil && c.Offset >= offset
}

// Amend replaces the consumer's state, marks it as pending, and returns when the checkpoint is written.
func (e *Entry) Amend(ctx context.Context, state []byte) error {
	c, err := e.saver.Lookup(ctx, e.key)
	if err != nil {
		return fmt.Errorf("read checkpoint: %w", err)
	}
	if c == nil {
		return errors.New("no checkpoint")
	}
	amended := *c
	amended.State, amended.Pending = bytes.Clone(state), true
	e.saver.mu.Lock()
	e.saver.amended[e.key] = amendment{c.State, amended.State}
	e.saver.mu.Unlock()
	e.saver.add(e.key, &amended)
	return e.saver.writeSome(ctx, []string{e.key})
}

// Delete makes the deletion of keys pending.
func (s *Saver) Delete(keys ...string) {
	for _, key := range keys {
		s.add(key, nil)
	}
}

func (s *Saver) add(key string, c *Checkpoint) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pending) == 0 {
		select {
		case s.first <- struct{}{}:
		default: // not received yet
		}
	}
	if s.pending[key] = c; c == nil {
		delete(s.amended, key)
	}
}

// Start starts writing what is pending, in groups.
func (s *Saver) Start(ctx context.Context) {
	if s.Store != nil {
		s.running.Go(func() { s.run(ctx) })
	}
}

// Stop stops what Start started, once.
func (s *Saver) Stop() {
	close(s.stop)
	s.running.Wait()
}

func (s *Saver) run(ctx context.Context) {
	var next time.Time // no write is earlier
	for {
		if !s.isPending() {
			select {
			case <-s.first:
			case <-s.stop:
				return
			}
		}
		timer := time.NewTimer(max(groupTime, time.Until(next)))
		select {
		case <-timer.C:
		case <-s.stop:
			timer.Stop()
			return
		}
		started := time.Now()
		err := s.write(func() (context.Context, context.CancelFunc) { return ctx, func() {} })
		wait := min(saveShare*time.Since(started), retryAfter)
		if err != nil {
			wait = retryAfter
		}
		next = time.Now().Add(wait)
	}
}

// Flush writes what is pending after Stop, even if ctx has ended.
func (s *Saver) Flush(ctx context.Context) error {
	return s.write(func() (context.Context, context.CancelFunc) {
		return context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
	})
}

func (s *Saver) isPending() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.pending) > 0
}

// write writes what is pending once, each part of it with a new context, and returns the first error.
func (s *Saver) write(newContext func() (context.Context, context.CancelFunc)) error {
	s.mu.Lock()
	keys := slices.Sorted(maps.Keys(s.pending))
	s.mu.Unlock()
	var first error
	for some := range slices.Chunk(keys, s.size) {
		ctx, cancel := newContext()
		if err := s.writeSome(ctx, some); err != nil && first == nil {
			first = err
		}
		cancel()
	}
	if len(keys) > 0 && first == nil {
		s.saved()
	}
	return first
}

// writeSome writes the newest values of some keys. Those that are replaced meanwhile remain pending.
func (s *Saver) writeSome(ctx context.Context, keys []string) (err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	some := make(map[string]*Checkpoint, len(keys))
	s.mu.Lock()
	for _, key := range keys {
		if c, ok := s.pending[key]; ok { // otherwise it was written meanwhile
			some[key] = c
		}
	}
	s.mu.Unlock()
	if len(some) == 0 {
		return nil
	}
	if failed := s.put(ctx, some); failed != nil {
		for key, c := range some {
			err = s.notWritten(key, c, failed)
		}
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, c := range some {
		if s.pending[key] == c {
			delete(s.pending, key)
		}
	}
	return nil
}

// put writes to the store.
func (s *Saver) put(ctx context.Context, some map[string]*Checkpoint) error {
	values := make(map[string][]byte, len(some))
	for key, c := range some {
		values[key] = nil
		if c == nil {
			continue
		}
		var err error
		if values[key], err = c.Encode(); err != nil {
			return err
		}
	}
	return s.batcher.WriteAll(ctx, values)
}

// notWritten reports a value that was not written.
func (s *Saver) notWritten(key string, c *Checkpoint, err error) error {
	if c == nil {
		err = fmt.Errorf("delete %q: %w", key, err)
		s.unsaved(key, err)
		return err
	}
	err = fmt.Errorf("save checkpoint of %q: %w", c.Path, err)
	s.unsaved(c.Path, err)
	return err
}

// Lookup returns the newest checkpoint of a key, which may be pending, or nil if there is none.
func (s *Saver) Lookup(ctx context.Context, key string) (*Checkpoint, error) {
	s.mu.Lock()
	c, pending := s.pending[key]
	s.mu.Unlock()
	if pending {
		return c, nil
	}
	value, err := s.Store.Get(ctx, key)
	if err != nil || value == nil {
		return nil, err
	}
	return Decode(key, value)
}

// Each calls use for each checkpoint under a prefix, and unusable for each value that can't be read, if the store is a [Walker]. It
// deletes values that are broken or of an older version, because they are useless and nothing may ever overwrite them.
func (s *Saver) Each(ctx context.Context, prefix string, use func(*Checkpoint), unusable func(key string, err error)) error {
	store, ok := s.Store.(Walker)
	if !ok {
		return nil
	}
	err := store.Walk(ctx, func(key string, value []byte) error {
		if !strings.HasPrefix(key, prefix) {
			return nil
		}
		c, err := Decode(key, value)
		if err == nil {
			use(c)
			return nil
		}
		unusable(key, err)
		if errors.Is(err, ErrBroken) || errors.Is(err, ErrOlder) {
			s.Delete(key)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("walk store: %w", err)
	}
	return nil
}

// EachState calls f for each checkpoint that holds a consumer's state, with the stream ID, the time of writing and the state.
// It skips values that can't be read; the source reports them when it restores them.
func EachState(ctx context.Context, store Walker, f func(stream string, saved time.Time, state []byte)) error {
	err := store.Walk(ctx, func(key string, value []byte) error {
		if !strings.HasPrefix(key, FilePrefix) && !strings.HasPrefix(key, ItemPrefix) {
			return nil
		}
		if c, err := Decode(key, value); err == nil && len(c.State) > 0 {
			f(c.Stream, c.SavedAt(), c.State)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("walk store: %w", err)
	}
	return nil
}
