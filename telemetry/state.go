package telemetry

import (
	"slices"
	"strconv"
	"time"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/folder"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/pending"
	"github.com/tailspan/tailspan/session/team"
)

// After a restart a stream is replayed from its beginning to its offset ([Line.Replay]). The lines contain most of its
// state. [StreamState] holds the rest: what time and other streams caused.

// StreamState is the part of a stream's state that its lines do not contain, stored as JSON. The zero value is that of a new stream.
type StreamState struct {
	// Last is the offset of the last line plus 1; 0 in the zero value.
	Last int64 `json:"last,omitempty"`
	// Pending is the first event that was not exported, if any: it and all later ones were pending.
	Pending *Place `json:"pending,omitempty"`
	// FileTime is the file time of the stream's first settings, in Unix nanoseconds.
	FileTime int64 `json:"file_time,omitempty"`
	// Arrivals are the arrivals of lines without times.
	Arrivals []clock.Arrival `json:"arrivals,omitempty"`
	// Lived are the lines that were written while the stream was followed, as far as they matter for idle gaps.
	Lived []clock.Range `json:"lived,omitempty"`
	// RawLines is a hash of the lines that were exported unchanged.
	RawLines []byte `json:"raw_lines,omitempty"`
	// Steps are actions caused by time or by other streams, in order.
	Steps []Step `json:"steps,omitempty"`
	// Foreign are the hashes of runs and agents whose first account is in another stream.
	Foreign []uint64 `json:"foreign,omitempty"`
	// Owned are the hashes of runs and agents whose first account is in this stream.
	Owned []uint64 `json:"owned,omitempty"`
	// Child is the sub-agent that works in the stream, and its links.
	Child *link.Child `json:"child,omitempty"`
	// Used is the usage of its finished tasks, each of which counts in the total of its run.
	Used []team.Task `json:"used,omitempty"`
	// Unwritten are the spans of closed runs that wait for sub-agents in other streams.
	Unwritten []otlp.SpanID `json:"unwritten,omitempty"`
	// Needs are the runs with open or waiting spans, which still need the usage of their sub-agents.
	Needs []link.RunID `json:"needs,omitempty"`
	// Agents are the sub-agents of a complete stream whose files were not read yet, if their IDs are known. The number
	// of files of a workflow is unknown, and an agent may have none.
	Agents []link.Child `json:"agents,omitempty"`
	// Folder is the same for sub-agents that only the folder of their files links to the stream; nil if there are none.
	Folder *folder.State `json:"folder,omitempty"`
}

// Place is the position of an event: the offset of its line and its index in the line.
type Place struct {
	Offset int64 `json:"offset"`
	Index  int   `json:"index,omitempty"`
}

// Step is an action after the line at At that no line of the stream caused.
type Step struct {
	At int64    `json:"at"`
	Do StepKind `json:"do"`
	// Run is the key of the affected run, or the number of the task; empty if everything open was affected.
	Run string `json:"run,omitempty"`
}

// stepTaken is a step, and whether its output is still unacknowledged.
type stepTaken struct {
	Step
	unaccepted bool
}

// StepKind is the kind of action.
type StepKind string

const (
	StepDate  StepKind = "date"  // events that waited for a time got that of the file
	StepEnd   StepKind = "end"   // a sub-agent's run was closed after its call ended
	StepTask  StepKind = "task"  // a task of a sub-agent was closed because the next one began
	StepTurn  StepKind = "turn"  // a run that had shown its end was closed
	StepOld   StepKind = "old"   // the open items of an old file were closed at its end
	StepClose StepKind = "close" // the stream was closed
)

// maxState bounds each list of a state; the oldest are evicted.
const maxState = 256

