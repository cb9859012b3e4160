package source

import (
	"bytes"
	"context"
	"iter"

	"github.com/tailspan/tailspan/source/opencodetree"
)

// tree is a folder of OpenCode's older storage, which is read once.
type tree struct {
	path     string
	settings *Settings
	pull     func() ([]byte, error, bool)
	stop     func()
	offset   int64 // of the first line of the batch, had all rows been one file
	batch    batch
}

func newTree(s *PolledSettings, path string) *tree {
	return &tree{path: path, settings: &s.Settings}
}

// changed: a tree that was read is not asked any more.
func (t *tree) changed() bool { return true }

// next gives the next rows. A file that can't be read is told and passed over, as is a folder that is no tree.
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
			return t.batch, nil
		case err != nil:
			t.settings.Observer.failed(t.path, err, 0)
		case len(row) > t.settings.MaxLineSize:
			t.settings.Observer.skipped(t.path, SkipReasonTooLong, int64(len(row)))
		default:
			size := int64(len(row)) + 1
			t.batch.lines = append(t.batch.lines, Line{Data: bytes.Clone(row), Offset: t.offset, Next: t.offset + size})
			t.offset += size
			t.batch.bytes += size
		}
	}
	return t.batch, nil
}

func (t *tree) accept() { t.batch = batch{} }

func (t *tree) forget(string) {}

func (t *tree) move(string) bool { return false }

func (t *tree) close() error {
	if t.stop == nil {
		return nil
	}
	t.stop()
	t.pull, t.stop = nil, nil
	return nil
}
