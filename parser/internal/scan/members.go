package scan

// MaxMembers is how many members of one object [Scanner.Members] keeps; more are read and dropped.
const MaxMembers = 256

// Member is one key of an object and its value, raw.
type Member struct {
	Name  []byte
	Value Value
}

// Members are those of one object, in order.
type Members []Member

// Get gives the value of a key; of equal keys the last one counts, as in encoding/json.
func (m Members) Get(name string) Value {
	for i := len(m) - 1; i >= 0; i-- {
		if string(m[i].Name) == name {
			return m[i].Value
		}
	}
	return Value{}
}

// First gives the value of a key at its first occurrence.
func (m Members) First(name string) Value {
	for i := range m {
		if string(m[i].Name) == name {
			return m[i].Value
		}
	}
	return Value{}
}

// AnyOf gives the value of the first of several keys that is there and no null: formats spell a key in more than one way.
func (m Members) AnyOf(names ...string) Value {
	for _, name := range names {
		if v := m.Get(name); v.Exists() && v.Kind != KindNull {
			return v
		}
	}
	return Value{}
}

// Members appends the members of the object that comes next, at most MaxMembers of them. If anything else comes, it is
// skipped. What a malformed object gives is of no use: see Err.
func (s *Scanner) Members(m Members) Members {
	if s.Peek() != KindObject {
		s.Skip()
		return m
	}
	limit := len(m) + MaxMembers
	for s.Object(); s.Key(); {
		m = s.keep(m, limit)
	}
	return m
}

// Keep appends the member that the scanner is at and moves past its value. An object that holds MaxMembers already
// keeps no more.
func (s *Scanner) Keep(m Members) Members { return s.keep(m, MaxMembers) }

func (s *Scanner) keep(m Members, limit int) Members {
	name, value := s.Name(), s.Value()
	if len(m) < limit {
		m = append(m, Member{name, value})
	}
	return m
}

// MembersOf appends the members of v, if it is an object. It moves the scanner to v.
func (s *Scanner) MembersOf(v Value, m Members) Members {
	if v.Kind != KindObject {
		return m
	}
	s.Reset(v.Raw)
	return s.Members(m)
}

// Enter steps into the object that comes next; any other value is skipped.
func Enter(s *Scanner) bool {
	if s.Peek() != KindObject {
		s.Skip()
		return false
	}
	return s.Object()
}
