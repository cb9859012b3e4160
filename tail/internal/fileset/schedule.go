package fileset

import (
	"container/heap"
	"time"

	"github.com/tailspan/tailspan/internal/files/dirty"
	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/tail/internal/reader"
)

// activeGraces times UnlinkGrace is how long a file that no longer matches a pattern has to be idle before it is closed.
const activeGraces = 12

// scheduler decides which file the next free worker visits.
type scheduler struct {
	settings   *Settings
	queue      []*File // files waiting for a worker
	suspending []*File // files waiting with priority; see queueSuspend
	packed     packedQueue
	timers     timers
	dirty      *dirty.Set[*File]
	working    int // files that workers have
}

// schedule queues a file for a worker. After a failed try it is queued only when its wait is over.
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

// Task is a job for a file.
type Task struct {
	File *File
	reader.Job
}

// Next returns the task of the next free worker.
func (s *scheduler) Next() (Task, bool) {
	for queue := s.nextQueue(); queue != nil; queue = s.nextQueue() {
		if j, ok := s.jobFor((*queue)[0]); ok {
			return j, true
		}
		unqueue(queue)
	}
	return Task{}, false
}

// nextQueue returns the queue whose first file is next, or nil.
func (s *scheduler) nextQueue() *[]*File {
	for _, queue := range [...]*[]*File{&s.suspending, s.packed.next(), &s.queue} {
		if queue != nil && len(*queue) > 0 {
			return queue
		}
	}
	return nil
}

// unqueue removes the first file from its queue.
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
		// It may have been removed or replaced by another file.
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

// Working returns how many files workers have.
func (s *scheduler) Working() int { return s.working }

// Dirty returns a channel that receives when consumers have a new state; see [scheduler.VisitDirty].
func (s *scheduler) Dirty() <-chan struct{} { return s.dirty.Signal() }

// VisitDirty schedules the files whose consumers have a new state, so that it is saved.
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

// UntilWake returns the time until the first timer.
func (s *scheduler) UntilWake() time.Duration {
	if len(s.timers) == 0 {
		return time.Hour
	}
	return max(0, time.Until(s.timers[0].wakeAt))
}

// WakeUp schedules the files whose timers have expired.
func (s *scheduler) WakeUp() {
	now := time.Now()
	for len(s.timers) > 0 && !s.timers[0].wakeAt.After(now) {
		f := heap.Pop(&s.timers).(*File)
		f.retryAt = time.Time{}
		s.schedule(f)
		if !f.flushAt.IsZero() {
			f.due = dueFlush
		}
	}
}

// backOff delays a file, longer after each consecutive call.
func (s *scheduler) backOff(f *File) time.Duration {
	wait := f.tries.Next(s.settings.RetryInterval, s.settings.MaxRetryInterval)
	s.delay(f, wait)
	return wait
}

// packedQueue holds the compressed files that wait for a worker. A compressed file is read whole in one turn, and a small one
// may expand a thousandfold, so such files get only some of the workers and others are read meanwhile.
type packedQueue struct {
	queue []*File
	busy  int // workers that read one
	limit int
}

// packedShare is the divisor of the workers that may read compressed files.
const packedShare = 4

func newPackedQueue(workers int) packedQueue { return packedQueue{limit: max(1, workers/packedShare)} }

func (q *packedQueue) add(f *File) { q.queue = append(q.queue, f) }

// next returns the queue, or nil while no worker may take a file from it.
func (q *packedQueue) next() *[]*File {
	if q.busy >= q.limit {
		return nil
	}
	return &q.queue
}

// started counts a job that a worker took, done one that it finished.
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
