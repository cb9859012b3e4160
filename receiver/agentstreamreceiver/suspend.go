package agentstreamreceiver

import "github.com/tailspan/tailspan/source"

var _ source.Suspender = (*stream)(nil)

// Suspend releases the parser state unless something is pending. The source replays the lines before the next one. See
// [fold.Stream.Suspend].
func (s *stream) Suspend() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.detached || s.refused || len(s.pending) > 0 || s.fold.At.Replay || s.kept.left > 0 ||
		s.framing.pending() || !s.fold.Suspend() {
		return false
	}
	s.seen, s.kinds, s.kept.left = nil, nil, len(s.kept.timed)
	s.unfinished.Store(false)
	s.restless.Store(false)
	return true
}

// resume prepares a suspended stream for the replay of its lines.
func (s *stream) resume() error {
	if !s.fold.Suspended() {
		return nil
	}
	s.reparsing = true
	return s.fold.Resume()
}
