package telemetry

import (
	"strconv"
	"time"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/exported"
	"github.com/tailspan/tailspan/session/folder"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/replay"
	"github.com/tailspan/tailspan/session/spanwait"
	"github.com/tailspan/tailspan/session/team"
)

// After a restart a stream is replayed from its beginning to its offset ([Line.Replay]). The lines contain most of its
// state. [StreamState] holds the rest: what time and other streams caused.

// StreamState is the part of a stream's state that its lines do not contain, stored as JSON. The zero value is that of a new stream.
type StreamState struct {
	// Last is the offset of the last line plus 1; 0 in the zero value.
	Last int64 `json:"last,omitempty"`
	// Pending is the first event that was not exported, if any: it and all later ones were pending.
	Pending *replay.Place `json:"pending,omitempty"`
	// FileTime is the file time of the stream's first settings, in Unix nanoseconds.
	FileTime int64 `json:"file_time,omitempty"`
	// Arrivals are the arrivals of lines without times.
	Arrivals []clock.Arrival `json:"arrivals,omitempty"`
	// Lived are the lines that were written while the stream was followed, as far as they matter for idle gaps.
	Lived []clock.Range `json:"lived,omitempty"`
	// RawLines is a hash of the lines that were exported unchanged.
	RawLines []byte `json:"raw_lines,omitempty"`
	// Steps are actions caused by time or by other streams, in order.
	Steps []replay.Step `json:"steps,omitempty"`
	// Foreign are the hashes of runs and agents whose first account is in another stream.
	Foreign []uint64 `json:"foreign,omitempty"`
	Ties    `json:"ties,omitzero"`
}

// Ties are the part of a stream's state that other streams need, whether or not the stream is opened again ([Registry.Recall]).
type Ties struct {
	// Owned are the hashes of runs and agents whose first account is in this stream.
	Owned []uint64 `json:"owned,omitempty"`
	// Claiming is true if Owned was stored before output that depends on it was sent. The rest of the state is older.
	Claiming bool `json:"claiming,omitempty"`
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

// State returns the state to store in addition to the stream's lines. open is true if the stream must be replayed after
// a restart even without new lines, because something is pending that needs none.
func (s *Stream) State() (state StreamState, open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	file, arrivals, lived := s.clock.State()
	claims := s.share.Claims()
	state = StreamState{FileTime: int64(file), Arrivals: arrivals, Lived: lived, RawLines: s.rawLines.State()}
	state.Child = s.family.State(s.run)
	state.Foreign, state.Owned = claims.Foreign, claims.Owned
	state.Last = s.replay.End()
	_, inFlight := s.replay.InFlight()
	if state.Pending = s.firstPending(); inFlight != nil {
		state.Pending = inFlight
	}
	open = state.Pending != nil || s.run != nil && !s.run.Closed || len(s.open.Active()) > 0 || s.open.HasLingering()
	steps, unaccepted := s.replay.Steps()
	state.Steps, open = steps, open || unaccepted
	if r := s.run; r.IsChild() {
		state.Used = r.Ref.Team.Tasks(r.ChildKey.Member(), r.Closed, s.settings.Group)
	}
	state.Unwritten, state.Needs = s.spans.Unwritten(s.run)
	open = open || len(state.Unwritten) > 0
	if !open { // otherwise its lines are replayed, with the same result
		state.Agents, state.Folder = s.family.Unseen(s.run)
	}
	return state, open || s.run != nil && s.run.InPipeline && s.registry.pipelines.Pending(s.run.Resource)
}

// firstPending returns the place of the first pending event, or nil.
func (s *Stream) firstPending() *replay.Place {
	if len(s.pending) == 0 {
		return nil
	}
	first := s.pending[0].Origin
	return &replay.Place{Offset: first.Offset, Index: first.Index}
}

// Waiting returns the number of the latest events that are pending.
func (s *Stream) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	events, _ := s.replay.InFlight()
	return len(s.pending) + events
}

// restore restores an earlier state of the stream.
func (s *Stream) restore(state *StreamState) {
	s.clock.Restore(clock.Instant(state.FileTime), state.Arrivals, state.Lived)
	s.rawLines = exported.NewChain(state.RawLines)
	s.share.Restore(account.Claims{Owned: state.Owned, Foreign: state.Foreign})
	s.spans = spanwait.Restored(state.Unwritten)
	s.replay.Restore(state.Last, state.Steps, state.Pending)
	if state.Child != nil {
		s.registry.links.Restore(state.Child)
	}
}

// catchUp repeats, without export, the steps before the line at offset.
func (s *Stream) catchUp(offset int64) {
	for step, ok := s.replay.Next(offset); ok; step, ok = s.replay.Next(offset) {
		s.emit.Suppressed = true
		switch step.Do {
		case replay.Date:
			s.pending.Date(s.clock.GuessFile())
			s.release(releaseReady)
		case replay.End:
			if s.run != nil && !s.run.Closed {
				s.closeRun(s.run, otlp.CloseReasonResult)
			}
		case replay.Task:
			if r := s.run; r != nil && !r.Closed && r.SubAgent && strconv.Itoa(r.ChildKey.Task) == step.Run {
				s.closeRun(r, otlp.CloseReasonResult)
			}
		case replay.Turn:
			if s.run != nil && !s.run.Closed && s.run.Key == step.Run {
				s.closeRun(s.run, otlp.CloseReasonTimeout)
			}
		case replay.Old:
			s.closeAtEnd(otlp.CloseReasonTimeout)
		case replay.Close:
			s.close(otlp.CloseReasonTimeout)
		}
	}
}

// sentStep is a step whose output is not acknowledged yet. Without a step, it stands for events that another stream
// exported.
type sentStep struct {
	stream *Stream
	step   *replay.Taken
}

func (s *Stream) accepted(step *replay.Taken) {
	s.mu.Lock()
	if step != nil {
		step.Accept()
		s.spansAccepted()
	} else {
		s.replay.AcceptHandOver()
	}
	s.mu.Unlock()
	if s.settings.Changed != nil {
		s.settings.Changed()
	}
}

// Detach stops the stream without closing its spans, so that a later process can continue.
func (s *Stream) Detach() {
	s.dropSpans()
	s.registry.timers.Stop(waitEnd, s)
	s.registry.leave(s)
}

// Moved returns the time until which the stream is not idle, although it is silent: when sub-agents in other streams last worked for
// the open run, plus the time in which their own ends follow; while the stream waits for another account of its run, or for the original
// of its copied history to be read, a time in the future; else a time long ago.
func (s *Stream) Moved() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.agentsMoved()
}
