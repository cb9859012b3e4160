package agentstreamreceiver

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/hints"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/restated"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/spooled"
	"github.com/tailspan/tailspan/session/emit"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/tail"
	"github.com/tailspan/tailspan/telemetry"
)

var (
	_ tail.Finisher  = (*stream)(nil)
	_ tail.Suspender = (*stream)(nil)
	_ tail.Stateful  = (*stream)(nil)
	_ tail.Waiter    = (*stream)(nil)
	_ spooled.Stream = (*stream)(nil)
)

// stream is one input on its way from lines to acknowledged output.
type stream struct {
	receiver *agentStream
	source   streamSource
	pipeline *pipeline.Pipeline
	framing  pipeline.Framing
	phase    phase
	refused  bool // the last lines were not acknowledged
	counted  counted

	doubt        *hints.Doubt // nil: there is none, or it is settled
	unrecognized unrecognized
	foreign      foreign

	// mu is held while lines are processed, and by the ticker that releases unfinished texts.
	mu       sync.Mutex
	activity activity
	provider atomic.Value // name, once known
	progress progress

	kept     keptState
	exported *restated.Events // for a restated stream whose state is stored; otherwise nil
}

// phase is the state of a stream:
//
//	from       on                                          to
//	----       --                                          --
//	open       [stream.Lines] after [stream.Suspend]       reparsing
//	reparsing  the first line that is not replayed         open
//	any        the end of the file, or of its writer       closed
//	any        no line for idle_close                      idle
//	any        the collector stops, with a storage         detached
type phase uint8

const (
	phaseOpen      phase = iota // lines are processed
	phaseReparsing              // replayed lines go only to the parser
	phaseClosed                 // no line follows
	phaseIdle                   // closed; the file may continue as another stream
	phaseDetached               // stopped without closing its spans
)

// closed reports whether the spans of the stream are closed.
func (p phase) closed() bool { return p == phaseClosed || p == phaseIdle }

// over reports whether no line follows.
func (p phase) over() bool { return p.closed() || p == phaseDetached }

// activity is whether a timer may change a stream.
type activity struct {
	unfinished atomic.Bool // a text of deltas has not ended
	restless   atomic.Bool // lines arrived, and no quiet time has passed since
	moved      time.Time   // arrival of the last lines; guarded by stream.mu
}

// due reports whether a timer may change the stream. Any goroutine may call it.
func (a *activity) due() bool { return a.unfinished.Load() || a.restless.Load() }

// progress is the acknowledged offset of a file of lines.
type progress struct {
	grows    atomic.Bool // it is a file of lines
	accepted atomic.Int64
}

// counted is what metrics and log already cover of a stream.
type counted struct {
	seen   *parser.Stats   // nil before the first count, and while suspended
	kinds  []int64         // events by kind since the last delivery, for one Add per batch instead of per event; nil while suspended
	logged map[string]bool // reasons logged once per file
}

// add counts events.
func (c *counted) add(evs []events.DisplayEvent) {
	if c.kinds == nil {
		c.kinds = make([]int64, len(events.Kinds())+1)
	}
	for i := range evs {
		c.kinds[evs[i].Kind]++
	}
}

// lines adds to the receiver's metrics what the parser of a stream has counted since the last call.
func (c *counted) lines(s *stream) {
	now := s.pipeline.Events().Stats()
	if c.seen == nil {
		c.seen = &parser.Stats{}
	}
	if !s.pipeline.At.Replay {
		s.receiver.meter.Lines(s.pipeline.Events().Provider(), s.unrecognized.passedAs(), c.seen, &now)
	}
	*c.seen = now
}

// once reports whether a reason is logged for the first time for the file.
func (c *counted) once(reason string) bool {
	if c.logged[reason] {
		return false
	}
	if c.logged == nil {
		c.logged = map[string]bool{}
	}
	c.logged[reason] = true
	return true
}

// logCopies writes one debug line for a file whose events another stream exports.
func (c *counted) logCopies(logger *zap.Logger, path string, n *emit.Counts) {
	if n.Copied > 0 && c.once("copied") {
		logger.Debug("skipping copied history, counting further events of it", zap.String("path", path))
	}
	if n.OtherAccount > 0 && c.once("other_account") {
		logger.Debug("skipping events of the session that another stream exports, counting further ones", zap.String("path", path))
	}
}

