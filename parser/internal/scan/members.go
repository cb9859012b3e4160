package scan

import "iter"

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

// Objects goes over the objects of an array v, each with its members, which are read into m; it has none if v is no array.
// It moves the scanner to v. The members are good until the next object.
func Objects(s *Scanner, v Value, m *Members) iter.Seq[Members] {
	return func(yield func(Members) bool) {
		for range Elements(s, v) {
			if s.Peek() != KindObject {
				s.Skip()
				continue
			}
			if *m = s.Members((*m)[:0]); !yield(*m) {
				return
			}
		}
	}
}

// Elements goes over the elements of an array v; the body takes each. It has none if v is no array. It moves the scanner
// to v.
func Elements(s *Scanner, v Value) iter.Seq[int] {
	return func(yield func(int) bool) {
		if v.Kind != KindArray {
			return
		}
		s.Reset(v.Raw)
		s.Array()
		for n := 0; s.Element(); n++ {
			if !yield(n) {
				return
			}
		}
	}
}

// Enter steps into the object that comes next; any other value is skipped.
func Enter(s *Scanner) bool {
	if s.Peek() != KindObject {
		s.Skip()
		return false
	}
	return s.Object()
}
