package telemetry

import (
	"bytes"
	"math"
	"strconv"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/cicd"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/emit"
	"github.com/tailspan/tailspan/session/exported"
	"github.com/tailspan/tailspan/session/family"
	"github.com/tailspan/tailspan/session/ledger"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/pending"
	"github.com/tailspan/tailspan/session/program"
	"github.com/tailspan/tailspan/session/replay"
	"github.com/tailspan/tailspan/session/share"
	"github.com/tailspan/tailspan/session/work"
)

// Line is the origin of events.
type Line struct {
	// Offset is the offset of the line's first byte in the stream.
	Offset int64
	// Arrival is when the line was read. It counts as a time only if Live is set.
	Arrival time.Time
	// Read is the system time when the line was read, the observed time of its records; zero means now. A caller that
	// reads many lines at once passes one time for all: reading the clock costs a hundredth of the whole line.
	Read time.Time
	// Live is set if the line was written while the stream was followed.
	Live bool
	// Replay updates the state without exporting anything: the line was accepted before a restart.
	Replay bool
}

// Stream turns the events of one stream into spans and records. It is built in layers; see core.
type Stream struct{ lifetime }

// past is what finished runs left behind.
type past struct {
	runs    int          // opened so far
	lastEnd clock.Moment // end of the last closed run
	// totals are the latest running totals in the stream, of its process (without a session) or of a session.
	totals *ledger.Running
}

// reading is the read progress of a stream.
type reading struct {
	live     bool          // the current line is new and was written while the stream was followed
	idle     bool          // everything available was read
	moved    time.Time     // system time of the last line with an event
	changed  clock.Instant // last change of the file before it was opened; zero once a live line was read
	blank    blank
	rawLines exported.Chain
}

// blank is the last line without an event.
type blank struct {
	at     time.Time // when it was read, if it was written while the stream was followed
	offset int64
}

// lastWrite returns when the last line was written: when it was read if the stream is followed, else the last change of the file.
func (r *reading) lastWrite() time.Time {
	if r.changed.IsZero() {
		return r.moved
	}
	return time.Unix(0, int64(r.changed))
}

func newStream(r *Registry, settings *StreamSettings) *Stream {
	s := &Stream{}
	a := r.agent(settings.Agent)
	s.self, s.registry, s.settings = s, r, *settings
	s.settings.Agent, s.settings.Identity, s.settings.State = program.Agent{}, otlp.Identity{}, nil
	s.program = program.Program{Agent: a, Fingerprint: settings.Fingerprint}
	s.program.Resource = otlp.NewResource(settings.Identity, a.ServiceName, a.Provider, a.System, otlp.NewSequencer(settings.ID), r.settings.Attributes)
	s.seen = exported.NewSeen(r.ids)
	s.share = share.New(share.Settings[*Stream]{
		Accounts: r.accounts, IDs: r.ids, Program: &s.program, Seen: &s.seen, Self: s, Stream: settings.ID, WaitingBytes: r.settings.Limits.PendingBytes,
	})
	s.family = family.New(family.Settings[*Stream]{
		Links: r.links, Folders: r.folders, Program: &s.program, Seen: &s.seen, Self: s,
		ParentSession: settings.ParentSession, Group: settings.Group, Wait: r.settings.linkWait(),
	})
	s.emit = emit.New(emit.Settings{
		IDs: r.ids, Pipelines: r.pipelines, Program: &s.program, Parent: settings.Parent, OnUsed: settings.OnUsed,
	}, r.metrics)
	s.changed = r.fileTime(settings.FileTime)
	s.clock = clock.New(s.changed)
	if settings.State != nil {
		s.restore(settings.State)
	}
	return s
}

// Feed applies the events of one line. It keeps no reference to evs. A line without events only ends a silence.
func (s *Stream) Feed(line Line, evs []events.DisplayEvent) {
	if len(evs) == 0 {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.blank.offset = line.Offset; line.Live && !line.Replay {
			s.blank.at = line.Read
		}
		return
	}
	s.work(line.Replay, func() { s.feed(line, evs) })
}

// work runs f on the stream, with the stream's own batch.
func (s *Stream) work(suppressed bool, f func()) { s.workInto(nil, suppressed, f) }

// workInto runs f on the stream and then updates sub-agents in separate streams. Their output goes into the same batch,
// to be exported with the line that f applies; nil means the stream's own batch. No two streams are locked at once.
func (s *Stream) workInto(sink *batch, suppressed bool, f func()) {
	next, sink := s.locked(sink, suppressed, f)
	reportChanged(next.Parents)
	for children := next.Children; len(children) > 0; {
		child := children[0]
		more, _ := child.locked(sink, suppressed, child.onLinkUpdate)
		reportChanged(more.Parents)
		children = append(children[1:], more.Children...)
	}
}

// reportChanged makes streams that wait for less than before report the change, so that their states are saved.
func reportChanged(list []*Stream) {
	for _, maker := range list {
		if changed := maker.settings.Changed; changed != nil {
			changed()
		}
	}
}

