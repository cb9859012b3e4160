package telemetry

import (
	"sync/atomic"
	"time"
)

// backlog is the time of the last line that was written before its stream was followed. While such lines are read, the
// file of a sub-agent's parent may not have been read yet. It is safe for concurrent use.
type backlog struct{ last atomic.Int64 }

// backlogStep is its resolution: streams that are read concurrently need not write it for each line.
const backlogStep = 100 * time.Millisecond

// moved records a line.
func (b *backlog) moved(now time.Time) {
	if nano := now.UnixNano(); nano-b.last.Load() >= int64(backlogStep) {
		b.last.Store(nano)
	}
}

// quietSince reports whether no such line was read after before.
func (b *backlog) quietSince(before time.Time) bool { return b.last.Load() <= before.UnixNano() }
