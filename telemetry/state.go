package telemetry

import (
	"slices"
	"strconv"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/folder"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/team"
)

// A stream that is resumed after a restart is replayed from its beginning to its offset ([Line.Replay]). Its
// lines contain most of its state; [StreamState] holds the rest: what came by time, and from other streams.

// StreamState is the part of a stream's state that its lines do not contain. It is kept as JSON; the zero value is that of a new stream.
type StreamState struct {
	// Last is the offset of the last line, plus 1; 0 in the zero value.
	Last int64 `json:"last,omitempty"`
	// Pending is the first event that was not exported, if there was one: it, and all behind it, waited.
	Pending *Place `json:"pending,omitempty"`
	// FileTime is the one of the stream's first settings, in Unix nanoseconds.
	FileTime int64 `json:"file_time,omitempty"`
	// Arrivals are when lines without times came.
	Arrivals []clock.Arrival `json:"arrivals,omitempty"`
	// Lived are the lines that were written while the stream was followed, where that matters for idle gaps.
	Lived []clock.Range `json:"lived,omitempty"`
	// RawLines is a hash of the lines that were handed on as they are.
	RawLines []byte `json:"raw_lines,omitempty"`
	// Steps are what was done by time or because of another stream, in order.
	Steps []Step `json:"steps,omitempty"`
	// Foreign are the hashes of runs and agents that another stream was the first with.
	Foreign []uint64 `json:"foreign,omitempty"`
	// Owned are the hashes of runs and agents that this stream was the first with.
	Owned []uint64 `json:"owned,omitempty"`
	// Child is the sub-agent that works in the stream, and its links.
	Child *link.Child `json:"child,omitempty"`
	// Used is what the tasks of it used that are over, each of which counts in the total of its run.
	Used []team.Task `json:"used,omitempty"`
	// Unwritten are the spans of closed runs that wait for sub-agents in other streams.
	Unwritten []otlp.SpanID `json:"unwritten,omitempty"`
	// Needs are the runs of which spans are open yet or wait: what their sub-agents used is asked for again.
	Needs []link.RunID `json:"needs,omitempty"`
	// Agents are the sub-agents of a complete stream whose work is yet to be read, as far as their ids are known: how many files
	// a workflow has is not known, and an agent may have none at all.
	Agents []link.Child `json:"agents,omitempty"`
	// Folder has those of a complete stream that only the folder of its files links to it; nil if there are none.
	Folder *folder.State `json:"folder,omitempty"`
}

// Place is an event: the offset of its line, and which one of the line it is.
type Place struct {
	Offset int64 `json:"offset"`
	Index  int   `json:"index,omitempty"`
}

// Step is something that was done after the line at At, and not because of any line of the stream.
type Step struct {
	At int64    `json:"at"`
	Do StepKind `json:"do"`
	// Run is the key of the run that it was done to, or the number of the task; empty where it was done to all that was open.
	Run string `json:"run,omitempty"`
}

// stepTaken is a step, and whether its output is still unacknowledged.
type stepTaken struct {
	Step
	unaccepted bool
}

// StepKind says what was done.
type StepKind string

// The kinds of steps.
const (
	StepDate  StepKind = "date"  // what waited for a time took that of the file
	StepEnd   StepKind = "end"   // a sub-agent's run was closed, since its call was over
	StepTask  StepKind = "task"  // a task of a sub-agent was closed, since the next one began
	StepTurn  StepKind = "turn"  // a run that had shown its end was closed
	StepOld   StepKind = "old"   // what an old file left open was closed at its end
	StepClose StepKind = "close" // the stream was closed
)

// maxState bounds each list of a state; the oldest are evicted.
const maxState = 256

// State returns what has to be kept of the stream beside its lines. Open is set if something is pending that needs no further
// line of this stream: it has to be replayed after a restart, also if nothing is new in it.
func (s *Stream) State() (state StreamState, open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	file, arrivals, lived := s.clock.State()
	state = StreamState{FileTime: int64(file), Arrivals: arrivals, Lived: lived, RawLines: s.rawLines.kept(), Foreign: slices.Clone(s.claims.Foreign), Owned: slices.Clone(s.claims.Owned), Child: s.childState()}
	if s.replay.fed {
		state.Last = s.replay.lastOffset + 1
	}
	if len(s.pending) > 0 {
		state.Pending = &Place{s.pending[0].origin.offset, s.pending[0].origin.index}
	}
	if s.replay.inFlight != nil {
		first := s.replay.inFlight.first
		state.Pending = &first
	}
	open = len(s.pending) > 0 || s.replay.inFlight != nil || s.run != nil && !s.run.closed || len(s.open.agents) > 0
	for _, r := range s.open.lingering {
		open = open || len(r.calls.open) > 0
	}
	for _, step := range s.replay.steps {
		if step.unaccepted {
			open = true
			continue
		}
		state.Steps = append(state.Steps, step.Step)
	}
	if r := s.run; r.isChild() {
		state.Used = r.ref.Team.Tasks(r.childKey.Member(), r.closed, s.settings.Group)
	}
	state.Unwritten, state.Needs = s.unwrittenSpans(), s.needs()
	open = open || len(state.Unwritten) > 0
	if !open { // else its lines are replayed, with the same result
		s.keepLinks(&state)
	}
	return state, open || s.run != nil && s.run.inPipeline && s.registry.pipelinePending(s.run.resource)
}