// streamSource is the part of a source's description that a stream keeps; thousands of streams may be open.
type streamSource struct {
	id, path string
	provider string      // from the settings
	changed  func()      // see [tail.Stream]
	outside  func() bool // see [tail.Stream]
	restated bool
	afresh   bool
	lasting  bool // its state is stored

	checkpoint tail.Checkpoint
}

// Open opens a stream for a file.
func (r *agentStream) Open(_ context.Context, s tail.Stream) (tail.Consumer, error) {
	r.hints.Opened(s.Path, len(r.pattern.Match(s.Path)) > 0, time.Now())
	origin := spooled.Origin{Provider: r.config.Stream.Provider, Identity: r.identity.With(r.fileIdentity(s.Path))}
	st, err := r.newStream(s, origin, r.config.Stream.IdleClose)
	if err != nil {
		return nil, err
	}
	st.progress.accepted.Store(s.Offset)
	st.progress.grows.Store(!s.Restated && !s.Compressed)
	return st, nil
}

// newStream returns a stream. idleGap is the time between two lines after which a run counts as abandoned; 0 for a stream that
// its writer ends.
func (r *agentStream) newStream(s tail.Stream, o spooled.Origin, idleGap time.Duration) (*stream, error) {
	st := &stream{
		receiver: r, doubt: r.hints.Doubt(s.Path, o.Provider),
		source: streamSource{
			id: s.ID, path: s.Path, provider: o.Provider, changed: s.Changed, outside: s.Outside, restated: s.Restated, afresh: s.Afresh,
			lasting: s.Changed != nil, checkpoint: s.Checkpoint,
		},
	}
	if !st.source.lasting {
		st.source.changed = func() {}
	}
	if s.Checkpoint == nil {
		st.source.checkpoint = unstored{}
	}
	if r.config.Stream.Container != config.ContainerNone && !s.Restated { // documents and rows have no framing
		st.framing = pipeline.NewFraming(int(r.config.Stream.MaxLineSize))
	}
	marks := st.restore(s.State)
	outside := r.config.Stream.RawLines && s.Outside != nil && s.Outside() // none of its lines may be exported raw
	settings := pipeline.Settings{
		Events: pipeline.EventSettings{
			Provider: o.Provider, Redactor: r.redactor,
			Inputs:  r.config.Telemetry.Capture.ToolInput || r.config.Telemetry.Capture.Messages,
			Outputs: r.config.Telemetry.Capture.ToolOutput || r.config.Telemetry.Capture.Messages,
		},
		Registry: r.registry, Ambient: r.ambient, InBand: r.config.Identity.InBand, Copies: r.config.Stream.RawLines && !outside,
		Path: st.kept.path,
		Telemetry: telemetry.StreamSettings{
			ID:       s.ID,
			Identity: o.Identity.With(r.pathIdentity(st.kept.path)),
			Parent:   r.parent,
			IdleGap:  idleGap,
			FileTime: s.ModTime,
			State:    st.kept.before,
			Changed:  st.source.changed,

			ExpectedDuration: r.config.Telemetry.ExpectedDuration,
			AwaitExit:        o.AwaitExit,
			Resumed:          o.Resumed,
		},
		OnOpen: st.opened, OnEvents: st.counted.add, OnInvalidParent: func(err error) {
			r.logger.Warn("ignoring invalid traceparent of in-band line", zap.String("path", s.Path), zap.Error(err))
		}, OnDropped: func(n int) { r.inBandDropped(st.source.path, n) }, Discards: func(lines int) bool { return st.unrecognized.discards(st, lines) },
	}
	if s.Restated && st.source.lasting {
		st.exported = restated.New(marks)
		settings.Intercept = st.applyRestated
	}
	var err error
	if st.pipeline, err = pipeline.New(settings); err != nil {
		return nil, err
	}
	r.streams.add(st)
	return st, nil
}

// opened records the provider of the stream.
func (s *stream) opened(provider string) {
	s.provider.Store(provider)
	if provider != "" {
		// As file_log does, and before any debug line about the file.
		s.receiver.logger.Info("following file", zap.String("path", s.source.path), zap.String("provider", provider))
		s.source.outside = nil // no line of the stream is unrecognized
	}
	s.receiver.meter.Behind(s.source.id, provider, -1)
}

// Provider returns the format once it is known. Any goroutine may call it.
func (s *stream) Provider() string {
	name, _ := s.provider.Load().(string)
	return name
}

