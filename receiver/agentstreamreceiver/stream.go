package agentstreamreceiver

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/source"
	"github.com/tailspan/tailspan/telemetry"
)

// stream is one file on its way from lines to spans and records.
type stream struct {
	receiver *agentStream
	source   source.Stream
	lines                      // nil while the stream rests
	fold     *telemetry.Stream // nil until the provider is known
	pending  []telemetry.Output
	seen     parser.Stats // what was counted already
	told     map[events.LineStatus]bool
	last     telemetry.Line

	// mu is held while lines are at work, and by the ticker that lets unfinished texts go.
	mu         sync.Mutex
	unfinished atomic.Bool  // a text in pieces has not ended
	restless   atomic.Bool  // lines came, and the stream was not quiet for long since
	provider   atomic.Value // its name, once known
	moved      time.Time    // when the last lines came

	// What is kept for a later opening of the file; see [streamState]. The last timedLeft steps are yet to be done again.
	kept      streamState
	timedLeft int
	given     *given // of a restated stream whose position is kept; else nil
	value     []byte
	owes      bool
	ticked    bool // time did something since the state was asked for
	refused   bool // the last lines were not accepted
	rereading bool // lines come again that only the parser has to hear; see [stream.Rest]
	closed    bool
	idled     bool // closed, since it was idle
	suspended bool
	lasting   bool // its position is kept over a restart

	origin streamOrigin

	// What the stream's first line tells in our own words; see [config.InBand].
	inBand telemetry.Identity
	parent telemetry.Parent
	begun  bool
}

// streamOrigin says what the settings tell of a stream.
type streamOrigin struct {
	provider  string
	identity  telemetry.Identity
	awaitExit bool // it is the output of a process of ours
}

// Open takes a file.
func (r *agentStream) Open(_ context.Context, s source.Stream) (source.Consumer, error) {
	st, err := r.newStream(s, streamOrigin{provider: r.config.Stream.Provider, identity: r.identity})
	if err != nil {
		return nil, err
	}
	return st, nil
}

func (r *agentStream) newStream(s source.Stream, o streamOrigin) (*stream, error) {
	l, err := r.newLines(o.provider)
	if err != nil {
		return nil, err
	}
	st := &stream{receiver: r, source: s, lines: l, parent: r.parent, origin: o}
	if st.lasting = s.Changed != nil; !st.lasting {
		st.source.Changed = func() {}
	}
	st.kept.Path = s.Path
	st.restore()
	if s.Restated && st.lasting {
		st.given = newGiven(st.kept.Given)
	}
	r.streams.add(st)
	return st, nil
}

// Lines folds the lines and returns when every consumer has accepted what they gave. It fails only when ctx ends.
func (s *stream) Lines(ctx context.Context, lines []source.Line) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.moved = now
	s.restless.Store(true)
	if err := s.rise(); err != nil {
		return err
	}
	for i := range lines {
		if lines[i].Replayed {
			s.catchUp(lines[i].Offset)
		} else {
			s.awake()
		}
		s.last = telemetry.Line{Offset: lines[i].Offset, Arrival: now, Live: lines[i].Live, Silent: lines[i].Replayed}
		if !lines[i].Arrival.IsZero() {
			s.last.Arrival = lines[i].Arrival
		}
		s.line(lines[i].Data)
	}
	s.count()
	if s.rereading {
		return nil
	}
	err := s.handOn(ctx)
	s.refused = err != nil
	return err
}

// line parses one line and folds what it tells.
func (s *stream) line(data []byte) {
	if !s.begun {
		s.begun = true
		if s.readInBand(data) {
			return
		}
	}
	evs := s.events.ParseEvents(data)
	if s.rereading {
		return
	}
	s.pass(s.parser.Raw())
	s.take(evs)
	if status := s.parser.LineStatus(); s.receiver.config.Stream.RawLines && status != events.LinePassed {
		s.open()
		s.fold.RawCopy(s.last, data)
	} else {
		s.tell(status)
	}
	s.unfinished.Store(s.joiner.Holding())
}

