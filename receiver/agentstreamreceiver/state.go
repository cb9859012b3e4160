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

// restore takes in what the stream knew. A state that can't be read is reported, and the lines must do.
func (s *stream) restore() {
	if len(s.source.State) == 0 {
		return
	}
	var state streamState
	err := json.Unmarshal(s.source.State, &state)
	if err != nil || state.Version > stateVersion {
		s.receiver.logger.Error("what was kept of a file can't be read; it is folded again from its lines alone",
			zap.String("path", s.source.Path), zap.Int("version", state.Version), zap.Error(err))
		return
	}
	s.kept, s.timedLeft = state, len(state.Timed)
}

// keptFold is what an earlier fold of the stream gave; nil if there was none.
func (s *stream) keptFold() *telemetry.StreamState {
	if len(s.source.State) == 0 {
		return nil
	}
	state := s.kept.Fold
	return &state
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
	if state, owes, ok := s.fold.State(); ok {
		s.kept.Fold, open = state, open || owes
	}
	if s.given != nil {
		s.keepGiven()
	}
	s.kept.Version = stateVersion
	value, err := json.Marshal(&s.kept)
	if err != nil {
		s.receiver.logger.Error("state of a file can't be kept", zap.String("path", s.source.Path), zap.Error(err))
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
	s.kept.Timed = append(s.kept.Timed, timedStep{s.fold.At.Offset, do})
	if drop := len(s.kept.Timed) - maxTimed; drop > 0 {
		s.kept.Timed = append(s.kept.Timed[:0:0], s.kept.Timed[drop:]...)
	}
}

// catchUp does silently what time did before the line at offset came.
func (s *stream) catchUp(offset int64) {
	for s.timedLeft > 0 {
		step := s.kept.Timed[len(s.kept.Timed)-s.timedLeft]
		if step.At >= offset {
			return
		}
		s.timedLeft--
		s.fold.At.Silent = true
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
	s.fold.At.Silent, s.rereading = false, false
	s.fold.Awake()
	s.takeLater()
}