// Waiting is how many of the last events that were fed are pending.
func (s *Stream) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.replay.inFlight != nil {
		return len(s.pending) + s.replay.inFlight.events
	}
	return len(s.pending)
}

// restore restores an earlier state of the stream.
func (s *Stream) restore(state *StreamState) {
	s.clock.Restore(clock.Instant(state.FileTime), state.Arrivals, state.Lived)
	if len(state.RawLines) > 0 {
		s.rawLines = &rawChain{sum: slices.Clone(state.RawLines)}
	}
	s.claims = account.Claims{Owned: slices.Clone(state.Owned), Foreign: slices.Clone(state.Foreign)}
	for _, step := range state.Steps {
		s.replay.steps = append(s.replay.steps, &stepTaken{Step: step})
	}
	s.replay.stepsLeft = len(s.replay.steps)
	if len(state.Unwritten) > 0 {
		s.spans = &spanWaits{unwritten: slices.Clone(state.Unwritten)}
	}
	s.replay.restored, s.replay.pendingFrom = state.Last > 0, state.Pending
	if state.Child != nil {
		s.registry.links.Restore(state.Child)
	}
}

// replay is where a stream is that goes on with an earlier state: its lines are replayed, and its steps repeated between them.
type replay struct {
	restored     bool  // the stream was opened with a state
	active       bool  // its lines are being replayed
	lastReplayed bool  // the last event that was applied was replayed
	fed          bool  // a line came
	lastOffset   int64 // of the last line
	// steps are what was done by time; the last stepsLeft of them are yet to be repeated.
	steps       []*stepTaken
	stepsLeft   int
	pendingFrom *Place    // the first event that was pending; nil: none was
	inFlight    *inFlight // nil: there are none
}

// wasDelivered reports whether an event of a replayed line was exported before: it was, unless it waited for something then.
func (r *replay) wasDelivered(o origin) bool {
	return r.pendingFrom == nil || o.offset < r.pendingFrom.Offset || o.offset == r.pendingFrom.Offset && o.index < r.pendingFrom.Index
}

// catchUp repeats, without export, what was done before the line at offset came.
func (s *Stream) catchUp(offset int64) {
	for s.replay.stepsLeft > 0 {
		step := s.replay.steps[len(s.replay.steps)-s.replay.stepsLeft]
		if step.At >= offset {
			return
		}
		s.replay.stepsLeft--
		s.suppressed = true
		switch step.Do {
		case StepDate:
			s.pending.date(s.clock.GuessFile())
			s.release(releaseReady)
		case StepEnd:
			if s.run != nil && !s.run.closed {
				s.closeRun(s.run, otlp.CloseReasonResult)
			}
		case StepTask:
			if r := s.run; r != nil && !r.closed && r.subAgent && strconv.Itoa(r.childKey.Task) == step.Run {
				s.closeRun(r, otlp.CloseReasonResult)
			}
		case StepTurn:
			if s.run != nil && !s.run.closed && s.run.key == step.Run {
				s.closeRun(s.run, otlp.CloseReasonTimeout)
			}
		case StepOld:
			s.closeAtEnd(otlp.CloseReasonTimeout)
		case StepClose:
			s.close(otlp.CloseReasonTimeout)
		}
	}
}

// inFlight are hand-overs of other streams that have events of a stream.
type inFlight struct {
	handOvers int
	events    int   // how many those are
	first     Place // of them
}

// done notes a step that no line of the stream causes. Its output goes into a batch, and it counts as done when that was acknowledged.
func (s *Stream) done(do StepKind, into *batch) { s.doneWith("", do, into) }

// doneWith notes a step that was done to the run with a key.
func (s *Stream) doneWith(run string, do StepKind, into *batch) {
	step := &stepTaken{Step{At: s.replay.lastOffset, Do: do, Run: run}, true}
	s.replay.steps = append(s.replay.steps, step)
	if drop := len(s.replay.steps) - maxState; drop > 0 {
		s.replay.steps = slices.Delete(s.replay.steps, 0, drop)
	}
	into.steps = append(into.steps, sentStep{s, step})
}

// sentStep is a step whose output is not acknowledged yet; without a step, events that another stream
// exported.
type sentStep struct {
	stream *Stream
	step   *stepTaken
}

func (s *Stream) accepted(step *stepTaken) {
	s.mu.Lock()
	if step != nil {
		step.unaccepted = false
		s.spansAccepted()
	} else if s.replay.inFlight.handOvers--; s.replay.inFlight.handOvers == 0 {
		s.replay.inFlight = nil
	}
	s.mu.Unlock()
	if s.settings.Changed != nil {
		s.settings.Changed()
	}
}

// Detach stops the stream without closing its spans, for a later process to go on with.
func (s *Stream) Detach() {
	s.dropSpans()
	s.registry.timers.Stop(waitParent, s)
	s.registry.timers.Stop(waitProgress, s)
	s.registry.timers.Stop(waitEnd, s)
	s.registry.leave(s)
}
