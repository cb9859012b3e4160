package fold

// Suspend releases the parser, joiner and redaction unless something is pending in them. They take most of the memory of an
// idle stream, and a replay of its lines rebuilds them. Telemetry stays: its open spans must be closed even if the lines are
// lost, and other streams may be linked to it. Until [Stream.Resume], no method that needs the parser may be called.
func (s *Stream) Suspend() bool {
	if s.Suspended() || s.reparsing || s.parser.Undecided() || s.Pending() {
		return false
	}
	s.parser, s.joiner, s.events, s.begun, s.uncopied = nil, nil, nil, false, nil
	if s.fold != nil {
		s.fold.Trim()
	}
	return true
}

// Suspended reports whether there is no parser.
func (s *Stream) Suspended() bool { return s.parser == nil }

// Resume makes the parser of a suspended stream again. Lines are now replayed for the parser alone, until
// [Stream.EndReplay].
func (s *Stream) Resume() error {
	if !s.Suspended() {
		return nil
	}
	if err := s.makeParser(); err != nil {
		return err
	}
	s.reparsing = true
	return nil
}

// EndReplay ends the replay: the lines from now on are new.
func (s *Stream) EndReplay() { s.reparsing = false }
