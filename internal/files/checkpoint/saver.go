package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

const (
	// saveShare bounds the cost of saving: after a write that took d, the next one of the same stream waits until saveShare
	// times d have passed, so a slow store costs a tenth of the time at most.
	saveShare = 9
	// RetryAfter is the longest such wait, and the wait after a failed write.
	RetryAfter = time.Second
)

// Written is what the store has of a stream, and when and how fast it was written.
type Written struct {
	Last *Checkpoint // nil: nothing
	At   time.Time
	took time.Duration
}

// Restored is what the store has according to a checkpoint that was read from it.
func Restored(c *Checkpoint) *Written {
	return &Written{Last: c, At: time.Unix(c.Saved, int64(c.Nanos))}
}

// Saver writes checkpoints to a store.
type Saver struct {
	Store Store // may be nil
	// Saved and Unsaved report what became of a write.
	Saved   func()
	Unsaved func(path string, err error)
}

// Save writes a checkpoint if it changed. If it is too early for that, or the write failed, it returns the time to the next
// try.
func (s *Saver) Save(ctx context.Context, w *Written, c *Checkpoint, must bool) (wait time.Duration, err error) {
	if s.Store == nil || w.Last != nil && w.Last.same(c) {
		return 0, nil
	}
	started := time.Now()
	if wait := min(saveShare*w.took, RetryAfter) - started.Sub(w.At); wait > 0 && !must {
		return wait, nil
	}
	c.Saved, c.Nanos = started.Unix(), started.Nanosecond()
	value, err := c.Encode()
	if err == nil {
		err = s.Store.Set(ctx, c.StoreKey(), value)
	}
	w.At, w.took = started, time.Since(started)
	if err != nil {
		err = fmt.Errorf("save checkpoint of %q: %w", c.Path, err)
		s.Unsaved(c.Path, err)
		return RetryAfter, err
	}
	s.Saved()
	last := *c
	last.State, last.Position = bytes.Clone(c.State), bytes.Clone(c.Position)
	w.Last = &last
	return 0, nil
}

// Delete deletes keys of the store. What fails is left to the next process.
func (s *Saver) Delete(ctx context.Context, keys []string) {
	for _, key := range keys {
		if err := s.Store.Delete(ctx, key); err != nil {
			s.Unsaved(key, fmt.Errorf("delete %q: %w", key, err))
			return
		}
	}
}

// Lookup returns the checkpoint of a key, nil if there is none.
func (s *Saver) Lookup(ctx context.Context, key string) (*Checkpoint, error) {
	value, err := s.Store.Get(ctx, key)
	if err != nil || value == nil {
		return nil, err
	}
	return Decode(key, value)
}

// Each calls use for each checkpoint under a prefix, and unusable for what can't be read, if the store is a [Walker]. It deletes
// what is broken or of an older version: it is of no use, and nothing may ever overwrite it.
func (s *Saver) Each(ctx context.Context, prefix string, use func(*Checkpoint), unusable func(key string, err error)) error {
	store, ok := s.Store.(Walker)
	if !ok {
		return nil
	}
	var useless []string
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
// Values that can't be read are left out; who restores them reports them.
func EachState(ctx context.Context, store Walker, f func(stream string, saved time.Time, state []byte)) error {
	err := store.Walk(ctx, func(key string, value []byte) error {
		if strings.HasPrefix(key, FilePrefix) || strings.HasPrefix(key, ItemPrefix) {
			if c, err := Decode(key, value); err == nil && len(c.State) > 0 {
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
