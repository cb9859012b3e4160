package inventory

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/fingerprint"
)

// maxLeft bounds the entries taken over from the previous inventory; files that exist now are always added.
const maxLeft = 1 << 16

// Inventory distinguishes files that arrived while no process ran from those that existed before, whatever their times: rsync
// -a and tar restore old times. It holds what the store has of the last start: the patterns, and which of the files that
// existed then have no position because they were skipped.
type Inventory struct {
	key    string
	store  checkpoint.Store
	sets   []*discover.Globs // the present patterns
	before *seen             // of the last start; nil: none, or not readable
	left   map[uint64]struct{}
	stored string // what the store has
}

// seen is an inventory in its stored form.
type seen struct {
	Sets []patterns `json:"sets"`
	// Left are sorted hashes, 8 bytes each, of the files that existed and were skipped.
	Left []byte `json:"left,omitempty"`

	globs []discover.Globs
	left  map[uint64]struct{}
}

// patterns are the absolute patterns of one set of globs.
type patterns struct {
	Include []string `json:"include"`
	Exclude []string `json:"exclude,omitempty"`
}

// Load reads the inventory of the last start. It needs a [checkpoint.Walker], since with another store it is not known at this
// point whether a file has a checkpoint. An inventory that is not readable is reported to unusable and counts as none.
func Load(ctx context.Context, store checkpoint.Store, key string, unusable func(key string, err error), sets ...*discover.Globs) (Inventory, error) {
	i := Inventory{key: key, store: store, sets: sets, left: map[uint64]struct{}{}}
	if _, ok := store.(checkpoint.Walker); !ok {
		return i, nil
	}
	value, err := store.Get(ctx, key)
	if err != nil {
		return i, fmt.Errorf("read %q from store: %w", key, err)
	}
	if value == nil {
		return i, nil
	}
	if i.before, err = decode(value); err != nil {
		unusable(key, err)
		return i, nil
	}
	i.stored = string(value)
	if len(i.before.left) <= maxLeft {
		maps.Copy(i.left, i.before.left)
	}
	return i, nil
}

func decode(value []byte) (*seen, error) {
	body, err := checkpoint.Unseal(value)
	if err != nil {
		return nil, err
	}
	var s seen
	if err := json.Unmarshal(body, &s); err != nil || len(s.Left)%8 != 0 {
		return nil, fmt.Errorf("decode inventory: %w", errors.Join(checkpoint.ErrBroken, err))
	}
	s.left = make(map[uint64]struct{}, len(s.Left)/8)
	for at := 0; at < len(s.Left); at += 8 {
		s.left[binary.BigEndian.Uint64(s.Left[at:])] = struct{}{}
	}
	for _, set := range s.Sets {
		g, err := discover.NewGlobs(set.Include, set.Exclude)
		if err != nil {
			return nil, fmt.Errorf("decode inventory: %w: %w", checkpoint.ErrBroken, err)
		}
		s.globs = append(s.globs, g)
	}
	return &s, nil
}

// Arrived reports whether a file without a position appeared after the last start, or was written at or after lastRun, the
// time in Unix seconds when the last position was saved (0: never).
func (i *Inventory) Arrived(one discover.Found, lastRun int64) bool {
	return lastRun > 0 && one.MTime/int64(time.Second) >= lastRun || i.Appeared(one)
}

// Appeared reports whether a file without a position did not exist at the last start, although a pattern matched it.
func (i *Inventory) Appeared(one discover.Found) bool {
	if i.before == nil || !slices.ContainsFunc(i.before.globs, func(g discover.Globs) bool { return g.Match(one.Path) }) {
		return false
	}
	_, was := i.before.left[leftHash(one)]
	return !was
}

// Leave records a file that exists and is skipped.
func (i *Inventory) Leave(one discover.Found) { i.left[leftHash(one)] = struct{}{} }

// leftHash identifies a file by path and inode.
func leftHash(one discover.Found) uint64 {
	b := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, one.ID.Device), one.ID.Inode)
	return fingerprint.Hash(append(b, filepath.ToSlash(one.Path)...))
}

// Save writes the inventory of this start if it differs from the stored one, and releases it.
func (i *Inventory) Save(ctx context.Context) error {
	defer func() { i.before, i.left, i.stored = nil, nil, "" }()
	if _, ok := i.store.(checkpoint.Walker); !ok {
		return nil
	}
	var now seen
	for _, g := range i.sets {
		now.Sets = append(now.Sets, patterns{Include: patternsOf(g.Include), Exclude: patternsOf(g.Exclude)})
	}
	for _, h := range slices.Sorted(maps.Keys(i.left)) {
		now.Left = binary.BigEndian.AppendUint64(now.Left, h)
	}
	body, err := json.Marshal(&now)
	value := checkpoint.Seal(body)
	if err == nil && string(value) != i.stored {
		err = i.store.Set(ctx, i.key, value)
	}
	if err != nil {
		err = fmt.Errorf("save %q: %w", i.key, err)
	}
	return err
}

func patternsOf(globs []discover.Glob) (list []string) {
	for _, g := range globs {
		list = append(list, g.Pattern)
	}
	return list
}