// inBandDropped counts dropped attributes of the in-band line.
func (r *agentStream) inBandDropped(path string, n int) {
	r.meter.InBand(n)
	r.logger.Warn("dropping attributes of in-band line, see setting in_band",
		zap.String("path", path), zap.Int("dropped", n), zap.String("in_band", r.config.Identity.InBand))
}

// Lines processes lines and returns when every consumer has acknowledged their output. It fails only if ctx ends.
func (s *stream) Lines(ctx context.Context, lines []tail.Line) error {
	_, err := s.process(ctx, lines, false)
	return err
}

// LastLines processes the last available lines and their end, so that what ends with them is one batch with them.
func (s *stream) LastLines(ctx context.Context, lines []tail.Line) (ended bool, err error) {
	return s.process(ctx, lines, true)
}

// Idle processes the end of the available lines.
func (s *stream) Idle(ctx context.Context) error {
	_, err := s.process(ctx, nil, true)
	return err
}

// process processes lines, perhaps the last available ones, and returns when their output was acknowledged. ended is true if it
// processed the end of the available lines, too.
func (s *stream) process(ctx context.Context, lines []tail.Line, last bool) (ended bool, err error) {
	s.lock()
	defer s.mu.Unlock()
	switch {
	case s.foreign.skips(s, lines):
		if lines = nil; !last {
			return false, nil
		}
	case len(lines) > 0:
		if err := s.apply(lines); err != nil || s.phase == phaseReparsing {
			return false, err
		}
	}
	// A sub-agent ends after the acknowledgment of its lines: once it has ended, the stream that started it no longer stores the link.
	if ended = last && (len(lines) == 0 || !s.pipeline.IsSubAgent()); ended {
		s.endReplay()
		if s.pipeline.Idle() {
			s.kept.steps.record(s, timedOld)
			s.counted.lines(s)
		}
	}
	err = s.deliver(ctx, ctx)
	if len(lines) == 0 {
		return ended, err
	}
	if s.refused = err != nil; !s.refused && !lines[len(lines)-1].Replayed {
		s.progress.accepted.Store(lines[len(lines)-1].Next)
	}
	return ended, err
}

// apply applies lines. It fails if a suspended stream can't be resumed.
func (s *stream) apply(lines []tail.Line) error {
	now := time.Now()
	s.activity.moved = now
	s.activity.restless.Store(true)
	if s.pipeline.Suspended() { // its lines are replayed
		s.phase = phaseReparsing
		if err := s.pipeline.Resume(); err != nil {
			return err
		}
	}
	for i := range lines {
		if lines[i].Replayed {
			s.kept.steps.replay(s.pipeline, lines[i].Offset)
		} else {
			s.endReplay()
		}
		s.pipeline.At = telemetry.Line{Offset: lines[i].Offset, Arrival: now, Read: now, Live: lines[i].Live, Replay: lines[i].Replayed}
		if !lines[i].Arrival.IsZero() {
			s.pipeline.At.Arrival = lines[i].Arrival
		}
		for line := range s.framing.Lines(lines[i].Data, lines[i].Abridged) {
			s.line(line)
		}
	}
	s.pipeline.At.Read = time.Time{} // what a timer applies after the last line has a later read time
	s.counted.lines(s)
	return nil
}

// line processes one line, and logs a line that is not parsed.
func (s *stream) line(line pipeline.Line) {
	if line.TooLong {
		if !s.pipeline.At.Replay {
			s.receiver.meter.NotParsed(tail.SkipReasonTooLong.String(), 1)
		}
		if line.Data == nil {
			return
		}
	}
	s.pipeline.Noted = line.Noted
	s.pipeline.Line(line.Data)
	if s.phase == phaseReparsing {
		return
	}
	status := s.pipeline.Events().LineStatus()
	if s.doubt != nil && (s.pipeline.At.Replay || s.doubt.Settled(line.Data, status, s.pipeline.Events().Stats().Ignored)) {
		s.doubt = nil
	}
	unparsed := status == events.LineMalformed || status == events.LineUnknownType
	if unparsed && !s.receiver.config.Stream.RawLines && !s.pipeline.At.Replay && s.counted.once(status.String()) {
		s.receiver.logger.Debug("skipping unparsed line, counting further ones of this file",
			zap.String("path", s.source.path), zap.Int64("offset", s.pipeline.At.Offset), zap.Stringer("reason", status))
	}
	s.activity.unfinished.Store(s.pipeline.Holding())
}

