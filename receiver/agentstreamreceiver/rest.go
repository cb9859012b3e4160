package agentstreamreceiver

// Rest lets go of what the stream's lines tell, unless something is held back; they are given again before the next one. See
// [fold.Stream.Rest].
func (s *stream) Rest() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.suspended || s.refused || len(s.pending) > 0 || s.fold.At.Replay || s.kept.left > 0 ||
		s.framing.pending() || !s.fold.Rest() {
		return false
	}
	s.seen, s.kinds, s.kept.left = nil, nil, len(s.kept.timed)
	s.unfinished.Store(false)
	s.restless.Store(false)
	return true
}

// rise makes a stream that rested ready for its old lines.
func (s *stream) rise() error {
	if !s.fold.Resting() {
		return nil
	}
	s.rereading = true
	return s.fold.Rise()
}
