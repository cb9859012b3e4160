package source

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/tailspan/tailspan/source/internal/fingerprint"
	"github.com/tailspan/tailspan/source/internal/openfile"
)

const (
	// saveShare bounds the cost of saving: after a write that took d, the next one of the same file waits until
	// saveShare times d have passed, so a slow store costs a tenth of the time at most.
	saveShare = 9
	// saveAtLeast is the longest such wait.
	saveAtLeast = time.Second
	// saveTimeout bounds the last writes, at shutdown.
	saveTimeout = 5 * time.Second
)

// saver writes checkpoints to the store.
type saver struct {
	store    Store // may be nil
	observer *Observer
}

// save writes the checkpoint of a job's file, if it changed; if it is too early for that, the result says when.
func (r *reader) save(res *result) {
	f := res.file
	if r.saver.store == nil {
		return
	}
	if f.stream.id == "" {
		if f.stream.handle == nil || res.pos.Offset == 0 {
			return
		}
		f.stream.id = r.names.name(res.path, r.firstLine(f.stream.handle))
	}
	// A rewritten file is not visited again, and its copy may continue from here after a restart.
	must := res.kind != jobRead || res.outcome == outcomeRewritten
	res.saveIn, res.saveErr = r.saver.save(r.ctx, f, res.now(), must)
}

// now is what the store should have of the file.
func (res *result) now() saved {
	s := saved{path: res.path, id: res.id, pos: res.pos, size: res.size, mtime: res.mtime, links: res.links, lostLink: res.lostLink}
	if res.outcome == outcomeRewritten {
		s.id = fingerprint.FileID{}
	}
	return s
}

// save writes a file's checkpoint, with the present state of its consumer.
func (s *saver) save(ctx context.Context, f *file, now saved, must bool) (wait time.Duration, err error) {
	if s.store == nil || f.stream.id == "" || now.pos.Offset == 0 {
		return 0, nil
	}
	f.keepState()
	now.begin, now.atEnd, now.pending, now.state = now.pos.Offset, f.stream.atEnd, f.stream.pending, string(f.stream.state)
	if f.stream.begun {
		now.begin = f.stream.begin
	}
	if !openfile.IsCompressed(now.path) {
		now.size = max(now.size, now.pos.Offset)
	}
	if f.stream.stored == nil {
		f.stream.stored = &saved{}
	}
	if now.same(f.stream.stored) {
		return 0, nil
	}
	started := time.Now()
	if wait := min(saveShare*f.stream.stored.took, saveAtLeast) - started.Sub(f.stream.stored.at); wait > 0 && !must {
		return wait, nil
	}
	c := now.checkpoint(f, started)
	value, err := c.encode()
	if err == nil {
		err = s.store.Set(ctx, checkpointPrefix+f.stream.id, value)
	}
	took := time.Since(started)
	if err != nil {
		f.stream.stored.at, f.stream.stored.took = started, took
		err = fmt.Errorf("save checkpoint of %q: %w", now.path, err)
		s.observer.unsaved(now.path, err)
		return saveAtLeast, err
	}
	s.observer.saved()
	now.at, now.took = started, took
	*f.stream.stored = now
	return 0, nil
}

func (s *saved) checkpoint(f *file, now time.Time) checkpoint {
	return checkpoint{
		Stream: f.stream.id, Path: s.path, Device: s.id.Device, Inode: s.id.Inode, Size: s.size, MTime: s.mtime,
		Offset: s.pos.Offset, Head: s.pos.Head, HeadLen: s.pos.HeadLen, Tail: s.pos.Tail, TailLen: s.pos.TailLen,
		Discard: s.pos.Discard, Begin: s.begin, AtEnd: s.atEnd, Pending: s.pending, State: []byte(s.state),
		Links: splitNames(s.links), LostLink: s.lostLink, Saved: now.Unix(), Nanos: now.Nanosecond(),
	}
}

// reportBehind reports how many bytes are unacknowledged, if that changed. The size of compressed content is not known.
func (f *file) reportBehind(o *Observer, behind int64) {
	behind = max(0, behind)
	if behind == f.stream.behind || f.stream.id == "" || openfile.IsCompressed(f.path) {
		return
	}
	f.stream.behind = behind
	o.behind(f.stream.id, behind)
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
