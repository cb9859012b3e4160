package scan

import "iter"

// MaxMembers is the maximum number of members that [Scanner.Members] keeps of one object; it reads and drops the others.
const MaxMembers = 256

// Member is one key of an object and its raw value.
type Member struct {
	Name  []byte
	Value Value
}

// Members are the members of one object, in order.
type Members []Member

// Get returns the value of a key. Of equal keys the last one counts, as in encoding/json.
func (m Members) Get(name string) Value {
	for i := len(m) - 1; i >= 0; i-- {
		if string(m[i].Name) == name {
			return m[i].Value
		}
	}
	return Value{}
}

// First returns the value of the first occurrence of a key.
func (m Members) First(name string) Value {
	for i := range m {
		if string(m[i].Name) == name {
			return m[i].Value
		}
	}
	return Value{}
}

// AnyOf returns the first value of the given keys that exists and is not null: some formats have several spellings of a key.
func (m Members) AnyOf(names ...string) Value {
	for _, name := range names {
		if v := m.Get(name); v.Exists() && v.Kind != KindNull {
			return v
		}
	}
	return Value{}
}

// Members appends the members of the next object, at most MaxMembers of them. It skips any other value. If the object
// is malformed, see Err, the result is meaningless.
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

// Keep appends the current member and moves past its value. It drops the member if m already has MaxMembers
// members.
func (s *Scanner) Keep(m Members) Members { return s.keep(m, MaxMembers) }

func (s *Scanner) keep(m Members, limit int) Members {
	name, value := s.Name(), s.Value()
	if len(m) < limit {
		m = append(m, Member{name, value})
	}
	return m
}

// MembersOf appends the members of v if v is an object. It moves the scanner to v.
func (s *Scanner) MembersOf(v Value, m Members) Members {
	if v.Kind != KindObject {
		return m
	}
	s.Reset(v.Raw)
	return s.Members(m)
}

// Objects iterates over the objects of an array v and reads the members of each into m. It yields nothing if v is not an
// array. It moves the scanner to v. The members are valid until the next object.
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

// Elements iterates over the elements of an array v; the loop body must read each element. It yields nothing if v is not
// an array. It moves the scanner to v.
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

// Enter enters the next object. It skips any other value and returns false.
func Enter(s *Scanner) bool {
	if s.Peek() != KindObject {
		s.Skip()
		return false
	}
	return s.Object()
}
