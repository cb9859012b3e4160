package telemetry

import (
	"sync/atomic"
	"time"
)

// backlog is when a line was read last that was there before its stream was followed. While such come, the file of a
// sub-agent's parent may be yet to be read. It is safe for use by many goroutines.
type backlog struct{ last atomic.Int64 }

// backlogStep is how exact it is: streams that are read at the same time need not write it for each line.
const backlogStep = 100 * time.Millisecond

// moved notes a line.
func (b *backlog) moved(now time.Time) {
	if nano := now.UnixNano(); nano-b.last.Load() >= int64(backlogStep) {
		b.last.Store(nano)
	}
}

// quietSince reports whether no such line came after before.
func (b *backlog) quietSince(before time.Time) bool { return b.last.Load() <= before.UnixNano() }
