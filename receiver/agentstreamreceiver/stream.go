package agentstreamreceiver

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/fold"
	"github.com/tailspan/tailspan/source"
	"github.com/tailspan/tailspan/telemetry"
)

// stream is one file on its way from lines to what the consumers have accepted.
type stream struct {
	receiver *agentStream
	source   streamSource
	doubt    *doubt // nil: there is none, or not any more
	fold     *fold.Stream
	pending  []telemetry.Output
	seen     *parser.Stats   // what was counted already; nil before anything was, and while it rests
	kinds    []int64         // events since the last hand-over, by kind: an instrument is not for every event; nil while it rests
	logged   map[string]bool // reasons that were logged, once for the file

	unrecognized unrecognized
	framing      framing

	// mu is held while lines are at work, and by the ticker that lets unfinished texts go.
	mu         sync.Mutex
	unfinished atomic.Bool  // a text in pieces has not ended
	restless   atomic.Bool  // lines came, and the stream was not quiet for long since
	provider   atomic.Value // its name, once known
	grows      atomic.Bool  // it is a file of lines, of which so many bytes were accepted:
	accepted   atomic.Int64
	moved      time.Time // when the last lines came

	kept      keptState
	given     *given // of a restated stream whose position is kept; else nil
	value     []byte
	owes      bool
	ticked    bool // time did something since the state was asked for
	refused   bool // the last lines were not accepted
	closed    bool
	idled     bool // closed, since it was idle
	rereading bool // lines come again that only the parser has to hear; see [stream.Rest]
	suspended bool
	lasting   bool // its position is kept over a restart
	database  bool // it holds no lines; see [stream.skipDatabase]
}

// streamSource is what a stream needs of its source for as long as it lasts: thousands of streams may be open.
type streamSource struct {
	id, path string
	provider string      // that the settings name
	changed  func()      // see [source.Stream]
	outside  func() bool // see [source.Stream]
	restated bool
	afresh   bool
}

// streamOrigin says what the settings tell of a stream.
type streamOrigin struct {
	provider  string
	identity  telemetry.Identity
	awaitExit bool // it is the output of a process of ours
	resumed   bool // that goes on with an earlier session
	// idleGap is the time between two lines after which the stream counts as left; 0 for one whose writer is at work
	// until its end is told.
	idleGap time.Duration
}

// Open takes a file.
func (r *agentStream) Open(_ context.Context, s source.Stream) (source.Consumer, error) {
	r.adviser.opened(s.Path, len(r.pattern.Match(s.Path)) > 0, time.Now())
	st, err := r.newStream(s, streamOrigin{
		provider: r.config.Stream.Provider, identity: r.identity, idleGap: r.config.Stream.IdleClose,
	})
	if err != nil {
		return nil, err
	}
	st.accepted.Store(s.Offset)
	st.grows.Store(!s.Restated && !s.Compressed)
	return st, nil
}

func (r *agentStream) newStream(s source.Stream, o streamOrigin) (*stream, error) {
	st := &stream{
		receiver: r, doubt: newDoubt(o.provider), framing: framing{newUnwrapper(&r.config.Stream, &s)},
		source: streamSource{s.ID, s.Path, o.provider, s.Changed, s.Outside, s.Restated, s.Afresh},
	}
	if st.lasting = s.Changed != nil; !st.lasting {
		st.source.changed = func() {}
	}
	marks := st.restore(s.State)
	outside := r.config.Stream.RawLines && s.Outside != nil && s.Outside() // no line of it passes as it is
	settings := fold.Settings{
		Provider: o.provider, Registry: r.registry, Redactor: r.redactor, Ambient: r.ambient, InBand: r.config.Identity.InBand, Copies: r.config.Stream.RawLines && !outside,
		Path:    st.kept.path,
		Inputs:  r.config.Telemetry.Capture.ToolInput || r.config.Telemetry.Capture.Messages,
		Outputs: r.config.Telemetry.Capture.ToolOutput || r.config.Telemetry.Capture.Messages,
		Telemetry: telemetry.StreamSettings{
			ID:       s.ID,
			Identity: o.identity.With(r.pathIdentity(st.kept.path)),
			Parent:   r.parent,
			IdleGap:  o.idleGap,
			FileTime: s.ModTime,
			State:    st.kept.before,
			Changed:  st.source.changed,

			ExpectedDuration: r.config.Telemetry.ExpectedDuration,
			AwaitExit:        o.awaitExit,
			Resumed:          o.resumed,
		},
		Opened: st.opened, Told: st.countEvents, Refused: st.parentRefused, Dropped: st.inBandDropped, Discards: func(lines int) bool { return st.unrecognized.discards(st, lines) },
	}
	if s.Restated && st.lasting {
		st.given = newGiven(marks)
		settings.Take = st.takeRestated
	}
	var err error
	if st.fold, err = fold.New(settings); err != nil {
		return nil, err
	}
	r.streams.add(st)
	return st, nil
}

// opened notes who writes the stream.
func (s *stream) opened(provider string) {
	s.provider.Store(provider)
	if provider != "" {
		s.source.outside = nil // no line of the stream is unrecognized
	}
	s.receiver.meter.behind(s.source.id, provider, -1)
}

func (s *stream) countEvents(evs []events.DisplayEvent) {
	if s.kinds == nil {
		s.kinds = make([]int64, len(s.receiver.meter.kinds)+1)
	}
	for i := range evs {
		s.kinds[evs[i].Kind]++
	}
}

func (s *stream) parentRefused(err error) {
	s.receiver.logger.Warn("traceparent of the stream's first line not understood", zap.String("path", s.source.path), zap.Error(err))
}

