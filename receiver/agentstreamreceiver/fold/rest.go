package fold

// Rest lets go of the parser, and what there is between it and the fold, unless something is held back there. That is the
// greater part of what a quiet stream takes, and all that it knows stands in the lines. The fold stays: what is open in it is
// owed, also if the lines are gone, and other streams may wait for it or it for them. No method may be called then that
// needs the parser, before [Stream.Rise].
func (s *Stream) Rest() bool {
	if s.Resting() || s.rereading || s.parser.Undecided() || s.Owes() {
		return false
	}
	s.parser, s.joiner, s.events, s.begun, s.uncopied = nil, nil, nil, false, nil
	if s.fold != nil {
		s.fold.Trim()
	}
	return true
}

// Resting reports whether there is no parser.
func (s *Stream) Resting() bool { return s.parser == nil }

// Rise makes a parser for a stream that rests. The lines that come now are its old ones, for the parser alone, until
// [Stream.Awake].
func (s *Stream) Rise() error {
	if !s.Resting() {
		return nil
	}
	if err := s.makeParser(); err != nil {
		return err
	}
	s.rereading = true
	return nil
}

// Awake ends the rereading: the lines that come now are new.
func (s *Stream) Awake() { s.rereading = false }
