package filestest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
)

// ErrStore is a fault of a store.
var ErrStore = errors.New("no space left on device")

// Memory is a store that outlives the sources of a test. It can't walk; [Walking] can.
type Memory struct {
	Mu     sync.Mutex
	Values map[string][]byte
	Calls  int
	Fail   func(call int) error // if set, how a call ends
	Wrote  func()               // after each write, with the lock held
}

// Walking is a Memory that can walk.
type Walking struct{ *Memory }

// NewMemory makes an empty one.
func NewMemory() *Memory { return &Memory{Values: map[string][]byte{}} }

// Positions are the values but for inventories.
func (m *Memory) Positions() map[string][]byte {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	all := maps.Clone(m.Values)
	maps.DeleteFunc(all, func(key string, _ []byte) bool { return strings.HasPrefix(key, "seen/") })
	return all
}

// answer counts a call and returns how it ends. The caller has the lock.
func (m *Memory) answer() error {
	m.Calls++
	if m.Fail != nil {
		return m.Fail(m.Calls)
	}
	return nil
}

// Get implements [checkpoint.Store].
func (m *Memory) Get(_ context.Context, key string) ([]byte, error) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	return m.Values[key], m.answer()
}

// Set implements [checkpoint.Store].
func (m *Memory) Set(_ context.Context, key string, value []byte) error {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	if err := m.answer(); err != nil {
		return err
	}
	m.Values[key] = value
	if m.Wrote != nil {
		m.Wrote()
	}
	return nil
}

// Delete implements [checkpoint.Store].
func (m *Memory) Delete(_ context.Context, key string) error {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	if err := m.answer(); err != nil {
		return err
	}
	delete(m.Values, key)
	return nil
}

// Walk calls f with all values, in the order of their keys.
func (w Walking) Walk(_ context.Context, f func(string, []byte) error) error {
	w.Mu.Lock()
	values := maps.Clone(w.Values)
	err := w.answer()
	w.Mu.Unlock()
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if err := f(key, values[key]); err != nil {
			return err
		}
	}
	return nil
}

// Batching is a Walking that can write many values in one call, as file_storage can.
type Batching struct{ Walking }

// WriteAll implements [checkpoint.Batcher].
func (b Batching) WriteAll(_ context.Context, values map[string][]byte) error {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	if err := b.answer(); err != nil {
		return err
	}
	for key, value := range values {
		if value == nil {
			delete(b.Values, key)
		} else {
			b.Values[key] = value
		}
	}
	if b.Wrote != nil {
		b.Wrote()
	}
	return nil
}

// MemoryOf is the Memory that a store is or has.
func MemoryOf(s checkpoint.Store) *Memory {
	switch s := s.(type) {
	case Batching:
		return s.Memory
	case Walking:
		return s.Memory
	default:
		return s.(*Memory)
	}
}