// inBandDropped counts attributes of the stream's first line that are not taken.
func (s *stream) inBandDropped(n int) {
	s.receiver.meter.inBand(n)
	s.receiver.logger.Warn("dropping attributes of in-band line, see setting in_band",
		zap.String("path", s.source.path), zap.Int("dropped", n), zap.String("in_band", s.receiver.config.Identity.InBand))
}

// Lines folds the lines and returns when every consumer has accepted what they gave. It fails only when ctx ends.
func (s *stream) Lines(ctx context.Context, lines []source.Line) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.skipDatabase(lines) {
		return nil
	}
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
		s.fold.At = telemetry.Line{Offset: lines[i].Offset, Arrival: now, Read: now, Live: lines[i].Live, Replay: lines[i].Replayed}
		if !lines[i].Arrival.IsZero() {
			s.fold.At.Arrival = lines[i].Arrival
		}
		s.framing.read(&lines[i], s)
	}
	s.fold.At.Read = time.Time{} // what is folded later at the place of the last line is seen later
	s.count()
	if s.rereading {
		return nil
	}
	err := s.handOn(ctx)
	if s.refused = err != nil; !s.refused && len(lines) > 0 && !lines[len(lines)-1].Replayed {
		s.accepted.Store(lines[len(lines)-1].Next)
	}
	return err
}

// line takes one line, and tells of one that is not understood.
func (s *stream) line(data []byte, noted parser.Noted) {
	s.fold.Noted = noted
	s.fold.Line(data)
	if s.rereading {
		return
	}
	status := s.fold.LineStatus()
	s.consider(data, status)
	if !s.receiver.config.Stream.RawLines {
		s.tell(status)
	}
	s.unfinished.Store(s.fold.Holding())
}

// tooLong counts a line that is joined and longer than the limit.
func (s *stream) tooLong() {
	if !s.fold.At.Replay {
		s.receiver.meter.notParsed(source.SkipReasonTooLong.String(), 1)
	}
}

// tick lets texts go that were quiet for long enough, and then what the parser holds back until a stream is quiet.
func (s *stream) tick(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fold.At.Replay || s.closed || s.suspended || s.fold.Resting() {
		return nil // it is being replayed to, or nothing can be due
	}
	if s.restless.Load() && time.Since(s.moved) >= s.receiver.config.Stream.IdleFlush {
		s.restless.Store(false)
		if s.fold.Quiet() {
			s.did(timedQuiet)
		}
	}
	if s.fold.Tick() {
		s.did(timedTick)
	}
	err := s.handOn(ctx)
	if err == nil && s.ticked {
		s.ticked = false
		s.source.changed()
	}
	return err
}

// pathIdentity is what the path of a file tells.
func (r *agentStream) pathIdentity(path string) telemetry.Identity {
	found := r.pattern.Match(path)
	attrs := make([]telemetry.Attribute, 0, len(found))
	for _, a := range found {
		if r.redactor != nil {
			a.Key, a.Value = r.redactor.Attribute(a.Key, a.Value)
		}
		attrs = append(attrs, telemetry.Attribute{Key: a.Key, Value: a.Value})
	}
	return telemetry.NewIdentity(attrs...)
}

// tell writes one debug line for a file and reason, not one for each line.
func (s *stream) tell(status events.LineStatus) {
	switch status {
	case events.LineMalformed, events.LineUnknownType:
		if !s.fold.At.Replay && s.once(status.String()) {
			s.receiver.logger.Debug("line not understood, further ones of this file are only counted",
				zap.String("path", s.source.path), zap.Int64("offset", s.fold.At.Offset), zap.Stringer("reason", status))
		}
	}
}

// tellCopies writes one debug line for a file whose events another stream exports, or their original.
func (s *stream) tellCopies(c *telemetry.Counts) {
	if c.Copied > 0 && s.once("copied") {
		s.receiver.logger.Debug("skipping copied history, further events of it are only counted", zap.String("path", s.source.path))
	}
	if c.OtherAccount > 0 && s.once("other_account") {
		s.receiver.logger.Debug("skipping what another stream exports of the session, further events are only counted", zap.String("path", s.source.path))
	}
}

// once reports whether a reason was not logged for the file before.
func (s *stream) once(reason string) bool {
	if s.logged[reason] {
		return false
	}
	if s.logged == nil {
		s.logged = map[string]bool{}
	}
	s.logged[reason] = true
	return true
}

// count adds to the receiver's metrics what the parser counted since the last call.
func (s *stream) count() {
	now := s.fold.Stats()
	if r := s.receiver.redactor; r != nil {
		now.UnknownTypes = r.Keys(now.UnknownTypes)
	}
	if s.seen == nil {
		s.seen = &parser.Stats{}
	}
	if !s.fold.At.Replay {
		s.receiver.meter.lines(s.fold.Provider(), s.unrecognized.passedAs(), s.seen, &now)
	}
	*s.seen = now
}

// handOn delivers what the fold has, and what could not be delivered before.
func (s *stream) handOn(ctx context.Context) error {
	s.receiver.meter.events(s.kinds)
	for _, out := range s.fold.Take() {
		if !s.fold.At.Replay {
			s.receiver.meter.counts(out.Counts)
			s.tellCopies(&out.Counts)
		}
		s.pending = append(s.pending, out)
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
	if !s.fold.At.Replay {
		s.keep()
	}
	return nil
}

// Idle tells the fold that all that was there has been read.
func (s *stream) Idle(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.awake()
	s.fold.Idle()
	return s.handOn(ctx)
}
