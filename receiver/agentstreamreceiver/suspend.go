package agentstreamreceiver

import "github.com/tailspan/tailspan/tail"

var _ tail.Suspender = (*stream)(nil)

// Suspend releases the parser state unless something is pending. The source replays the lines before the next one. See
// [pipeline.Pipeline.Suspend].
func (s *stream) Suspend() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.phase.over() || s.refused || len(s.pipeline.Undelivered()) > 0 || s.pipeline.At.Replay || s.kept.left > 0 ||
		s.framing.pending() || !s.pipeline.Suspend() {
		return false
	}
	s.counted.seen, s.counted.kinds, s.kept.left = nil, nil, len(s.kept.timed)
	s.activity.unfinished.Store(false)
	s.activity.restless.Store(false)
	return true
}

// resume prepares a suspended stream for the replay of its lines.
func (s *stream) resume() error {
	if !s.pipeline.Suspended() {
		return nil
	}
	s.phase = phaseReparsing
	return s.pipeline.Resume()
}
