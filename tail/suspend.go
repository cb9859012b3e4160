package tail

import (
	"time"

	"github.com/tailspan/tailspan/internal/files/openfile"
)

// Suspender is a [Consumer] that can release the state that its lines rebuild.
type Suspender interface {
	// Suspend is called when nothing came for long ([Settings.SuspendAfter]), by the goroutine that calls the others. If it
	// returns true, all acknowledged lines are replayed before the next one, marked [Line.Replayed]. Close may be called
	// without them, and so may State.
	Suspend() bool
}

const (
	// suspendSpeed, in bytes a second, is how much longer a longer file has to be idle before its consumer is suspended: lines
	// are replayed at some hundred times that speed, so the replay takes a percent of the idle time at most.
	suspendSpeed = 2 << 20
	// suspendLimit is the size of a file whose consumer is never suspended: the replay would take a noticeable time.
	suspendLimit = 64 << 20
	// suspendDoublings bounds how often the idle time doubles, which it does with each suspension: a file that grows every few
	// minutes is replayed a few times and not for ever.
	suspendDoublings = 6
	// maxActive is how many consumers may be active before those that were read longest ago are suspended: at once the first
	// time, since most of thousands of files do not grow any more; after that when they were idle for SuspendAfter /
	// hasteDivisor, and longer with each suspension, so that files that grow in turns are not replayed all the time.
	maxActive    = 512
	hasteDivisor = 10
	// thinBatch is how many of them are checked at a time.
	thinBatch = 64
)

// maySuspend reports whether the consumer of a file that was read to an offset, and is quiet since then, may be suspended, and
// in what time: the file has to be idle for least or longer. A file that was written long ago is idle as soon as it is read.
func (f *file) maySuspend(s *Settings, least time.Duration, offset int64, quiet time.Duration) (in time.Duration, may bool) {
	length := offset - f.stream.begin
	if f.stream.consumer == nil || f.stream.phase != phaseLive || f.stream.idleDue || !f.stream.begun || !s.Replay || s.SuspendAfter < 0 ||
		length > suspendLimit || openfile.IsCompressed(f.path) {
		return 0, false
	}
	after := max(least, time.Duration(1000*length/suspendSpeed)*time.Millisecond) << f.stream.suspends.count
	return max(after-quiet, time.Until(f.stream.suspends.next)), true
}

// suspendsAfter reports whether the consumer may be suspended now, if its file was idle for so long.
func (f *file) suspendsAfter(s *Settings, offset int64, quiet time.Duration) bool {
	in, may := f.maySuspend(s, s.SuspendAfter, offset, quiet)
	return may && in <= 0
}

// isOld reports whether the file was not written for IdleClose, and its lines can be replayed in a moment.
func (f *file) isOld(s *Settings, offset, mtime int64) bool {
	_, stateful := f.stream.consumer.(Stateful)
	return stateful && s.IdleClose > 0 && s.Replay && f.stream.phase != phaseReplaying && !f.stream.idleDue && offset-f.stream.begin <= suspendLimit &&
		!openfile.IsCompressed(f.path) && time.Since(time.Unix(0, mtime)) >= s.IdleClose
}

// resumeConsumer starts the replay for a suspended consumer.
func (f *file) resumeConsumer() {
	if f.stream.phase == phaseSuspended {
		f.stream.phase, f.stream.replayAt = phaseReplaying, f.stream.begin
	}
}

// noteActive records whether a file's consumer is active after a visit, and suspends the idlest if too many are.
func (t *table) noteActive(f *file, read bool) {
	switch {
	case f.stream.consumer == nil || f.stream.phase == phaseSuspended:
		if f.indexed.active != nil {
			t.active.Remove(f.indexed.active)
			f.indexed.active = nil
		}
	case f.indexed.active == nil:
		f.indexed.active = t.active.PushFront(f)
	case read:
		t.active.MoveToFront(f.indexed.active)
	}
	if t.active.Len() > maxActive && t.settings.SuspendAfter > 0 && t.settings.Replay {
		t.thin()
	}
}

// thin suspends some of the active consumers beyond maxActive, those that were read longest ago. If one of them has to be idle
// for a little longer, it is scheduled for then.
func (t *table) thin() {
	now, haste, comesBack := time.Now(), t.settings.SuspendAfter/hasteDivisor, false
	e := t.active.Back()
	for n := min(thinBatch, t.active.Len()-maxActive); n > 0; n-- {
		f := e.Value.(*file)
		e = e.Prev()
		if f.turn != turnIdle {
			continue
		}
		least := time.Duration(0)
		if f.stream.suspends.count > 0 {
			least = haste
		}
		in, may := f.maySuspend(t.settings, least, f.pos.Offset, now.Sub(f.lastRead))
		may = may && in <= haste && f.state == stateFollowing && f.tries == 0 && !f.tail
		switch {
		case may && in <= 0:
			t.queueSuspend(f, haste)
			continue
		case may && !comesBack:
			if comesBack = true; f.wakeSlot < 0 {
				t.arm(f, now.Add(in))
			}
		}
		if !may || now.Before(f.stream.suspends.next) {
			t.active.MoveToFront(f.indexed.active) // not now, so others have their turn
		}
	}
}

// queueSuspend has a worker suspend the consumer before it reads other files, whose consumers need memory. After a refusal it is
// not asked again for a while.
func (s *scheduler) queueSuspend(f *file, again time.Duration) {
	f.turn, f.due, f.stream.suspends.retry = turnQueued, dueSuspend, again
	s.suspending = append(s.suspending, f)
}

// sweep releases what was idle for long.
func (t *table) sweep() {
	now := time.Now()
	for e := t.kept.Back(); e != nil; {
		f := e.Value.(*file)
		e = e.Prev()
		if now.Sub(f.lastRead) < keepFor {
			break
		}
		t.closeHandle(f)
	}
	for _, f := range t.paths {
		if f.turn != turnIdle || f.state != stateFollowing || f.stream.consumer == nil || f.tries > 0 {
			continue
		}
		switch {
		case t.settings.IdleClose > 0 && now.Sub(f.lastRead) >= t.settings.IdleClose,
			f.stream.stored != nil && !f.stream.pending && !f.tail && f.isOld(t.settings, f.pos.Offset, f.mtime):
			t.schedule(f)
			if f.turn == turnQueued {
				f.due = dueEvict
			}
		case !f.tail && f.suspendsAfter(t.settings, f.pos.Offset, now.Sub(f.lastRead)):
			t.queueSuspend(f, t.settings.SuspendAfter)
		}
	}
}