// pass hands on the lines that belong to no known provider.
func (s *stream) pass(raw [][]byte) {
	if len(raw) == 0 {
		return
	}
	s.open()
	if r := s.receiver.redactor; r != nil {
		for i := range raw {
			raw[i] = r.Bytes(raw[i])
		}
	}
	s.fold.Raw(s.last, raw)
}

// take folds events.
func (s *stream) take(evs []events.DisplayEvent) {
	if len(evs) == 0 || s.rereading {
		return
	}
	if s.given != nil {
		s.takeRestated(evs)
		return
	}
	s.feed(s.last, evs)
}

func (s *stream) feed(line telemetry.Line, evs []events.DisplayEvent) {
	if len(evs) == 0 {
		return
	}
	s.open()
	s.fold.Feed(line, evs)
	if !line.Silent {
		s.receiver.meter.events(evs)
	}
}

// tick lets texts go that were quiet for long enough, and then what the parser holds back until a stream is quiet.
func (s *stream) tick(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last.Silent || s.closed || s.suspended || s.resting() {
		return nil // it is being replayed to, or nothing can be due
	}
	if s.restless.Load() && time.Since(s.moved) >= s.receiver.config.Stream.IdleFlush {
		s.restless.Store(false)
		evs := s.parser.Quiet()
		for i := range evs {
			if r := s.receiver.redactor; r != nil {
				r.Event(&evs[i])
			}
		}
		if len(evs) > 0 {
			s.did(timedQuiet)
		}
		s.take(evs)
	}
	if t, ok := s.events.(interface {
		Tick() []events.DisplayEvent
	}); ok {
		evs := t.Tick()
		if len(evs) > 0 {
			s.did(timedTick)
		}
		s.take(evs)
	}
	err := s.handOn(ctx)
	if err == nil && s.ticked {
		s.ticked = false
		s.source.Changed()
	}
	return err
}

// readInBand takes a first line that tells identity and parent.
func (s *stream) readInBand(data []byte) bool {
	inBand, ok := config.ParseInBand(data)
	if !ok || s.rereading {
		return ok
	}
	attrs := make([]telemetry.Attribute, 0, len(inBand.Attributes))
	for key, value := range inBand.Attributes {
		attrs = append(attrs, telemetry.Attribute{Key: key, Value: value})
	}
	s.inBand = telemetry.NewIdentity(attrs...)
	if parent, err := telemetry.ParseTraceParent(inBand.TraceParent); err != nil {
		s.receiver.logger.Warn("traceparent of the stream's first line not understood", zap.String("path", s.source.Path), zap.Error(err))
	} else if !parent.Empty() && s.receiver.parent.Empty() {
		s.parent = parent
	}
	return true
}

// open begins the fold, as soon as the provider is known.
func (s *stream) open() {
	if s.fold != nil {
		return
	}
	info := parser.InfoOf(s.parser.Provider())
	s.provider.Store(info.Name)
	s.receiver.meter.behind(s.source.ID, info.Name, -1)
	s.fold = s.receiver.registry.Open(telemetry.StreamSettings{
		ID:       s.source.ID,
		Agent:    telemetry.Agent{Provider: info.Name, ServiceName: info.ServiceName, System: info.System},
		Identity: s.origin.identity.With(s.pathIdentity()).With(s.inBand).With(s.receiver.ambient),
		Parent:   s.parent,
		FileTime: s.source.ModTime,
		State:    s.kept.Fold,
		Changed:  s.source.Changed,

		ExpectedDuration: s.receiver.config.Telemetry.ExpectedDuration,
		AwaitExit:        s.origin.awaitExit,
	})
}

// pathIdentity is what the path of the file tells.
func (s *stream) pathIdentity() telemetry.Identity {
	found := s.receiver.pattern.Match(s.kept.Path)
	attrs := make([]telemetry.Attribute, 0, len(found))
	for _, a := range found {
		attrs = append(attrs, telemetry.Attribute{Key: a.Key, Value: a.Value})
	}
	return telemetry.NewIdentity(attrs...)
}

