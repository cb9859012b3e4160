package source

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/tailspan/tailspan/source/opencodetree"
)

// tree is a folder of OpenCode's older storage, which is read once.
type tree struct {
	path     string
	settings *Settings
	pull     func() ([]byte, error, bool)
	stop     func()
	offset   int64 // of the next line, had all rows been one file
	accepted int64 // where the first unacknowledged line begins
	done     bool
	batch    batch
}

// treePosition is what is kept of a tree.
type treePosition struct {
	Offset int64 `json:"offset"`
	Done   bool  `json:"done,omitempty"`
}

// newTree makes a tree. known is its checkpoint, or nil; it may have been read whole.
func newTree(s *PolledSettings, path string, known *itemState) (t *tree, done bool, err error) {
	var at treePosition
	if known != nil {
		if err := json.Unmarshal(known.Position, &at); err != nil {
			return nil, false, fmt.Errorf("position of tree: %w: %w", ErrBroken, err)
		}
	}
	return &tree{path: path, settings: &s.Settings, accepted: at.Offset, done: at.Done}, at.Done, nil
}

func (t *tree) position(string) (json.RawMessage, error) {
	return json.Marshal(treePosition{Offset: t.accepted, Done: t.done})
}

// changed: a tree that was read is not asked any more.
func (t *tree) changed() bool { return true }

// next returns the next rows. It reports and skips a file that can't be read, and a folder that is no tree.
func (t *tree) next(context.Context) (batch, error) {
	if len(t.batch.lines) > 0 {
		return t.batch, nil
	}
	if t.pull == nil {
		rows, err := opencodetree.Rows(t.path)
		if err != nil {
			return batch{}, err
		}
		t.pull, t.stop = iter.Pull2(rows)
	}
	for len(t.batch.lines) < t.settings.BatchLines && t.batch.bytes < int64(t.settings.BatchBytes) {
		row, err, ok := t.pull()
		switch {
		case !ok:
			t.batch.done = len(t.batch.lines) == 0
			t.done = t.batch.done
			return t.batch, nil
		case err != nil:
			t.settings.Observer.failed(t.path, err, 0)
		case len(row) > t.settings.MaxLineSize:
			t.settings.Observer.tooLong(t.path, int64(len(row)))
		default:
			size := int64(len(row)) + 1
			again := t.offset < t.accepted
			t.batch.lines = append(t.batch.lines, Line{Data: bytes.Clone(row), Offset: t.offset, Next: t.offset + size, Replayed: again})
			t.offset += size
			t.batch.bytes += size
			if t.batch.replayed = again; again && t.offset >= t.accepted {
				return t.batch, nil // what is new is a batch of its own
			}
		}
	}
	return t.batch, nil
}

func (t *tree) acknowledge() { t.accepted, t.batch = max(t.accepted, t.offset), batch{} }

func (t *tree) release(string) {}

func (t *tree) move(string) bool { return false }

func (t *tree) close() error {
	if t.stop == nil {
		return nil
	}
	t.stop()
	t.pull, t.stop = nil, nil
	return nil
}
