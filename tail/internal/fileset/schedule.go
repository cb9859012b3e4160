package fileset

import (
	"container/heap"
	"time"

	"github.com/tailspan/tailspan/internal/files/dirty"
	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/tail/internal/reader"
)

// activeGraces is how many times UnlinkGrace a file that no pattern matches any more has to be idle before it is closed.
const activeGraces = 12

// scheduler decides which file the next free worker visits.
type scheduler struct {
	settings   *Settings
	queue      []*File // wait for a worker
	suspending []*File // wait for one too, before the others; see queueSuspend
	packed     packedQueue
	timers     timers
	dirty      *dirty.Set[*File]
	working    int // files that workers have
}

// schedule queues a file for a worker, but not before its time if the last try failed.
func (s *scheduler) schedule(f *File) {
	if f.state == stateRetired || !f.mark() {
		return
	}
	if openfile.IsCompressed(f.path) {
		s.packed.add(f)
		return
	}
	s.queue = append(s.queue, f)
}

// Task is a job of a file.
type Task struct {
	File *File
	reader.Job
}

// Next returns what the next free worker is to do.
func (s *scheduler) Next() (Task, bool) {
	for queue := s.nextQueue(); queue != nil; queue = s.nextQueue() {
		if j, ok := s.jobFor((*queue)[0]); ok {
			return j, true
		}
		unqueue(queue)
	}
	return Task{}, false
}

// nextQueue is the queue whose first file is next, nil if there is none.
func (s *scheduler) nextQueue() *[]*File {
	for _, queue := range [...]*[]*File{&s.suspending, s.packed.next(), &s.queue} {
		if queue != nil && len(*queue) > 0 {
			return queue
		}
	}
	return nil
}

// unqueue takes the first file out of its queue.
func unqueue(queue *[]*File) {
	(*queue)[0].turn = turnIdle
	(*queue)[0] = nil
	*queue = (*queue)[1:]
}

// jobFor returns the next job of a file.
func (s *scheduler) jobFor(f *File) (Task, bool) {
	j := f.job()
	j.Live, j.Flush = f.live, f.due == dueFlush
	switch f.state {
	case stateNew:
		j.Kind, j.Pos = reader.KindProbe, fingerprint.Position{}
		j.Seek = f.seek
		for _, known := range f.claims {
			j.Claims = append(j.Claims, reader.Claim{Pos: known.pos, Beside: known.standing(f)})
		}
	case stateFollowing:
		j.Kind = reader.KindRead
		switch {
		case f.due == dueEvict:
			j.Kind = reader.KindEvict
		case f.due == dueSuspend:
			j.Kind, j.Again = reader.KindSuspend, f.again
		}
	case stateUnlinked:
		j.Kind, j.Flush = reader.KindFinish, true
		j.Recent = time.Since(f.lastRead) < activeGraces*s.settings.UnlinkGrace
	case stateLink:
		// Perhaps it is removed, or another file now.
		j.Kind, j.Pos = reader.KindProbe, fingerprint.Position{}
	case stateRetired:
		return Task{}, false
	}
	if j.Kind != reader.KindProbe && f.stream.Dirty == nil {
		f.stream.Dirty = func() { s.dirty.Add(f) }
	}
	return Task{f, j}, true
}

// Started records that a worker took the task at the head of the queue.
func (s *scheduler) Started(t Task) {
	unqueue(s.nextQueue())
	s.packed.started(t.Path)
	t.File.give()
	s.working++
	s.disarm(t.File)
}

// Working is how many files workers have.
func (s *scheduler) Working() int { return s.working }

// Dirty is sent to when consumers have a new state; see [scheduler.VisitDirty].
func (s *scheduler) Dirty() <-chan struct{} { return s.dirty.Signal() }

// VisitDirty has the files visited whose consumers have a new state, so that it is saved.
func (s *scheduler) VisitDirty() {
	for _, f := range s.dirty.Take() {
		s.schedule(f)
	}
}

// arm schedules a file for later.
func (s *scheduler) arm(f *File, at time.Time) {
	f.wakeAt = at
	if f.wakeSlot >= 0 {
		heap.Fix(&s.timers, f.wakeSlot)
		return
	}
	heap.Push(&s.timers, f)
}

func (s *scheduler) disarm(f *File) {
	if f.wakeSlot >= 0 {
		heap.Remove(&s.timers, f.wakeSlot)
	}
}

// UntilWake is the time until the first timer.
func (s *scheduler) UntilWake() time.Duration {
	if len(s.timers) == 0 {
		return time.Hour
	}
	return max(0, time.Until(s.timers[0].wakeAt))
}

// WakeUp schedules the files whose time has come.
func (s *scheduler) WakeUp() {
	now := time.Now()
	for len(s.timers) > 0 && !s.timers[0].wakeAt.After(now) {
		f := heap.Pop(&s.timers).(*File)
		f.retryAt = time.Time{}
		s.schedule(f)
		if !f.flushAt.IsZero() && !now.Before(f.flushAt) { // else it wakes up for its checkpoint
			f.due = dueFlush
		}
	}
}

// backOff delays a file, longer each time.
func (s *scheduler) backOff(f *File) time.Duration {
	wait := f.tries.Next(s.settings.RetryInterval, s.settings.MaxRetryInterval)
	s.delay(f, wait)
	return wait
}

// packedQueue has the compressed files that wait for a worker. A compressed file is read whole in one turn, and a small one
// may hold a thousand times its size: such files have a part of the workers, so that others are read beside them.
type packedQueue struct {
	queue []*File
	busy  int // how many workers read one
	limit int
}

// packedShare is which part of the workers may read compressed files.
const packedShare = 4

func newPackedQueue(workers int) packedQueue { return packedQueue{limit: max(1, workers/packedShare)} }

func (q *packedQueue) add(f *File) { q.queue = append(q.queue, f) }

// next is the queue, nil while no worker may take a file from it.
func (q *packedQueue) next() *[]*File {
	if q.busy >= q.limit {
		return nil
	}
	return &q.queue
}

// started counts a job that a worker took, and done one that it finished.
func (q *packedQueue) started(path string) {
	if openfile.IsCompressed(path) {
		q.busy++
	}
}

func (q *packedQueue) done(path string) {
	if openfile.IsCompressed(path) {
		q.busy--
	}
}
