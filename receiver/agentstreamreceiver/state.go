package agentstreamreceiver

import (
	"encoding/json"
	"math"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/telemetry"
)

// streamState is what a stream wants back when its file is opened again, beside its lines.
type streamState struct {
	Version int `json:"version"`
	// Path is the one that the file was first seen under: attributes may stand in it.
	Path string                `json:"path"`
	Fold telemetry.StreamState `json:"fold"`
	// Timed are what time had parser and joiner do, in order; the oldest are forgotten.
	Timed []timedStep `json:"timed,omitempty"`
	// Given are the marks of the events of a restated stream.
	Given []byte `json:"given,omitempty"`
}

// timedStep was done after the line at At, since nothing came for a while.
type timedStep struct {
	At int64   `json:"at"`
	Do timedDo `json:"do"`
}

type timedDo string

const (
	timedTick  timedDo = "tick"  // the whole lines of unfinished texts left
	timedQuiet timedDo = "quiet" // an end left that might have been taken back
	timedFlush timedDo = "flush" // the stream was closed
)

// maxTimed bounds the steps of a state. Those of texts that have ended change nothing any more.
const maxTimed = 256

// keptState is what a stream has of its [streamState].
type keptState struct {
	path string // the state's
	// before is what an earlier fold of the stream gave, until there is a fold again.
	before *telemetry.StreamState
	timed  []timedStep
	left   int // how many of the last of these are yet to be done again
}

// restore takes in what the stream knew, and returns the marks of a restated one. A state that can't be read is reported,
// and the lines must do.
func (s *stream) restore(data []byte) (given []byte) {
	s.kept.path = s.source.path
	if len(data) == 0 {
		return nil
	}
	var state streamState
	err := json.Unmarshal(data, &state)
	if err != nil || state.Version != stateVersion {
		s.receiver.logger.Error("what was kept of a file can't be read; it is folded again from its lines alone",
			zap.String("path", s.source.path), zap.Int("version", state.Version), zap.Error(err))
		return nil
	}
	s.kept = keptState{state.Path, &state.Fold, state.Timed, len(state.Timed)}
	return state.Given
}

// State is what has to be given back when the file is opened again, as of the last lines that were accepted.
func (s *stream) State() ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep()
	return s.value, s.owes
}

// keep renews the state, if all that the stream gave was accepted.
func (s *stream) keep() {
	if len(s.pending) > 0 || s.suspended {
		return
	}
	open := s.fold.Owes()
	state := streamState{Version: stateVersion, Path: s.kept.path, Timed: s.kept.timed}
	if now, more, ok := s.fold.State(); ok {
		state.Fold, s.kept.before, open = now, nil, open || more
	} else if s.kept.before != nil {
		state.Fold = *s.kept.before
	}
	if s.given != nil {
		s.keepGiven(&state)
	}
	value, err := json.Marshal(&state)
	if err != nil {
		s.receiver.logger.Error("state of a file can't be kept", zap.String("path", s.source.path), zap.Error(err))
		return
	}
	s.value, s.owes = value, open && !s.closed
}

// did notes a step of time.
func (s *stream) did(do timedDo) {
	s.ticked = true
	if s.given != nil {
		return // offsets are no places, and what was given is known otherwise
	}
	s.kept.timed = append(s.kept.timed, timedStep{s.fold.At.Offset, do})
	if drop := len(s.kept.timed) - maxTimed; drop > 0 {
		s.kept.timed = append(s.kept.timed[:0:0], s.kept.timed[drop:]...)
	}
}

// catchUp does silently what time did before the line at offset came.
func (s *stream) catchUp(offset int64) {
	for s.kept.left > 0 {
		step := s.kept.timed[len(s.kept.timed)-s.kept.left]
		if step.At >= offset {
			return
		}
		s.kept.left--
		s.fold.At.Replay = true
		switch step.Do {
		case timedTick:
			s.fold.Part()
		case timedQuiet:
			s.fold.Quiet()
		case timedFlush:
			s.fold.EndTexts()
		}
	}
}

// awake ends the replaying: all is as it was, and what comes now is new.
func (s *stream) awake() {
	if s.fold.Resting() {
		return
	}
	s.catchUp(math.MaxInt64)
	s.fold.At.Replay, s.rereading = false, false
	s.fold.Awake()
	s.takeLater()
}
