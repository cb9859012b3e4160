package render

import (
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/label"
	"github.com/tailspan/tailspan/render/internal/throttle"
	"github.com/tailspan/tailspan/render/style"
)

// Log is one output that several streams share: steps that run at the same time, or the sessions that a collector
// receives. Each stream has its own Renderer; lines of two streams never join. In the activity style the Log throttles
// tool lines.
//
// Several goroutines may use a Log and its streams. Its only goroutines are the timers of its throttle, which write a
// held line; [Stream.Close] leaves none behind.
type Log struct {
	settings  Settings
	throttle  ThrottleSettings
	terminal  *Terminal
	introduce bool

	mu     sync.Mutex
	text   shared
	lines  shared
	labels label.Set
	gates  map[string]*sharedGate // by step or stream, or one for all
	opened int                    // number of throttled streams opened so far
}

// headings reports whether a heading names the stream when it changes: in the styles of verbose mode that do not name it
// in each line, and in default mode if the streams are introduced.
func (l *Log) headings() bool {
	return l.settings.Mode == ModeVerbose && !l.settings.activity() || l.settings.Mode == ModeDefault && l.introduce
}

// sharedGate is a gate and the number of streams that use it.
type sharedGate struct {
	throttle.Gate
	users int
}

// LogSettings says how a Log renders.
type LogSettings struct {
	Settings
	Throttle ThrottleSettings
	// Introduce makes a heading name the first stream too, for an output that will have several. Default mode has headings only
	// with it. It has no effect in the activity style, which names the step in each line.
	Introduce bool
	// Terminal, if not nil, shows in its status line what the streams are doing. The caller closes it, after the streams.
	Terminal *Terminal
}

// NewLog returns a Log that writes to w. It does not close w.
func NewLog(w io.Writer, s LogSettings) *Log {
	if s.Throttle.Interval == 0 {
		s.Throttle.Interval = defaultInterval
	}
	return &Log{
		settings: s.Settings, throttle: s.Throttle, terminal: s.Terminal, introduce: s.Introduce,
		text: shared{w: w}, lines: shared{w: s.Lines}, gates: map[string]*sharedGate{},
	}
}

// Stream is one stream of a Log: an [events.Sink] that must be closed.
type Stream struct {
	log      *Log
	label    *label.Label
	renderer *Renderer
	throttle *throttle.Throttle // nil if nothing is throttled
	gateKey  string
	status   events.Sink
	closed   bool
}

// Open adds a stream.
func (l *Log) Open(o Origin) *Stream {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &Stream{log: l, label: l.labels.Add(o.identity()), status: events.Discard}
	text, lines := &turn{of: &l.text}, &turn{of: &l.lines}
	settings := l.settings
	headed := text
	if settings.Lines != nil {
		settings.Lines = lines
		headed = lines
	}
	s.renderer = newRenderer(text, settings, o, s.label)
	text.page, lines.page = &s.renderer.page, s.renderer.side
	if l.headings() {
		headed.label, headed.labels, headed.introduce = s.label, &l.labels, l.introduce
	}
	if l.terminal != nil {
		s.status = l.terminal.Watch(o.Step, settings.complete().NewAccount())
	}
	if settings.activity() && l.throttle.Interval > 0 {
		s.throttle = l.newThrottle(s)
	}
	return s
}

// newThrottle returns the throttle of a stream. A stream without a step counts as a separate step.
func (l *Log) newThrottle(s *Stream) *throttle.Throttle {
	l.opened++
	step := "stream " + strconv.Itoa(l.opened)
	if s.label.Named() && s.label.Identity.NamesStep() {
		step = fmt.Sprintf("step %q", s.label.Identity)
	}
	if s.gateKey = step; l.throttle.Scope == ThrottleScopeOutput {
		s.gateKey = "output"
	}
	g := l.gates[s.gateKey]
	if g == nil {
		g = &sharedGate{Gate: throttle.Gate{
			Interval: l.throttle.Interval, ByEventTime: l.throttle.ByEventTime, Clock: l.settings.Now != nil,
		}}
		l.gates[s.gateKey] = g
	}
	g.users++
	return &throttle.Throttle{Gate: &g.Gate, Step: step, Next: events.FuncSink(s.show), Action: func(e *events.DisplayEvent) style.Action {
		return style.ActivityAction(e, l.settings.Reasoning, l.settings.Results)
	}}
}

// Emit renders one event. [Stream.Err] reports a failed write, after which the stream writes nothing more.
func (s *Stream) Emit(e *events.DisplayEvent) {
	s.status.Emit(e)
	defer s.renderer.memory.Release()
	s.log.mu.Lock()
	e = s.renderer.memory.Take(e)
	if s.throttle == nil {
		s.renderer.show(e)
		s.log.mu.Unlock()
		return
	}
	s.log.mu.Unlock()
	// The throttle takes its own lock first and then that of the log, as its timer does.
	s.throttle.Emit(e)
}

// show renders an event that passed the throttle.
func (s *Stream) show(e *events.DisplayEvent) {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	s.renderer.show(e)
}

// PassThrough writes a line of a stream that no parser knows: see [Renderer.PassThrough].
func (s *Stream) PassThrough(line []byte) { s.write(line, s.renderer.PassThrough) }

// Raw writes an input line unchanged: see [Renderer.Raw].
func (s *Stream) Raw(line []byte) { s.write(line, s.renderer.Raw) }

func (s *Stream) write(line []byte, as func([]byte)) {
	if s.throttle != nil {
		s.throttle.Flush()
	}
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	as(line)
}

// SetAgent sets the name of the agent or its program, once it is known; see [Origin].
func (s *Stream) SetAgent(name string) {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	s.renderer.pen.Agent = name
}

// Close writes what is held, ends an unfinished text, summarizes a run that has not ended, and returns [Stream.Err].
// Further calls do nothing.
func (s *Stream) Close() error { return s.end((*Renderer).Close) }

// Stop is [Stream.Close] for a stream that continues without being shown: see [Renderer.Stop].
func (s *Stream) Stop() error { return s.end((*Renderer).Stop) }

// end closes or stops the stream; by ends the renderer.
func (s *Stream) end(by func(*Renderer) error) error {
	if s.throttle != nil {
		s.throttle.Flush()
	}
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	if s.closed {
		return s.renderer.Err()
	}
	s.closed = true
	if g := s.log.gates[s.gateKey]; g != nil {
		if g.users--; g.users == 0 {
			delete(s.log.gates, s.gateKey)
		}
	}
	s.log.labels.Remove(s.label)
	if c, ok := s.status.(io.Closer); ok {
		_ = c.Close() // closing a status line never fails
	}
	err := by(s.renderer)
	s.log.text.leave(&s.renderer.page)
	s.log.lines.leave(s.renderer.side)
	return err
}

// Err returns the first failed write, or nil.
func (s *Stream) Err() error {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	return s.renderer.Err()
}