// tell writes one debug line for a file and reason, not one for each line.
func (s *stream) tell(status events.LineStatus) {
	switch status {
	case events.LineMalformed, events.LineUnknownType:
		if !s.told[status] && !s.last.Silent {
			if s.told == nil {
				s.told = map[events.LineStatus]bool{}
			}
			s.told[status] = true
			s.receiver.logger.Debug("line not understood, further ones of this file are only counted",
				zap.String("path", s.source.Path), zap.Int64("offset", s.last.Offset), zap.Stringer("reason", status))
		}
	}
}

// count adds to the receiver's metrics what the parser counted since the last call.
func (s *stream) count() {
	now := s.parser.Stats()
	if s.last.Silent {
		s.seen = now
		return
	}
	s.receiver.meter.lines(s.parser.Provider(), s.seen, now)
	s.seen = now
}

// handOn delivers what the fold has, and what could not be delivered before.
func (s *stream) handOn(ctx context.Context) error {
	if s.fold != nil {
		if out := s.fold.Take(); !out.Empty() || out.Counts != (telemetry.Counts{}) {
			if !s.last.Silent {
				s.receiver.meter.counts(out.Counts)
			}
			s.pending = append(s.pending, out)
		}
	}
	for len(s.pending) > 0 {
		if err := s.receiver.out.deliver(ctx, &s.pending[0]); err != nil {
			return err
		}
		s.pending[0].Accepted()
		s.pending[0] = telemetry.Output{} // what it held is not ours to keep
		s.pending = s.pending[1:]
	}
	s.pending = nil
	if !s.last.Silent {
		s.keep()
	}
	return nil
}

// Idle tells the fold that all that was there has been read.
func (s *stream) Idle(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.awake()
	if s.fold != nil {
		s.fold.Idle()
	}
	return s.handOn(ctx)
}

// Close ends the fold for the reason that the source gives.
func (s *stream) Close(ctx context.Context, reason source.CloseReason) error {
	ctx, cancel := s.receiver.finalContext(ctx, reason)
	defer cancel()
	s.receiver.streams.remove(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	if reason == source.CloseReasonShutdown && s.receiver.storage != nil && s.lasting {
		return s.suspend(ctx)
	}
	s.awake()
	s.did(timedFlush)
	s.flush()
	if s.fold != nil {
		s.fold.Close(closeReason(reason))
	}
	s.closed, s.idled = true, reason == source.CloseReasonIdle
	if err := s.handOn(ctx); err != nil {
		return fmt.Errorf("deliver last spans of %q: %w", s.source.Path, err)
	}
	return nil
}

// flush takes what an ended stream still owes.
func (s *stream) flush() {
	if s.resting() || s.rereading {
		return // it owed nothing when it began to rest
	}
	if f, ok := s.events.(events.Flusher); ok {
		evs := f.Flush()
		s.pass(s.parser.Raw())
		s.take(evs)
	}
	s.count()
}

// exited ends the fold as the process has ended that wrote the stream.
func (s *stream) exited(ctx context.Context, e *telemetry.Exit) error {
	s.receiver.streams.remove(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush()
	s.open()
	e.Incomplete = s.parser.Incomplete()
	s.fold.Exited(*e)
	s.fold.Close(e.Reason())
	if err := s.handOn(ctx); err != nil {
		return fmt.Errorf("deliver last spans of %q: %w", s.source.Path, err)
	}
	return nil
}

// suspend ends the fold and leaves open what is open, for the next process. What lines gave that were not accepted is
// left out: those lines come again.
func (s *stream) suspend(ctx context.Context) error {
	var err error
	if !s.refused {
		err = s.handOn(ctx)
	}
	s.suspended = true
	if s.fold != nil {
		s.fold.Suspend()
	}
	if err != nil {
		return fmt.Errorf("deliver last spans of %q: %w", s.source.Path, err)
	}
	return nil
}

// closeReason says why spans end that are open when a file does.
func closeReason(reason source.CloseReason) telemetry.CloseReason {
	switch reason {
	case source.CloseReasonEnd:
		return telemetry.CloseReasonNoResult
	case source.CloseReasonIdle:
		return telemetry.CloseReasonTimeout
	case source.CloseReasonShutdown:
		return telemetry.CloseReasonShutdown
	default:
		return telemetry.CloseReasonTruncated
	}
}