// State returns the state to store in addition to the stream's lines. open is true if the stream must be replayed after
// a restart even without new lines, because something is pending that needs none.
func (s *Stream) State() (state StreamState, open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	file, arrivals, lived := s.clock.State()
	claims := s.share.Claims()
	state = StreamState{FileTime: int64(file), Arrivals: arrivals, Lived: lived, RawLines: s.rawLines.kept(), Foreign: claims.Foreign, Owned: claims.Owned, Child: s.family.State(s.run)}
	if s.replay.fed {
		state.Last = s.replay.lastOffset + 1
	}
	if len(s.pending) > 0 {
		state.Pending = &Place{s.pending[0].Origin.Offset, s.pending[0].Origin.Index}
	}
	if s.replay.inFlight != nil {
		first := s.replay.inFlight.first
		state.Pending = &first
	}
	open = len(s.pending) > 0 || s.replay.inFlight != nil || s.run != nil && !s.run.Closed || len(s.open.Active()) > 0 || s.open.HasLingering()
	for _, step := range s.replay.steps {
		if step.unaccepted {
			open = true
			continue
		}
		state.Steps = append(state.Steps, step.Step)
	}
	if r := s.run; r.IsChild() {
		state.Used = r.Ref.Team.Tasks(r.ChildKey.Member(), r.Closed, s.settings.Group)
	}
	state.Unwritten, state.Needs = s.unwrittenSpans(), s.needs()
	open = open || len(state.Unwritten) > 0
	if !open { // otherwise its lines are replayed, with the same result
		state.Agents, state.Folder = s.family.Unseen(s.run)
	}
	return state, open || s.run != nil && s.run.InPipeline && s.registry.pipelinePending(s.run.Resource)
}

// Waiting returns the number of the latest events that are pending.
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
	s.share.Restore(account.Claims{Owned: state.Owned, Foreign: state.Foreign})
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

// replay is the progress of a stream with an earlier state: its lines are replayed, and its steps are repeated between them.
type replay struct {
	restored     bool  // the stream was opened with a state
	active       bool  // its lines are being replayed
	lastReplayed bool  // the last applied event was replayed
	fed          bool  // a line was fed
	lastOffset   int64 // of the last line
	// steps are the steps of the stream. The last stepsLeft of them are not repeated yet.
	steps       []*stepTaken
	stepsLeft   int
	pendingFrom *Place    // the first event that was pending; nil if none was
	inFlight    *inFlight // nil if there is none
}

// deliveryOf returns the delivery of an event of the current line. delivered is true if the event was exported before.
func (r *replay) deliveryOf(delivered bool) pending.Delivery {
	switch {
	case delivered:
		return pending.Done
	case r.active:
		return pending.Again
	default:
		return pending.New
	}
}

// wasDelivered reports whether an event of a replayed line was exported before. Only events that were pending then were not.
func (r *replay) wasDelivered(o pending.Origin) bool {
	return r.pendingFrom == nil || o.Offset < r.pendingFrom.Offset || o.Offset == r.pendingFrom.Offset && o.Index < r.pendingFrom.Index
}

// catchUp repeats, without export, the steps before the line at offset.
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
			s.pending.Date(s.clock.GuessFile())
			s.release(releaseReady)
		case StepEnd:
			if s.run != nil && !s.run.Closed {
				s.closeRun(s.run, otlp.CloseReasonResult)
			}
		case StepTask:
			if r := s.run; r != nil && !r.Closed && r.SubAgent && strconv.Itoa(r.ChildKey.Task) == step.Run {
				s.closeRun(r, otlp.CloseReasonResult)
			}
		case StepTurn:
			if s.run != nil && !s.run.Closed && s.run.Key == step.Run {
				s.closeRun(s.run, otlp.CloseReasonTimeout)
			}
		case StepOld:
			s.closeAtEnd(otlp.CloseReasonTimeout)
		case StepClose:
			s.close(otlp.CloseReasonTimeout)
		}
	}
}

// inFlight counts unacknowledged outputs of other streams that contain events of this stream.
type inFlight struct {
	handOvers int
	events    int   // number of the events in these outputs
	first     Place // the first of the events
}

// sentStep is a step whose output is not acknowledged yet. Without a step, it stands for events that another stream
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

// Detach stops the stream without closing its spans, so that a later process can continue.
func (s *Stream) Detach() {
	s.dropSpans()
	s.registry.timers.Stop(waitParent, s)
	s.registry.timers.Stop(waitProgress, s)
	s.registry.timers.Stop(waitEnd, s)
	s.registry.leave(s)
}

// Moved returns when sub-agents in other streams last worked for the open run, plus the time in which their own ends follow; while
// the stream waits for the first account of a run, a time for which it is not idle yet; else a time long ago. Until then the stream is not idle, although it is silent.
func (s *Stream) Moved() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.agentsMoved()
}
