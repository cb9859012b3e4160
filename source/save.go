package source

import (
	"context"
	"fmt"
	"sync"
	"time"
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

// saver writes positions to the store.
type saver struct {
	store    Store // may be nil
	observer *Observer
}

// save writes where the file of a job stands, as far as that changed; if it is too early for that, the result says when.
func (r *reader) save(res *result) {
	f := res.file
	if r.saver.store == nil {
		return
	}
	if f.streamID == "" {
		if f.handle == nil || res.pos.offset == 0 {
			return
		}
		f.streamID = r.names.name(res.path, r.firstLine(f.handle))
	}
	// What was rewritten is not visited again, and its copy may go on from here after a restart.
	must := res.kind != jobRead || res.outcome == outcomeRewritten
	res.saveIn, res.saveErr = r.saver.save(r.ctx, f, res.now(), must)
}

// now is what the store is to have of the file.
func (res *result) now() saved {
	s := saved{path: res.path, id: res.id, pos: res.pos, size: res.size, mtime: res.mtime, names: res.names, strayed: res.strayed}
	if res.outcome == outcomeRewritten {
		s.id = fileID{}
	}
	return s
}

// save writes what is new of a file. The rest of it, what the consumer has to say, it asks for.
func (s *saver) save(ctx context.Context, f *file, now saved, must bool) (wait time.Duration, err error) {
	if s.store == nil || f.streamID == "" || now.pos.offset == 0 {
		return 0, nil
	}
	f.keepState()
	now.begin, now.atEnd, now.open, now.state = now.pos.offset, f.atEnd, f.open, string(f.consumerState)
	if f.begun {
		now.begin = f.begin
	}
	if !isCompressed(now.path) {
		now.size = max(now.size, now.pos.offset)
	}
	if f.stored == nil {
		f.stored = &saved{}
	}
	if now.same(f.stored) {
		return 0, nil
	}
	started := time.Now()
	if wait := min(saveShare*f.stored.took, saveAtLeast) - started.Sub(f.stored.at); wait > 0 && !must {
		return wait, nil
	}
	c := now.checkpoint(f, started)
	value, err := c.encode()
	if err == nil {
		err = s.store.Set(ctx, checkpointPrefix+f.streamID, value)
	}
	took := time.Since(started)
	if err != nil {
		f.stored.at, f.stored.took = started, took
		err = fmt.Errorf("save position of %q: %w", now.path, err)
		s.observer.unsaved(now.path, err)
		return saveAtLeast, err
	}
	s.observer.saved()
	now.at, now.took = started, took
	*f.stored = now
	return 0, nil
}

func (s *saved) checkpoint(f *file, now time.Time) checkpoint {
	return checkpoint{
		Stream: f.streamID, Path: s.path, Device: s.id.device, Inode: s.id.inode, Size: s.size, MTime: s.mtime,
		Offset: s.pos.offset, Head: s.pos.head, HeadLen: s.pos.headLen, Mark: s.pos.mark, MarkLen: s.pos.markLen,
		Discard: s.pos.discard, Begin: s.begin, AtEnd: s.atEnd, Open: s.open, State: []byte(s.state),
		Names: splitNames(s.names), Strayed: s.strayed, Saved: now.Unix(), Nanos: now.Nanosecond(),
	}
}

// tellBehind tells how far the file was not read, if that changed. The size of what is compressed is not known.
func (f *file) tellBehind(o *Observer, behind int64) {
	behind = max(0, behind)
	if behind == f.behind || f.streamID == "" || isCompressed(f.path) {
		return
	}
	f.behind = behind
	o.behind(f.streamID, behind)
}

// keepState asks the consumer for what it wants back. One that is being replayed to does not know yet.
func (f *file) keepState() {
	if s, ok := f.consumer.(Stateful); ok && !f.replaying {
		f.consumerState, f.open = s.State()
	}
}

// nudges are those whose consumers have something new to say.
type nudges[T comparable] struct {
	mu     sync.Mutex
	all    map[T]struct{}
	signal chan struct{}
}

func newNudges[T comparable]() *nudges[T] {
	return &nudges[T]{all: map[T]struct{}{}, signal: make(chan struct{}, 1)}
}

func (n *nudges[T]) add(one T) {
	n.mu.Lock()
	n.all[one] = struct{}{}
	n.mu.Unlock()
	select {
	case n.signal <- struct{}{}:
	default:
	}
}

func (n *nudges[T]) take() []T {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := make([]T, 0, len(n.all))
	for one := range n.all {
		list = append(list, one)
	}
	clear(n.all)
	return list
}
