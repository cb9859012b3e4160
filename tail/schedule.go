package tail

import (
	"container/heap"
	"time"

	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/internal/files/openfile"
)

// activeGraces is how many times UnlinkGrace a file that no pattern matches any more has to be idle before it is closed.
const activeGraces = 12

// scheduler decides which file the next free worker visits.
type scheduler struct {
	settings   *Settings
	queue      []*file // wait for a worker
	suspending []*file // wait for one too, before the others; see queueSuspend
	packed     packedQueue
	timers     timers
	working    int // files that workers have
}

// schedule queues a file for a worker, but not before its time if the last try failed.
func (s *scheduler) schedule(f *file) {
	if f.state == stateRetired || !f.mark() {
		return
	}
	if openfile.IsCompressed(f.path) {
		s.packed.add(f)
		return
	}
	s.queue = append(s.queue, f)
}

func (s *scheduler) scheduleAll(files []*file) {
	for _, f := range files {
		s.schedule(f)
	}
}

// nextJob returns what the next free worker is to do.
func (s *scheduler) nextJob() (job, bool) {
	for queue := s.nextQueue(); queue != nil; queue = s.nextQueue() {
		if j, ok := s.jobFor((*queue)[0]); ok {
			return j, true
		}
		unqueue(queue)
	}
	return job{}, false
}

// nextQueue is the queue whose first file is next, nil if there is none.
func (s *scheduler) nextQueue() *[]*file {
	for _, queue := range [...]*[]*file{&s.suspending, s.packed.next(), &s.queue} {
		if queue != nil && len(*queue) > 0 {
			return queue
		}
	}
	return nil
}

// unqueue takes the first file out of its queue.
func unqueue(queue *[]*file) {
	(*queue)[0].turn = turnIdle
	(*queue)[0] = nil
	*queue = (*queue)[1:]
}

// jobFor returns the next job of a file.
func (s *scheduler) jobFor(f *file) (job, bool) {
	j := f.snapshot()
	j.live, j.flush = f.live, f.due == dueFlush
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
		case f.due == dueEvict:
			j.kind = jobEvict
		case f.due == dueSuspend:
			j.kind = jobSuspend
		}
	case stateUnlinked:
		j.kind, j.flush = jobFinish, true
		j.recent = time.Since(f.lastRead) < activeGraces*s.settings.UnlinkGrace
	case stateLink:
		// Perhaps it is removed, or another file now.
		j.kind, j.pos = jobProbe, fingerprint.Position{}
	case stateRetired:
		return job{}, false
	}
	return j, true
}

// started records that a worker took the job at the head of the queue.
func (s *scheduler) started(j job) {
	unqueue(s.nextQueue())
	s.packed.started(j)
	j.file.give()
	s.working++
	s.disarm(j.file)
}

// arm schedules a file for later.
func (s *scheduler) arm(f *file, at time.Time) {
	f.wakeAt = at
	if f.wakeSlot >= 0 {
		heap.Fix(&s.timers, f.wakeSlot)
		return
	}
	heap.Push(&s.timers, f)
}

func (s *scheduler) disarm(f *file) {
	if f.wakeSlot >= 0 {
		heap.Remove(&s.timers, f.wakeSlot)
	}
}

// untilWake is the time until the first timer.
func (s *scheduler) untilWake() time.Duration {
	if len(s.timers) == 0 {
		return time.Hour
	}
	return max(0, time.Until(s.timers[0].wakeAt))
}

// wakeUp touches the files whose time has come.
func (s *scheduler) wakeUp() {
	now := time.Now()
	for len(s.timers) > 0 && !s.timers[0].wakeAt.After(now) {
		f := heap.Pop(&s.timers).(*file)
		f.retryAt = time.Time{}
		s.schedule(f)
		if f.tail {
			f.due = dueFlush
		}
	}
}

// backOff delays a file, longer each time.
func (s *scheduler) backOff(f *file) time.Duration {
	wait := s.settings.backOff(&f.tries)
	s.delay(f, wait)
	return wait
}

// packedQueue has the compressed files that wait for a worker. A compressed file is read whole in one turn, and a small one
// may hold a thousand times its size: such files have a part of the workers, so that others are read beside them.
type packedQueue struct {
	queue []*file
	busy  int // how many workers read one
	limit int
}

// packedShare is which part of the workers may read compressed files.
const packedShare = 4

func newPackedQueue(workers int) packedQueue { return packedQueue{limit: max(1, workers/packedShare)} }

func (q *packedQueue) add(f *file) { q.queue = append(q.queue, f) }

// next is the queue, nil while no worker may take a file from it.
func (q *packedQueue) next() *[]*file {
	if q.busy >= q.limit {
		return nil
	}
	return &q.queue
}

// started counts a job that a worker took, and done one that it finished.
func (q *packedQueue) started(j job) {
	if openfile.IsCompressed(j.path) {
		q.busy++
	}
}

func (q *packedQueue) done(j job) {
	if openfile.IsCompressed(j.path) {
		q.busy--
	}
}