// locked runs f with only this stream locked. It returns the streams that are affected and the batch of the output.
func (s *Stream) locked(sink *batch, suppressed bool, f func()) (family.Woken[*Stream], *batch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := sink == nil
	if own {
		sink = s.own()
	}
	s.writeInto(sink, suppressed)
	f()
	if !own { // the stream's own output may not be taken for long
		s.emit.Meter.Flush()
	}
	return s.family.TakeWoken(), sink
}

// Trim releases caches and empty batches of a stream that expects no line for long. Output that was not taken stays.
func (s *Stream) Trim() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.emit.Trim()
	if s.sink = nil; s.out != nil && s.out.empty() {
		s.out = nil
	}
}

// onLinkUpdate applies a link that another stream announced. The output is exported with the other stream's line and is
// pending until that is acknowledged. A stream that is being replayed does so after its replay.
func (s *Stream) onLinkUpdate() {
	if s.replay.Active {
		return
	}
	defer s.writeReady()
	defer s.reportLinked()
	before := len(s.pending)
	first := s.firstPending()
	s.release(releaseReady)
	if s.isComplete() {
		defer s.settle() // nothing of it follows the end of its call
	}
	if len(s.pending) == before {
		return
	}
	s.replay.HandOver(*first, before-len(s.pending))
	s.sink.steps = append(s.sink.steps, sentStep{stream: s})
	if s.idle {
		s.closeOld()
		s.awaitEnd()
	}
}

func (s *Stream) feed(line Line, evs []events.DisplayEvent) {
	if s.replay.Behind() {
		before := line.Offset
		if !line.Replay {
			before = math.MaxInt64
		}
		s.catchUp(before)
		s.emit.Suppressed = line.Replay
	}
	s.clock.Begin(clock.Line{Offset: line.Offset, Arrival: clock.InstantOf(line.Arrival), Live: line.Live, Replay: line.Replay})
	s.replay.Begin(line.Offset, line.Replay)
	if s.idle || s.moved.IsZero() {
		s.registry.accounts.BeginReading(s.settings.ID)
	}
	if s.idle, s.live = false, line.Live && !line.Replay; s.live {
		s.changed = 0
	}
	if s.moved = line.Read; s.moved.IsZero() {
		s.moved = s.registry.settings.Now()
	}
	if !s.live {
		s.registry.backlog.Set(s.moved)
	}
	var nth pending.Numbers
	for i := range evs {
		ev := &evs[i]
		otlp.MakePlain(ev)
		if otlp.TooLarge(ev.Usage) {
			ev.Usage = nil
			s.emit.Count().ImplausibleTokens++
		}
		o := pending.Origin{Offset: line.Offset, Index: i, Nth: nth.Next(ev)}
		s.emit.Suppressed = line.Replay && s.replay.Delivered(o)
		at := s.timeOf(ev)
		if ev.Kind == events.KindToolResult && at.Source == clock.SourceLine && content.InBatch(evs, i) {
			at.Source = clock.SourceBatch
		}
		if line.Replay && s.replay.Restored() && !s.emit.Suppressed {
			s.pending.Add(ev, at, o, pending.Again, &s.registry.settings.Capture) // applied when the rest is restored
			continue
		}
		if len(s.pending) == 0 && !s.run.WaitsForFirst() {
			s.closeOnIdleGap(ev, at, line.Replay)
			if at.Known() && !s.opens(ev) {
				s.apply(ev, at, o)
				continue
			}
		}
		s.pending.Add(ev, at, o, s.replay.DeliveryOf(s.emit.Suppressed), &s.registry.settings.Capture)
		if !s.pending.Exceed(s.registry.settings.Limits.pending()) {
			s.release(releaseReady)
			continue
		}
		if s.release(releaseExcess); len(s.pending) == 0 {
			s.emit.Count().ForcedRuns++
		}
	}
	if s.run.IsChild() {
		s.run.Ref.Move(s.lastWrite())
	}
	if s.live {
		s.watch(s.moved)
	}
	s.awaitEnd()
	s.reportLinked()
	s.writeReady()
	s.family.AnnounceTime(s.run, s.clock.Reached())
	if s.run != nil && s.run.InPipeline && !s.emit.Suppressed {
		s.registry.pipelines.Moved(s.run.Resource, s.registry.settings.Now())
	}
}

// Idle reports that everything available was read, so events that wait for a time will not get one from a line soon.
func (s *Stream) Idle() {
	s.work(false, func() {
		s.catchUp(math.MaxInt64)
		s.emit.Suppressed, s.idle, s.replay.Active = false, true, false
		s.release(releaseReady)
		s.family.Notify(s.registry.unsent.Done(s.settings.ID))
		s.family.Notify(s.registry.accounts.EndReading(s.settings.ID))
		if !s.clock.Timed() && s.pending.Undated() {
			s.recordStep(replay.Date, s.sink)
			s.pending.Date(s.clock.GuessFile())
			s.release(releaseReady)
		}
		s.settle()
		s.closeOld()
		s.awaitEnd()
		s.watch(s.registry.settings.Now())
		s.reportLinked()
		s.writeReady()
		if len(s.pending) == 0 {
			s.pending = nil // a stream may be idle for long
		}
	})
}

