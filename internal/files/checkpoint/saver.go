package checkpoint

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

const (
	// saveShare bounds the cost of saving: after a write that took d, the next one for the same stream waits until saveShare
	// times d have passed, so a slow store takes at most a tenth of the time.
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

// Restored returns the Written of a checkpoint that was read from the store.
func Restored(c *Checkpoint) *Written {
	return &Written{Last: c, At: time.Unix(c.Saved, int64(c.Nanos))}
}

// Saver writes checkpoints to a store.
type Saver struct {
	Store Store // may be nil
	// Saved and Unsaved report the result of a write.
	Saved   func()
	Unsaved func(path string, err error)
}

// Save writes a checkpoint if it changed. If it is too early for that, or if the write failed, Save returns the time until the
// next try. If must is true, it is never too early.
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

// Delete deletes keys of the store. After a failure it leaves the remaining keys to the next process.
func (s *Saver) Delete(ctx context.Context, keys []string) {
	for _, key := range keys {
		if err := s.Store.Delete(ctx, key); err != nil {
			s.Unsaved(key, fmt.Errorf("delete %q: %w", key, err))
			return
		}
	}
}

// Lookup returns the checkpoint of a key, or nil if there is none.
func (s *Saver) Lookup(ctx context.Context, key string) (*Checkpoint, error) {
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

// EachState calls f for each checkpoint that holds a consumer's state, with the stream ID, the time of writing and the state.
// It skips values that can't be read; the source reports them when it restores them. It reads these three fields only, because
// a start decodes each checkpoint in full anyway.
func EachState(ctx context.Context, store Walker, f func(stream string, saved time.Time, state []byte)) error {
	err := store.Walk(ctx, func(key string, value []byte) error {
		if !strings.HasPrefix(key, FilePrefix) && !strings.HasPrefix(key, ItemPrefix) {
			return nil
		}
		body, err := Unseal(value)
		if err != nil {
			return nil
		}
		fields := gjson.GetManyBytes(body, "stream", "saved", "state")
		state, err := base64.StdEncoding.DecodeString(fields[2].Str)
		if stream := fields[0].Str; err == nil && stream != "" && len(state) > 0 {
			f(stream, time.Unix(fields[1].Int(), 0), state)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("walk store: %w", err)
	}
	return nil
}
