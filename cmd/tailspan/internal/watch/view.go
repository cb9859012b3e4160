package watch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// View draws a board. Its zero value shows the list.
type View struct {
	// Width and Height are the size of the screen, in cells and rows.
	Width, Height int
	// Now is the current time.
	Now time.Time
	// HideSubAgents leaves out sub-agents.
	HideSubAgents bool
	// Details shows only the selected agent.
	Details bool
	// Unread has what cannot be read; nil if that is not known.
	Unread *Unread
	// selected is the key of the agent at the cursor; top is the first visible row.
	selected string
	top      int
}

// row is one row of the list. Its text is made when it is drawn: most rows are not visible.
type row struct {
	key  string // of its agent; "" if the row cannot be selected
	draw func() (left, right string)
}

// textRow returns a row that cannot be selected.
func textRow(s string) row { return row{draw: func() (string, string) { return s, "" }} }

// leastHeight is the smallest useful height: the header, a row and the keys.
const leastHeight = 4

// Lines returns the rows of the screen, at most Height.
func (v *View) Lines(runs []Run) []string {
	if v.Width < 1 || v.Height < leastHeight {
		return nil
	}
	rows := v.rows(runs)
	v.clampCursor(rows)
	if run, agent := find(runs, v.selected); v.Details && agent != nil {
		return v.details(run, agent)
	}
	v.Details = false
	head := v.header(runs)
	room := max(0, v.Height-len(head)-1)
	at := slices.IndexFunc(rows, func(r row) bool { return r.key == v.selected && r.key != "" })
	v.top = max(0, min(v.top, at, len(rows)-room))
	if at >= v.top+room {
		v.top = at - room + 1
	}
	lines := head
	for i := v.top; i < min(len(rows), v.top+room); i++ {
		text := v.spread(rows[i].draw())
		if i == at {
			text = reverse(pad(plain(text), v.Width))
		}
		lines = append(lines, text)
	}
	for len(lines) < v.Height-1 {
		lines = append(lines, "")
	}
	return append(lines, faint(fit(v.keys(), v.Width)))
}

// keys returns the line with the keys of the list.
func (v *View) keys() string {
	switch {
	case v.Width < narrow:
		return "enter details · a sub-agents · q quit"
	case v.HideSubAgents:
		return "↑↓ select · enter details · a show sub-agents · q quit"
	}
	return "↑↓ select · enter details · a hide sub-agents · q quit"
}

// header returns the rows above the list: a title, and a notice or an empty row.
func (v *View) header(runs []Run) []string {
	working := 0
	for i := range runs {
		if runs[i].AtWork {
			working++
		}
	}
	text := fmt.Sprintf("%d running, %d recent", working, len(runs)-working)
	if working == 0 {
		text = "no agent is running"
	}
	notice := ""
	if v.Unread != nil {
		notice = fit(yellow(v.Unread.Notice(v.Width)), v.Width)
	}
	return []string{fit(bold("tailspan watch")+" · "+text, v.Width), notice}
}

// rows returns all rows of the list.
func (v *View) rows(runs []Run) []row {
	var rows []row
	if len(runs) == 0 {
		rows = append(rows, textRow(faint("waiting for agents · tailspan doctor lists where it looks")))
	}
	for i := range runs {
		r := &runs[i]
		if !r.AtWork {
			if i > 0 && runs[i-1].AtWork {
				rows = append(rows, textRow(""))
			}
			rows = append(rows, row{r.Top().Key, func() (string, string) { return v.recent(r) }})
			continue
		}
		rows = append(rows, v.agentRow(r, r.Top()))
		if !v.HideSubAgents {
			rows = append(rows, v.subAgents(r)...)
		}
	}
	return rows
}

// shownEnded is how many ended sub-agents of a running run are shown.
const shownEnded = 5

// subAgents returns the rows of a run's sub-agents. Of ended ones the last are shown and the others counted.
func (v *View) subAgents(r *Run) (rows []row) {
	hidden := r.Ended
	over := 0
	for i := range r.Agents[1:] {
		if r.endedLeaf(i + 1) {
			over++
		}
	}
	for i := range r.Agents[1:] {
		if r.endedLeaf(i + 1) {
			if over--; over >= shownEnded {
				hidden++
				continue
			}
		}
		rows = append(rows, v.agentRow(r, &r.Agents[i+1]))
	}
	var more []string
	if hidden > 0 {
		more = append(more, fmt.Sprintf("%d more that ended", hidden))
	}
	if r.Dropped > 0 {
		more = append(more, fmt.Sprintf("%d more that were at work", r.Dropped))
	}
	if len(more) > 0 {
		rows = append(rows, textRow(faint("  └ "+strings.Join(more, ", "))))
	}
	return rows
}

// endedLeaf reports whether an agent has ended and has no sub-agents.
func (r *Run) endedLeaf(i int) bool {
	a := &r.Agents[i]
	return !a.Ended.IsZero() && (i+1 == len(r.Agents) || r.Agents[i+1].Depth <= a.Depth)
}

// agentRow returns the row of an agent of a running run.
func (v *View) agentRow(r *Run, a *Agent) row {
	return row{a.Key, func() (string, string) { return v.working(r, a) }}
}

// find finds an agent by its key.
func find(runs []Run, key string) (*Run, *Agent) {
	for i := range runs {
		for j := range runs[i].Agents {
			if runs[i].Agents[j].Key == key {
				return &runs[i], &runs[i].Agents[j]
			}
		}
	}
	return nil, nil
}

// Move moves the cursor by n rows.
func (v *View) Move(runs []Run, n int) {
	rows := slices.DeleteFunc(v.rows(runs), func(r row) bool { return r.key == "" })
	if len(rows) == 0 {
		return
	}
	at := slices.IndexFunc(rows, func(r row) bool { return r.key == v.selected })
	v.selected = rows[max(0, min(len(rows)-1, at+n))].key
}

// clampCursor selects an agent in the list: if the selected one is missing, that of its run, or else the first.
func (v *View) clampCursor(rows []row) {
	run, _, _ := strings.Cut(v.selected, "/")
	first := ""
	for _, key := range []string{v.selected, topKey(run)} {
		for _, r := range rows {
			if first = cmp.Or(first, r.key); r.key == key && key != "" {
				v.selected = key
				return
			}
		}
	}
	v.selected = first
}
