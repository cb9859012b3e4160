package codex

import "github.com/tailspan/tailspan/parser/internal/scan"

// maxMembers is how many members of one object are kept for a look by name; more are read and forgotten. The widest
// object of a real rollout, a session_meta payload, has about 20.
const maxMembers = 256

// member is one key of an object and its value, raw.
type member struct {
	name  []byte
	value scan.Value
}

// members are those of one object, in order.
type members []member

// get gives the value of a key; the last one counts, as in encoding/json.
func (m members) get(name string) scan.Value {
	for i := len(m) - 1; i >= 0; i-- {
		if string(m[i].name) == name {
			return m[i].value
		}
	}
	return scan.Value{}
}

// first gives the value of a key where it stands first: a web_search item has two ids, its own and the API's.
func (m members) first(name string) scan.Value {
	for i := range m {
		if string(m[i].name) == name {
			return m[i].value
		}
	}
	return scan.Value{}
}

// either gives the value of the first name that is there and no null.
func (m members) either(names ...string) scan.Value {
	for _, name := range names {
		if v := m.get(name); v.Exists() && v.Kind != scan.KindNull {
			return v
		}
	}
	return scan.Value{}
}

// keep takes the value that comes next and keeps it under its name.
func keep(m members, s *scan.Scanner) members {
	name, value := s.Name(), s.Value()
	if len(m) < maxMembers {
		m = append(m, member{name, value})
	}
	return m
}

// readMembers takes the members of an object that was kept whole; of anything else there are none.
func readMembers(s *scan.Scanner, m members, v scan.Value) members {
	m = m[:0]
	if v.Kind != scan.KindObject {
		return m
	}
	s.Reset(v.Raw)
	for s.Object(); s.Key(); {
		m = keep(m, s)
	}
	return m
}

// record is one object of a line as raw spans: nothing is judged while it is read, since its type may come last and its
// end may be missing.
//
//	form     kind in  content in
//	E2, E3   type     item, or top
//	E1       type     body (msg); a head line has no type and all in top
//	R2-R4    type     body (payload), and item in it
//	R1       type     top
type record struct {
	kind, timestamp scan.Value

	top  members // of the object itself
	body members // of its payload, or of its msg
	item members // of the item in it or in its payload

	hasPayload, hasMsg, hasItem bool
}

// reset empties r and keeps its memory.
func (r *record) reset() {
	*r = record{top: r.top[:0], body: r.body[:0], item: r.item[:0]}
}

// read takes one object from s. It reports false if the object is malformed; r is then of no use.
func (r *record) read(s *scan.Scanner) bool {
	r.reset()
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "type":
			r.kind = s.Value()
		case "timestamp":
			r.timestamp = s.Value()
		case "payload":
			r.hasPayload = r.readBody(s)
		case "msg":
			r.hasMsg = r.readBody(s)
		case "item":
			r.hasItem = r.readItem(s)
		default:
			r.top = keep(r.top, s)
		}
	}
	return s.Err() == nil
}

func (r *record) readBody(s *scan.Scanner) bool {
	r.body = r.body[:0]
	if s.Peek() != scan.KindObject {
		s.Skip()
		return false
	}
	for s.Object(); s.Key(); {
		if string(s.Name()) == "item" {
			r.hasItem = r.readItem(s)
		} else {
			r.body = keep(r.body, s)
		}
	}
	return true
}

func (r *record) readItem(s *scan.Scanner) bool {
	r.item = r.item[:0]
	if s.Peek() != scan.KindObject {
		s.Skip()
		return false
	}
	for s.Object(); s.Key(); {
		r.item = keep(r.item, s)
	}
	return true
}