// tick releases unfinished texts after a quiet time, and what the parser keeps pending until a stream is quiet.
func (s *stream) tick(ctx, attempts context.Context) error {
	s.lock()
	defer s.mu.Unlock()
	if s.pipeline.At.Replay || s.phase.over() || s.pipeline.Suspended() {
		return nil // in a replay, or nothing is due
	}
	quiet := s.activity.restless.Load() && time.Since(s.activity.moved) >= s.receiver.config.Stream.ForceFlushPeriod
	if (quiet || s.pipeline.Holding()) && len(s.pipeline.Undelivered()) == 0 && s.source.checkpoint.Covers(ctx, s.progress.accepted.Load()) {
		if quiet {
			s.activity.restless.Store(false)
			if s.pipeline.Quiet() {
				s.kept.steps.record(s, timedQuiet)
			}
		}
		if s.pipeline.Tick() {
			s.kept.steps.record(s, timedTick)
		}
		if s.kept.steps.Unacknowledged > 0 {
			s.storeAhead(ctx, s.kept.steps.into)
		}
	}
	err := s.deliver(ctx, attempts)
	if err == nil && s.kept.ticked {
		s.kept.ticked = false
		s.source.changed()
	}
	return err
}

// fileIdentity returns the name and path of a file, if the settings include them.
func (r *agentStream) fileIdentity(path string) otlp.Identity {
	var attrs []otlp.Attribute
	add := func(key, value string) {
		if r.redactor != nil {
			key, value = r.redactor.Attribute(key, value)
		}
		attrs = append(attrs, otlp.Attribute{Key: key, Value: value})
	}
	if r.config.Stream.IncludeFileName {
		add(otlp.AttrLogFileName, filepath.Base(path))
	}
	if r.config.Stream.IncludeFilePath {
		add(otlp.AttrLogFilePath, path)
	}
	return otlp.NewIdentity(attrs...)
}

// pathIdentity returns the identity in the path of a file.
func (r *agentStream) pathIdentity(path string) otlp.Identity {
	found := r.pattern.Match(path)
	attrs := make([]otlp.Attribute, 0, len(found))
	for _, a := range found {
		if r.redactor != nil {
			a.Key, a.Value = r.redactor.Attribute(a.Key, a.Value)
		}
		attrs = append(attrs, otlp.Attribute{Key: a.Key, Value: a.Value})
	}
	return otlp.NewIdentity(attrs...)
}

// deliver delivers the pending output and the new output of the stream, as [delivery.Delivery.Deliver] does.
func (s *stream) deliver(ctx, attempts context.Context) error {
	return s.deliverTo(func(out *telemetry.Output) error {
		// One write for each run would be too much for the content of existing files.
		if len(out.Claims) > 0 && s.pipeline.At.Live && !s.pipeline.At.Replay {
			s.storeAhead(ctx, func(state *streamState) { state.Telemetry.Owned, state.Telemetry.Claiming = out.Claims, true })
		}
		return s.receiver.out.Deliver(ctx, attempts, out)
	})
}

// deliverTo passes the pending output and the new output of the stream to send.
func (s *stream) deliverTo(send func(*telemetry.Output) error) error {
	s.receiver.meter.Events(s.counted.kinds)
	err := s.pipeline.Deliver(send, func(out *telemetry.Output) {
		if !s.pipeline.At.Replay {
			s.receiver.meter.Counts(out.Counts)
			s.counted.logCopies(s.receiver.logger, s.source.path, &out.Counts)
		}
	})
	if err == nil && !s.pipeline.At.Replay {
		s.kept.behind = true
	}
	return err
}

// Suspend releases the parser state unless something is pending. The source replays the lines before the next one. See
// [pipeline.Pipeline.Suspend].
func (s *stream) Suspend() bool {
	s.lock()
	defer s.mu.Unlock()
	if s.phase.over() || s.refused || len(s.pipeline.Undelivered()) > 0 || s.pipeline.At.Replay || s.kept.steps.left > 0 ||
		s.framing.Pending() || !s.pipeline.Suspend() {
		return false
	}
	s.counted.seen, s.counted.kinds = nil, nil
	s.kept.steps.rewind()
	s.activity.unfinished.Store(false)
	s.activity.restless.Store(false)
	return true
}

// Moved returns when a sub-agent in another stream, which the stream waits for, was last at work.
func (s *stream) Moved() time.Time { return s.pipeline.Moved() }
