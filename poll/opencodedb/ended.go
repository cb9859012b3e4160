package opencodedb

import (
	"bytes"
	"slices"
)

// The call of a sub-agent is over when the sub-agent is. Where one scan finds both, the message of the call is the older one, and
// its rows would come first: what the sub-agent said last would come after its end. So the row that ends such a call comes
// behind what other sessions of the family wrote before it, and the rest of its session with it. The row that names the
// session of the sub-agent, while the call runs, keeps its place before it.

// endsCall reports whether a row ends the call of a sub-agent. The output of a tool may look the same: then the row comes later
// than it could.
func endsCall(st *step, row *Row) bool {
	return st.kind == kindPart && st.changed && bytes.Contains(row.Data, []byte(`\"tool\":\"task\"`)) &&
		(bytes.Contains(row.Data, []byte(`\"status\":\"completed\"`)) || bytes.Contains(row.Data, []byte(`\"status\":\"error\"`)))
}

// putBehind moves the rows of a session that are left behind those of others which were written before the first of them, and
// reports whether there are such. Rows of a session that was put behind others do not count for these: two sessions in which calls end
// would each be put behind the other for ever.
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
