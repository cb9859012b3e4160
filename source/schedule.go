package source

import (
	"container/heap"
	"time"
)

// livelyGraces is how many times GoneGrace a file that was moved out of sight has to be quiet before it is closed.
const livelyGraces = 12

// keepFor is how long the handle of a file that doesn't grow is kept.
const keepFor = time.Minute

// touch has a file looked at as soon as a worker is free, but not before its time if the last try failed.
func (t *table) touch(f *file) {
	f.flush, f.evict, f.rest = false, false, false
	switch {
	case f.state == stateClosed:
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

func (t *table) touchAll(files []*file) {
	for _, f := range files {
		t.touch(f)
	}
}

// nextJob gives what the next free worker is to do.
func (t *table) nextJob() (job, bool) {
	for queue := t.nextQueue(); queue != nil; queue = t.nextQueue() {
		if j, ok := t.jobFor((*queue)[0]); ok {
			return j, true
		}
		unqueue(queue)
	}
	return job{}, false
}

// nextQueue is the queue whose first file has its turn, nil if no file has.
func (t *table) nextQueue() *[]*file {
	for _, queue := range [...]*[]*file{&t.sleepy, t.packed.next(), &t.queue} {
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

// jobFor says what is to be done with a file.
func (t *table) jobFor(f *file) (job, bool) {
	j := job{
		file: f, path: f.path, id: f.id, pos: f.pos, size: f.size, mtime: f.mtime, live: f.caughtUp, flush: f.flush,
		names: f.otherNames(), strayed: f.strayed,
	}
	switch f.state {
	case stateNew:
		j.kind, j.pos = jobProbe, position{}
		j.seek = f.seek
		for _, known := range f.claims {
			j.claims = append(j.claims, claim{known.pos, known.standing(f)})
		}
	case stateFollowed:
		j.kind = jobRead
		switch {
		case f.evict:
			j.kind = jobEvict
		case f.rest:
			j.kind = jobRest
		}
	case stateGone:
		j.kind, j.flush = jobFinish, true
		j.lively = time.Since(f.lastRead) < livelyGraces*t.settings.GoneGrace
	case stateAlias:
		// Perhaps it is gone, or another file now.
		j.kind, j.pos = jobProbe, position{}
	case stateClosed:
		return job{}, false
	}
	return j, true
}

// begun notes that a worker took the job at the head of the queue.
func (t *table) begun(j job) {
	unqueue(t.nextQueue())
	t.packed.begun(j)
	j.file.busy, j.file.dirty, j.file.tail, j.file.flush = true, false, false, false
	t.busy++
	t.disarm(j.file)
}

// arm has a file looked at later.
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
		t.touch(f)
		f.flush = f.tail
	}
}

// tend lets go of what nothing happened to for long.
func (t *table) tend() {
	now := time.Now()
	for e := t.kept.Back(); e != nil; {
		f := e.Value.(*file)
		e = e.Prev()
		if now.Sub(f.lastRead) < keepFor {
			break
		}
		t.letGo(f)
	}
	for _, f := range t.paths {
		if f.busy || f.queued || f.state != stateFollowed || f.consumer == nil || f.tries > 0 {
			continue
		}
		switch {
		case t.settings.IdleClose > 0 && now.Sub(f.lastRead) >= t.settings.IdleClose,
			f.stored != nil && !f.open && !f.tail && f.isOld(&t.settings, f.pos.offset, f.mtime):
			t.touch(f)
			f.evict = f.queued
		case !f.tail && f.restsAfter(&t.settings, f.pos.offset, now.Sub(f.lastRead)):
			t.askToRest(f, t.settings.RestAfter)
		}
	}
}

// keep keeps the handle of a file that was just read, at the cost of the one read longest ago.
func (t *table) keep(f *file) {
	if f.handle == nil {
		t.letGo(f)
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
		t.letGo(old)
	}
}

// closeIdle closes files that nobody reads just now, those read longest ago first: all of them if the system gives no
// descriptors, else until few enough are held.
func (t *table) closeIdle() {
	all := t.settings.Descriptors.exhausted.Swap(false)
	for e := t.kept.Back(); e != nil && (all || t.settings.Descriptors.over()); {
		f := e.Value.(*file)
		e = e.Prev()
		t.letGo(f)
	}
}

// letGo closes a file's handle, unless a worker has it.
func (t *table) letGo(f *file) {
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

// backOff leaves a file alone for a while, longer each time.
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
