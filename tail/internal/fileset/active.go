package fileset

import "time"

const (
	// maxActive is how many consumers may be active before those read longest ago are suspended. The first time they are
	// suspended at once, since most of thousands of files no longer grow. Later they must have been idle for SuspendAfter /
	// hasteDivisor, and longer with each suspension, so that files that grow in turns are not replayed all the time.
	maxActive    = 512
	hasteDivisor = 10
	// thinBatch is how many of them are checked per call of thin.
	thinBatch = 64
)

// noteActive records whether a file's consumer is active after a visit. If too many are, it suspends the least recently read.
func (t *Set) noteActive(f *File, read bool) {
	switch {
	case !f.stream.IsActive():
		if f.indexed.active != nil {
			t.active.Remove(f.indexed.active)
			f.indexed.active = nil
		}
	case f.indexed.active == nil:
		f.indexed.active = t.active.PushFront(f)
	case read:
		t.active.MoveToFront(f.indexed.active)
	}
	if t.active.Len() > maxActive && t.settings.Reader.SuspendAfter > 0 && t.settings.Reader.Replay {
		t.thin()
	}
}

// thin suspends some of the active consumers beyond maxActive, those read longest ago first. If one of them has to be idle for
// a little longer, thin schedules it for that time.
func (t *Set) thin() {
	now, haste, comesBack := time.Now(), t.settings.Reader.SuspendAfter/hasteDivisor, false
	e := t.active.Back()
	for n := min(thinBatch, t.active.Len()-maxActive); n > 0; n-- {
		f := e.Value.(*File)
		e = e.Prev()
		if f.turn != turnIdle {
			continue
		}
		least := time.Duration(0)
		if f.stream.WasSuspended() {
			least = haste
		}
		in, may := f.stream.MaySuspend(&t.settings.Reader, least, f.path, f.pos.Offset, now.Sub(f.lastRead))
		may = may && in <= haste && f.state == stateFollowing && f.tries == 0 && f.flushAt.IsZero()
		switch {
		case may && in <= 0:
			t.queueSuspend(f, haste)
			continue
		case may && !comesBack:
			if comesBack = true; f.wakeSlot < 0 {
				t.arm(f, now.Add(in))
			}
		}
		if !may || f.stream.RefusedSuspension(now) {
			t.active.MoveToFront(f.indexed.active) // skip it now, so that others have their turn
		}
	}
}

// queueSuspend makes a worker suspend the consumer before it reads other files, whose consumers need memory. A consumer that
// refuses is not asked again for a while.
func (s *scheduler) queueSuspend(f *File, again time.Duration) {
	f.turn, f.due, f.again = turnQueued, dueSuspend, again
	s.suspending = append(s.suspending, f)
}

// Sweep closes and suspends what has long been idle.
func (t *Set) Sweep() {
	now := time.Now()
	for e := t.kept.Back(); e != nil; {
		f := e.Value.(*File)
		e = e.Prev()
		if now.Sub(f.lastRead) < keepFor {
			break
		}
		t.closeHandle(f)
	}
	for _, f := range t.paths {
		if f.turn != turnIdle || f.state != stateFollowing || !f.stream.HasConsumer() || f.tries > 0 {
			continue
		}
		switch {
		case t.settings.Reader.IdleClose > 0 && now.Sub(f.lastRead) >= t.settings.Reader.IdleClose,
			f.flushAt.IsZero() && f.stream.ClosesNow(&t.settings.Reader, f.path, f.pos.Offset, f.mtime):
			t.schedule(f)
			if f.turn == turnQueued {
				f.due = dueEvict
			}
		case f.flushAt.IsZero() && f.stream.SuspendsNow(&t.settings.Reader, f.path, f.pos.Offset, now.Sub(f.lastRead)):
			t.queueSuspend(f, t.settings.Reader.SuspendAfter)
		}
	}
}
