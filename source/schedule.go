package source

import (
	"container/heap"
	"time"

	"github.com/tailspan/tailspan/source/internal/fingerprint"
)

// activeGraces is how many times UnlinkGrace a file that no pattern matches any more has to be idle before it is closed.
const activeGraces = 12

// keepFor is how long the handle of a file that doesn't grow is kept.
const keepFor = time.Minute

// schedule queues a file for a worker, but not before its time if the last try failed.
func (t *table) schedule(f *file) {
	f.flush, f.evict, f.suspend = false, false, false
	switch {
	case f.state == stateRetired:
	case f.busy:
		f.dirty = true
	case f.queued:
	case time.Now().Before(f.retryAt):
	case isCompressed(f.path):
		f.queued = true
		t.packed.add(f)
	default:
		f.queued = true
		t.queue = append(t.queue, f)
	}
}

func (t *table) scheduleAll(files []*file) {
	for _, f := range files {
		t.schedule(f)
	}
}

// nextJob returns what the next free worker is to do.
func (t *table) nextJob() (job, bool) {
	for queue := t.nextQueue(); queue != nil; queue = t.nextQueue() {
		if j, ok := t.jobFor((*queue)[0]); ok {
			return j, true
		}
		unqueue(queue)
	}
	return job{}, false
}

// nextQueue is the queue whose first file is next, nil if there is none.
func (t *table) nextQueue() *[]*file {
	for _, queue := range [...]*[]*file{&t.suspending, t.packed.next(), &t.queue} {
		if queue != nil && len(*queue) > 0 {
			return queue
		}
	}
	return nil
}

// unqueue takes the first file out of its queue.
func unqueue(queue *[]*file) {
	(*queue)[0].queued = false
	(*queue)[0] = nil
	*queue = (*queue)[1:]
}

// jobFor returns the next job of a file.
func (t *table) jobFor(f *file) (job, bool) {
	j := job{
		file: f, path: f.path, id: f.id, pos: f.pos, size: f.size, mtime: f.mtime, live: f.caughtUp, flush: f.flush,
		links: f.linkNames(), lostLink: f.lostLink,
	}
	switch f.state {
	case stateNew:
		j.kind, j.pos = jobProbe, fingerprint.Position{}
		j.seek = f.seek
		for _, known := range f.claims {
			j.claims = append(j.claims, claim{known.pos, known.standing(f)})
		}
	case stateFollowing:
		j.kind = jobRead
		switch {
		case f.evict:
			j.kind = jobEvict
		case f.suspend:
			j.kind = jobSuspend
		}
	case stateUnlinked:
		j.kind, j.flush = jobFinish, true
		j.recent = time.Since(f.lastRead) < activeGraces*t.settings.UnlinkGrace
	case stateLink:
		// Perhaps it is removed, or another file now.
		j.kind, j.pos = jobProbe, fingerprint.Position{}
	case stateRetired:
		return job{}, false
	}
	return j, true
}

// started records that a worker took the job at the head of the queue.
func (t *table) started(j job) {
	unqueue(t.nextQueue())
	t.packed.started(j)
	j.file.busy, j.file.dirty, j.file.tail, j.file.flush = true, false, false, false
	t.busy++
	t.disarm(j.file)
}

// arm schedules a file for later.
func (t *table) arm(f *file, at time.Time) {
	f.wakeAt = at
	if f.wakeSlot >= 0 {
		heap.Fix(&t.timers, f.wakeSlot)
		return
	}
	heap.Push(&t.timers, f)
}

func (t *table) disarm(f *file) {
	if f.wakeSlot >= 0 {
		heap.Remove(&t.timers, f.wakeSlot)
	}
}

// untilWake is the time until the first timer.
func (t *table) untilWake() time.Duration {
	if len(t.timers) == 0 {
		return time.Hour
	}
	return max(0, time.Until(t.timers[0].wakeAt))
}

// wakeUp touches the files whose time has come.
func (t *table) wakeUp() {
	now := time.Now()
	for len(t.timers) > 0 && !t.timers[0].wakeAt.After(now) {
		f := heap.Pop(&t.timers).(*file)
		f.retryAt = time.Time{}
		t.schedule(f)
		f.flush = f.tail
	}
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
		if f.busy || f.queued || f.state != stateFollowing || f.consumer == nil || f.tries > 0 {
			continue
		}
		switch {
		case t.settings.IdleClose > 0 && now.Sub(f.lastRead) >= t.settings.IdleClose,
			f.stored != nil && !f.pending && !f.tail && f.isOld(&t.settings, f.pos.Offset, f.mtime):
			t.schedule(f)
			f.evict = f.queued
		case !f.tail && f.suspendsAfter(&t.settings, f.pos.Offset, now.Sub(f.lastRead)):
			t.queueSuspend(f, t.settings.SuspendAfter)
		}
	}
}

// keep keeps the handle of a file that was just read, at the cost of the one read longest ago.
func (t *table) keep(f *file) {
	if f.handle == nil {
		t.closeHandle(f)
		return
	}
	if f.kept != nil {
		t.kept.MoveToFront(f.kept)
	} else {
		f.kept = t.kept.PushFront(f)
	}
	limit := t.settings.MaxOpenFiles
	if !keepOpen {
		limit = 0
	}
	for e := t.kept.Back(); e != nil && (t.kept.Len() > max(0, limit) || t.settings.Descriptors.over()); {
		old := e.Value.(*file)
		e = e.Prev()
		t.closeHandle(old)
	}
}

// closeIdle closes files that no worker has, those read longest ago first: all of them if the system has no descriptors left,
// else until few enough are held.
func (t *table) closeIdle() {
	all := t.settings.Descriptors.exhausted.Swap(false)
	for e := t.kept.Back(); e != nil && (all || t.settings.Descriptors.over()); {
		f := e.Value.(*file)
		e = e.Prev()
		t.closeHandle(f)
	}
}

// closeHandle closes a file's handle, unless a worker has it.
func (t *table) closeHandle(f *file) {
	if f.busy {
		return
	}
	if f.kept != nil {
		t.kept.Remove(f.kept)
		f.kept = nil
	}
	if err := f.closeHandle(); err != nil {
		t.settings.Observer.failed(f.path, err, 0)
	}
}

// backOff delays a file, longer each time.
func (t *table) backOff(f *file) time.Duration {
	wait := t.settings.RetryInterval << min(f.tries, 20)
	if wait <= 0 || wait > t.settings.MaxRetryInterval {
		wait = t.settings.MaxRetryInterval
	}
	if f.tries < 255 {
		f.tries++
	}
	f.retryAt = time.Now().Add(wait)
	t.arm(f, f.retryAt)
	return wait
}