// IsSubAgent reports whether the stream is that of a sub-agent, as far as its lines and its folder say.
func (s *Stream) IsSubAgent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.isSubAgent()
}

// IsOld reports whether the file was last written so long ago that no line may follow. [Stream.Idle] then closes what is open.
func (s *Stream) IsOld() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.isOld(s.settings.IdleGap)
}

// Close ends the stream: pending events are released and open items closed for reason. At a shutdown, a stream that
// waits for another one returns its output when that is closed, or with [Registry.Close].
func (s *Stream) Close(reason otlp.CloseReason) {
	later := false
	s.work(false, func() {
		s.catchUp(math.MaxInt64)
		s.emit.Suppressed, s.replay.Active = false, false
		s.recordStep(replay.Close, s.sink)
		s.pending.Date(s.clock.FileTime())
		s.release(releaseReady)
		s.family.Notify(s.registry.accounts.EndReading(s.settings.ID))
		if later = s.deferClose(reason); !later {
			s.closeAtEnd(s.lastReason(reason))
		}
		s.emit.Meter.Flush()
	})
	s.work(false, func() { // other accounts of its runs, which waited for their end, have reported what they have
		if s.process.exit == nil && (reason == otlp.CloseReasonTimeout || reason == otlp.CloseReasonTruncated) {
			s.writeAll() // no more output follows
		}
		s.emit.Meter.Flush()
	})
	if !later {
		s.registry.leave(s)
	}
}

// Take returns the output since the last call and clears it.
func (s *Stream) Take() Output {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.own().take()
	out.Counts = s.emit.TakeCounts()
	out.Counts.ForgottenIDs += s.seen.TakeEvicted()
	if !out.Empty() {
		out.Claims = s.share.TakeClaims()
	}
	return out
}

// Exited applies the exit of the process that writes the stream. Call it after the last line and before Close.
func (s *Stream) Exited(e outcome.Exit) { s.work(false, func() { s.exited(e) }) }

func (s *Stream) exited(e outcome.Exit) {
	s.pending.Date(s.clock.FileTime())
	s.release(releaseAll)
	s.process.exit = &e
	s.writeUnwritten()
	at := clock.Moment{At: clock.InstantOf(e.Time), Source: clock.SourceArrival}
	if e.Incomplete && s.run != nil && !s.run.Closed {
		s.apply(e.IncompleteEnd(), s.clock.End(at), pending.Origin{Offset: math.MaxInt64})
	}
	s.emit.Exit(s.run, at, s.process.exit, s.registry.settings.Now())
}

// Raw exports lines unchanged, each as a record tailspan.raw with the line as its body. Several share an offset if they
// were pending until the provider was known.
func (s *Stream) Raw(line Line, lines [][]byte) {
	for i, data := range lines {
		if len(bytes.TrimSpace(data)) > 0 { // a blank line is no content
			s.raw(line, i, data, false)
		}
	}
}

// RawCopy exports a line that was also parsed, marked as a copy. It includes blank lines, so that the copies are the
// complete stream.
func (s *Stream) RawCopy(line Line, data []byte) {
	s.raw(line, -1, data, true)
}

// raw exports a line unless it was exported before, possibly by another stream with the same beginning and position.
func (s *Stream) raw(line Line, index int, data []byte, isCopy bool) {
	at := s.clock.FileTime()
	if line.Live || !at.Known() {
		at = clock.Moment{At: clock.InstantOf(line.Arrival), Source: clock.SourceArrival}
	}
	s.mu.Lock() // a run that another stream releases may change the resource
	defer s.mu.Unlock()
	parts := s.appendRawParts(make([]byte, 0, 256), line, index, data)
	number := s.program.Resource.NextNumber()
	isNew := s.registry.ids.FirstRecord(parts)
	switch {
	case line.Replay:
		return
	case !isNew:
		s.emit.Count().Copied++
		return
	}
	out := work.RecordAt(at, s.registry.settings.Now(), otlp.SpanRef{}, otlp.UIDOf(parts))
	out.Sequence = number
	s.own().AddRaw(s.program.Resource, &out, data, isCopy)
}

// appendRawParts appends the parts of a raw line's identity: the fingerprint of its stream, the pipeline and step, the
// offset, and the content of it and all lines before. Logs of two jobs often begin alike and have lines in common.
func (s *Stream) appendRawParts(buf []byte, line Line, index int, data []byte) []byte {
	pipeline, runID, step, stepID := cicd.Names(s.program.Resource)
	return otlp.AppendParts(buf, otlp.DomainRecord, index, s.program.Agent.Provider, s.program.Fingerprint, pipeline, runID, step, stepID,
		strconv.FormatInt(line.Offset, 10), string(s.rawLines.Next(line.Replay, data)))
}
