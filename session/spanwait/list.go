package spanwait

import (
	"iter"
	"slices"
	"time"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/replay"
	"github.com/tailspan/tailspan/session/work"
)

// Max bounds the waiting spans of a stream.
const Max = 256

// BacklogShare limits how many times longer a span waits while existing files are being read.
const BacklogShare = 6

// Wait is a closed run whose span is waiting.
type Wait struct {
	Run   *work.Run
	Why   otlp.CloseReason
	Since time.Time // when the last line of the stream was read
	Live  bool      // that line was written while the stream was followed
	// Suppressed is set if a replayed line closed the run and no state shows whether its span was exported. It counts
	// as exported if a replayed line made it ready.
	Suppressed bool
	// looked is the number of changes of its sub-agents at the last check, plus one; 0 before the first check.
	looked uint32
}

// Changed reports whether something changed below the run since the last call. There may be many sub-agents, so their state is checked only
// after a change.
func (w *Wait) Changed() bool {
	known := w.Run.Ref.Team.Changes() + 1
	changed := known != w.looked
	w.looked = known
	return changed
}

// Due reports whether the span has waited long enough. quiet reports whether no existing file was read since a time.
func (w *Wait) Due(now time.Time, wait time.Duration, quiet func(since time.Time) bool) bool {
	switch waited := now.Sub(w.Since); {
	case waited < wait:
		return false
	case w.Live || waited >= BacklogShare*wait:
		return true
	default:
		return quiet(now.Add(-wait))
	}
}

// sent is the span of a run that was written and possibly not acknowledged yet.
type sent struct {
	replay.Taken
	run *work.Run
}

// List is the list of a stream.
type List struct {
	waiting []*Wait // oldest first
	sent    []*sent
	earlier []otlp.SpanID // those that an earlier process did not write
}

// Restored returns the list of a stream of which an earlier process did not write some spans, or nil.
func Restored(unwritten []otlp.SpanID) *List {
	if len(unwritten) == 0 {
		return nil
	}
	return &List{earlier: slices.Clone(unwritten)}
}

// WasUnwritten reports whether an earlier process did not write the span of a run.
func (l *List) WasUnwritten(r *work.Run) bool {
	return l != nil && slices.Contains(l.earlier, r.Top.SpanID)
}

// Add adds a run. It returns the oldest one if there are more than [Max], or nil.
func (l *List) Add(w *Wait) (oldest *Wait) {
	if l.waiting = append(l.waiting, w); len(l.waiting) > Max {
		oldest = l.waiting[0]
	}
	return oldest
}

// Write calls write for each waiting run and removes those for which it returns true. It reports whether the last one was removed.
func (l *List) Write(write func(*Wait) bool) (last bool) {
	if l == nil || len(l.waiting) == 0 {
		return false
	}
	kept := l.waiting[:0]
	for _, w := range l.waiting {
		if !write(w) {
			kept = append(kept, w)
		}
	}
	clear(l.waiting[len(kept):])
	if l.waiting = kept; len(kept) == 0 {
		l.waiting = nil
	}
	return len(kept) == 0
}

// Sent adds a run whose span was written. The result is accepted when the output was acknowledged.
func (l *List) Sent(r *work.Run) *replay.Taken {
	one := &sent{run: r}
	l.sent = append(l.sent, one)
	return &one.Taken
}

// Accept removes the accepted spans and calls release for their runs. It returns nil instead of an empty list.
func (l *List) Accept(release func(*work.Run)) *List {
	if l == nil {
		return nil
	}
	l.sent = slices.DeleteFunc(l.sent, func(one *sent) bool {
		if one.Accepted() {
			release(one.run)
		}
		return one.Accepted()
	})
	if len(l.waiting)+len(l.sent)+len(l.earlier) == 0 {
		return nil
	}
	return l
}

// Runs iterates over the runs whose spans were not accepted.
func (l *List) Runs() iter.Seq[*work.Run] {
	return func(yield func(*work.Run) bool) {
		if l == nil {
			return
		}
		for _, one := range l.waiting {
			if !yield(one.Run) {
				return
			}
		}
		for _, one := range l.sent {
			if !one.Accepted() && !yield(one.run) {
				return
			}
		}
	}
}

// Unwritten returns the spans of these runs, and those of the runs that have sub-agents. current is the current run of the stream, or nil.
func (l *List) Unwritten(current *work.Run) (spans []otlp.SpanID, needs []link.RunID) {
	add := func(ref *link.Run) {
		if !ref.Team.Empty() && !slices.Contains(needs, ref.RunID) {
			needs = append(needs, ref.RunID)
		}
	}
	if r := current; r != nil && !r.Closed && !r.IsJoined() && r.Ref != nil {
		add(r.Ref)
	}
	for r := range l.Runs() {
		spans = append(spans, r.Top.SpanID)
		add(r.Ref)
	}
	return spans, needs
}
