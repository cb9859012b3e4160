package agentstreamreceiver

import (
	"context"
	"encoding/json"
	"math"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/telemetry"
)

// streamState is the stored state of a stream, in addition to its offset.
type streamState struct {
	Version int `json:"version"`
	// Path is the first path of the file, because path_pattern may extract attributes from it.
	Path      string                `json:"path"`
	Telemetry telemetry.StreamState `json:"telemetry"`
	steps
	// Exported are the marks of the exported events of a restated stream.
	Exported []byte `json:"exported,omitempty"`
}

// keptState is the part of a [streamState] that a stream holds.
type keptState struct {
	path string // that of the state
	// before is the telemetry state until the replay restores it.
	before *telemetry.StreamState
	steps  steps
	// value is the encoded state as of the last acknowledged lines; hasOpen is true if something is open in it.
	value   []byte
	hasOpen bool
	behind  bool // output was acknowledged since value was encoded
	ticked  bool // a timer changed the stream since State
}

// restore decodes the stored state and returns the marks of a restated stream. An unusable state is logged, and the lines are
// replayed without it.
func (s *stream) restore(data []byte) (given []byte) {
	s.kept.path = s.source.path
	if len(data) == 0 {
		return nil
	}
	var state streamState
	err := json.Unmarshal(data, &state)
	if err != nil || state.Version != stateVersion {
		s.receiver.logger.Error("stored state of a file is unusable, replaying its lines without it",
			zap.String("path", s.source.path), zap.Int("version", state.Version), zap.Error(err))
		return nil
	}
	state.steps.rewind()
	// The value remains until the first lines are acknowledged.
	s.kept = keptState{path: state.Path, before: &state.Telemetry, steps: state.steps, value: data, hasOpen: true}
	return state.Exported
}

// State returns the state to store, as of the last acknowledged lines, and whether something is open.
func (s *stream) State() ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep()
	return s.kept.value, s.kept.hasOpen
}

// lock locks the stream for a change. It first encodes the state as of the acknowledged lines, unless State has done so.
func (s *stream) lock() {
	s.mu.Lock()
	if s.kept.behind {
		s.keep()
	}
}

// keep updates the state if all output of the stream was acknowledged.
func (s *stream) keep() {
	s.kept.behind = false
	if len(s.pipeline.Undelivered()) > 0 || s.phase == phaseDetached {
		return
	}
	s.kept.steps.acknowledge()
	open := s.pipeline.Pending()
	state := streamState{Version: stateVersion, Path: s.kept.path, steps: s.kept.steps}
	if now, more, ok := s.pipeline.State(); ok {
		state.Telemetry, s.kept.before, open = now, nil, open || more
	} else if s.kept.before != nil {
		state.Telemetry = *s.kept.before
	}
	if s.exported != nil {
		s.storeExported(&state)
	}
	value, err := json.Marshal(&state)
	if err != nil {
		s.receiver.logger.Error("state of a file was not stored", zap.String("path", s.source.path), zap.Error(err))
		return
	}
	s.kept.value, s.kept.hasOpen = value, open && !s.phase.closed()
}

// storeAhead changes the stored state before output is sent that depends on the change, and returns when that is written. The rest of
// the state remains as of the last acknowledged lines. It does nothing if their checkpoint is not stored yet.
func (s *stream) storeAhead(ctx context.Context, change func(*streamState)) {
	if s.kept.value == nil || !s.source.checkpoint.Covers(ctx, s.progress.accepted.Load()) {
		return
	}
	var state streamState
	err := json.Unmarshal(s.kept.value, &state)
	if err == nil {
		change(&state)
		s.kept.value, err = json.Marshal(&state)
	}
	if err == nil {
		s.kept.hasOpen = true
		err = s.source.checkpoint.Amend(ctx, s.kept.value)
	}
	if err != nil { // sent all the same: the storage may stay broken
		s.receiver.logger.Warn("state of a file not stored before its output is sent, the output may be sent again with other IDs after a restart",
			zap.String("path", s.source.path), zap.Error(err))
	}
}

// endReplay ends the replay: lines are new from now on.
func (s *stream) endReplay() {
	if s.pipeline.Suspended() {
		return
	}
	s.kept.steps.replay(s.pipeline, math.MaxInt64)
	s.pipeline.At.Replay = false
	if s.phase == phaseReparsing {
		s.phase = phaseOpen
	}
	s.pipeline.EndReplay()
	s.applyLater()
	s.kept.steps.repeat(s.pipeline)
}

// applyRestated applies the events of a restated stream. Events that a previous process exported are replayed.
func (s *stream) applyRestated(evs []events.DisplayEvent) {
	old, fresh := s.exported.Split(evs)
	line := s.pipeline.At
	if line.Replay = true; !old.Empty() {
		s.exported.Applied(old)
		s.pipeline.Apply(line, old.Events)
	}
	if s.pipeline.At.Replay {
		s.exported.Hold(fresh)
		return
	}
	s.exported.Applied(fresh)
	s.pipeline.Apply(s.pipeline.At, fresh.Events)
}

// applyLater applies the events that were new in replayed lines.
func (s *stream) applyLater() {
	if s.exported == nil {
		return
	}
	fresh := s.exported.Held()
	if fresh.Empty() {
		return
	}
	s.exported.Applied(fresh)
	s.pipeline.Apply(s.pipeline.At, fresh.Events)
}

// storeExported updates the state of a restated stream, which has no offsets for pending events. Linked sessions that were
// closed when idle continue with new events only.
func (s *stream) storeExported(state *streamState) {
	state.Exported, state.Telemetry.Pending = s.exported.Encode(s.pipeline.Waiting()), nil
	if s.phase == phaseIdle && s.source.afresh {
		state.Telemetry = telemetry.StreamState{Last: 1}
	}
}
