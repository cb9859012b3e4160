package reader

import (
	"time"

	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/internal/files/stream"
)

const (
	// suspendSpeed, in bytes per second, sets how long a file has to be idle before its consumer is suspended: a second per
	// suspendSpeed bytes. A replay is about a hundred times faster, so it takes at most one percent of the idle time.
	suspendSpeed = 2 << 20
	// suspendLimit is the size above which a consumer is never suspended: the replay would take noticeable time.
	suspendLimit = 64 << 20
	// suspendDoublings bounds how often the idle time doubles, which it does with each suspension, so that a file that grows
	// every few minutes is replayed only a few times.
	suspendDoublings = 6
)

// suspension counts suspensions; next is the earliest time of the next one.
type suspension struct {
	count uint8
	next  time.Time
}

// WasSuspended reports whether the consumer was suspended before.
func (o *Open) WasSuspended() bool { return o.suspends.count > 0 }

// RefusedSuspension reports whether it is too early to ask the consumer again.
func (o *Open) RefusedSuspension(now time.Time) bool { return now.Before(o.suspends.next) }

// MaySuspend reports whether the consumer of a file that was read to an offset and has been quiet since may be suspended, and
// when: the file has to be idle for at least least. A file that was written long ago is idle as soon as it is read.
func (o *Open) MaySuspend(s *Settings, least time.Duration, path string, offset int64, quiet time.Duration) (in time.Duration, may bool) {
	length := offset - o.begin
	if o.consumer == nil || o.phase != phaseLive || o.idleDue || !o.begun || !s.Replay || s.SuspendAfter < 0 ||
		length > suspendLimit || openfile.IsCompressed(path) {
		return 0, false
	}
	after := max(least, time.Duration(1000*length/suspendSpeed)*time.Millisecond) << o.suspends.count
	return max(after-quiet, time.Until(o.suspends.next)), true
}

// SuspendsNow reports whether the consumer may be suspended now, after its file was quiet for the given time.
func (o *Open) SuspendsNow(s *Settings, path string, offset int64, quiet time.Duration) bool {
	in, may := o.MaySuspend(s, s.SuspendAfter, path, offset, quiet)
	return may && in <= 0
}

// suspend suspends the consumer if it agrees. After a refusal it is not asked again for a while.
func (o *Open) suspend(again time.Duration) {
	c, ok := o.consumer.(stream.Suspender)
	if ok && c.Suspend() {
		o.phase = phaseSuspended
		o.suspends.count = min(o.suspends.count+1, suspendDoublings)
		return
	}
	o.suspends.next = time.Now().Add(again)
}

// resume starts the replay for a suspended consumer.
func (o *Open) resume() {
	if o.phase == phaseSuspended {
		o.phase, o.replayAt = phaseReplaying, o.begin
	}
}

// ClosesNow reports whether a consumer with a stored checkpoint and nothing pending can be closed at once.
func (o *Open) ClosesNow(s *Settings, path string, offset, mtime int64) bool {
	return o.stored != nil && !o.pending && o.isOld(s, path, offset, mtime)
}

// isOld reports whether the file was not written for IdleClose and its lines can be replayed quickly.
func (o *Open) isOld(s *Settings, path string, offset, mtime int64) bool {
	_, stateful := o.consumer.(stream.Stateful)
	return stateful && s.IdleClose > 0 && s.Replay && o.phase != phaseReplaying && !o.idleDue && offset-o.begin <= suspendLimit &&
		!openfile.IsCompressed(path) && time.Since(time.Unix(0, mtime)) >= s.IdleClose
}
