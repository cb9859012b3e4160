package tail

import (
	"context"
	"sync"
	"time"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/openfile"
)

// saveTimeout bounds the last writes, at shutdown.
const saveTimeout = 5 * time.Second

// save writes a file's checkpoint, as of a job, with the present state of its consumer.
func (f *file) save(ctx context.Context, saver *checkpoint.Saver, j *job, rewritten, must bool) (wait time.Duration, err error) {
	if saver.Store == nil || f.stream.id == "" || j.pos.Offset == 0 {
		return 0, nil
	}
	f.keepState()
	s := &f.stream
	c := checkpoint.Checkpoint{Stream: s.id, Path: j.path, Links: j.links, File: checkpoint.FileOf(&j.pos), Pending: s.pending, State: s.state}
	c.Size, c.MTime, c.LostLink, c.AtEnd, c.Begin = j.size, j.mtime, j.lostLink, s.atEnd, j.pos.Offset
	if !rewritten { // else another file has the inode now
		c.Device, c.Inode = j.id.Device, j.id.Inode
	}
	if s.begun {
		c.Begin = s.begin
	}
	if !openfile.IsCompressed(j.path) {
		c.Size = max(c.Size, c.Offset)
	}
	if s.stored == nil {
		s.stored = &checkpoint.Written{}
	}
	return saver.Save(ctx, s.stored, &c, must)
}

// reportBehind reports how many bytes are unacknowledged, if that changed. The size of compressed content is not known.
func (f *file) reportBehind(o *Observer, behind int64) {
	behind = max(0, behind)
	if behind == f.stream.behind || f.stream.id == "" || openfile.IsCompressed(f.path) {
		return
	}
	f.stream.behind = behind
	o.Behind(f.stream.id, behind)
}

// keepState asks the consumer for its state. During a replay that is not complete.
func (f *file) keepState() {
	if s, ok := f.stream.consumer.(Stateful); ok && f.stream.phase != phaseReplaying {
		f.stream.state, f.stream.pending = s.State()
	}
}

// dirtySet collects those whose consumers have a new state.
type dirtySet[T comparable] struct {
	mu     sync.Mutex
	all    map[T]struct{}
	signal chan struct{}
}

func newDirtySet[T comparable]() *dirtySet[T] {
	return &dirtySet[T]{all: map[T]struct{}{}, signal: make(chan struct{}, 1)}
}

func (n *dirtySet[T]) add(one T) {
	n.mu.Lock()
	n.all[one] = struct{}{}
	n.mu.Unlock()
	select {
	case n.signal <- struct{}{}:
	default:
	}
}

func (n *dirtySet[T]) take() []T {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := make([]T, 0, len(n.all))
	for one := range n.all {
		list = append(list, one)
	}
	clear(n.all)
	return list
}
