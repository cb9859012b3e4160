package opencodedb

import (
	"bytes"
	"slices"
)

// A sub-agent's call ends when the sub-agent does. If one scan finds both, the message of the call is older and its rows would
// come first, so the sub-agent's last output would follow its end. The row that ends such a call, and the rest of its session,
// therefore come after what other sessions of the family wrote before that row. The row that names the sub-agent's session
// while the call runs keeps its place.

// endsCall reports whether a row ends a sub-agent's call. The output of a tool may look the same; its row then comes later
// than necessary.
func endsCall(st *step, row *Row) bool {
	return st.kind == kindPart && st.changed && bytes.Contains(row.Data, []byte(`\"tool\":\"task\"`)) &&
		(bytes.Contains(row.Data, []byte(`\"status\":\"completed\"`)) || bytes.Contains(row.Data, []byte(`\"status\":\"error\"`)))
}

// putBehind moves the remaining rows of a session behind rows of other sessions written before the first of them, and reports
// whether there are such. It ignores rows of sessions that were put behind others, because two sessions in which calls end
// would otherwise be put behind each other forever.
func (p *plan) putBehind(left []step) bool {
	first, last := left[0], -1
	for i := range left {
		if st := &left[i]; st.session != first.session && !p.behind[st.session] && st.updated > 0 && st.updated <= first.updated {
			last = i
		}
	}
	if last < 0 {
		return false
	}
	if p.behind == nil {
		p.behind = map[*session]bool{}
	}
	p.behind[first.session] = true
	slices.SortStableFunc(left[:last+1], func(a, b step) int {
		switch {
		case a.session != first.session && b.session == first.session:
			return -1
		case a.session == first.session && b.session != first.session:
			return 1
		default:
			return 0
		}
	})
	return true
}
