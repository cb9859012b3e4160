package opencodedb

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// plan lists what a scan reads of one family.
type plan struct {
	root     *session
	replayed bool // an earlier process acknowledged the rows
	steps    []step
	sessions []*session
	reached  []int64           // the position of each session once all rows are acknowledged
	room     room              // for rows that are not listed yet
	begins   map[string]int64  // the place of each session, by its ID
	behind   map[*session]bool // sessions that were put behind others; see [plan.putBehind]
}

// step is one row to be read.
type step struct {
	session *session
	kind    kind
	id      string
	size    int64
	context bool  // needed by later rows, whatever its time
	at      int64 // its place among the rows of the family: when its message was created
	updated int64 // when it was last written; 0 for a session
	changed bool  // it was written since its message was delivered
}

// makePlan finds what may be new in a family.
func (f *Follower) makePlan(ctx context.Context, root *session) error {
	p := &plan{root: root, room: newRoom(f.db.stamp)}
	for _, s := range f.members(root) {
		if !s.touched {
			if s == root && s.messages == nil { // its children refer to it
				p.steps = append(p.steps, step{session: s, kind: kindSession, id: s.id, size: s.size, context: true, at: math.MinInt64})
			}
			continue
		}
		from := s.from(f.wholeAt)
		messages, err := f.candidates(ctx, &p.room, kindMessage, "session_id = ? AND time_updated >= ?", s.id, from)
		if err != nil {
			return err
		}
		parts, err := f.candidates(ctx, &p.room, kindPart, "session_id = ? AND time_updated >= ?", s.id, from)
		if err != nil {
			return err
		}
		p.sessions = append(p.sessions, s)
		p.reached = append(p.reached, latest(s.position, messages, parts))
		if err := f.planSession(ctx, p, s, messages, parts); err != nil {
			return err
		}
	}
	if err := f.db.holds(); err != nil {
		return err
	}
	p.order()
	f.plan = p
	return nil
}

// order sorts the messages of a family by creation, so that what a sub-agent did comes within the turn that it works for.
// Messages of one session keep their order.
func (p *plan) order() {
	slices.SortStableFunc(p.steps, func(a, b step) int { return cmp.Compare(a.at, b.at) })
}

// newest returns the time of the newest row of the family.
func (p *plan) newest() int64 {
	newest := max(p.root.updated, p.root.position)
	for _, s := range p.sessions {
		newest = max(newest, s.updated, s.position)
	}
	for _, reached := range p.reached {
		newest = max(newest, reached)
	}
	return newest
}

func latest(position int64, lists ...[]candidate) int64 {
	for _, list := range lists {
		for i := range list {
			position = max(position, list[i].updated)
		}
	}
	return position
}

// group is a message with its parts.
type group struct {
	candidate
	fresh bool // the message itself may be new
	parts []candidate
}

// beginOf returns the place of a session: that of its first message, but not before the session that it belongs to.
func (p *plan) beginOf(s *session, order []*group) int64 {
	if s == p.root {
		return math.MinInt64
	}
	at := s.created
	if len(order) > 0 {
		at = order[0].created
	}
	at = max(at, p.begins[s.parent])
	if p.begins == nil {
		p.begins = map[string]int64{}
	}
	p.begins[s.id] = at
	return at
}

// planSession adds the rows of a session in order.
func (f *Follower) planSession(ctx context.Context, p *plan, s *session, messages, parts []candidate) error {
	groups := map[string]*group{}
	for _, m := range messages {
		groups[m.id] = &group{candidate: m, fresh: true}
	}
	for _, part := range parts {
		g := groups[part.message]
		if g == nil {
			found, err := f.candidates(ctx, &p.room, kindMessage, "id = ?", part.message)
			if err != nil {
				return err
			}
			g = &group{candidate: candidate{id: part.message}}
			if len(found) > 0 {
				g.candidate = found[0]
			}
			groups[part.message] = g
		}
		g.parts = append(g.parts, part)
	}
	order := make([]*group, 0, len(groups))
	for _, g := range groups {
		order = append(order, g)
		slices.SortFunc(g.parts, func(a, b candidate) int { return cmp.Compare(a.id, b.id) })
	}
	slices.SortFunc(order, func(a, b *group) int { return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.id, b.id)) })
	at := p.beginOf(s, order)
	p.steps = append(p.steps, step{session: s, kind: kindSession, id: s.id, size: s.size, context: s.messages == nil, at: at})
	for _, g := range order {
		at = max(at, g.created)
		_, delivered := s.messages[g.id]
		message := step{session: s, kind: kindMessage, id: g.id, size: g.size, context: !delivered, at: at, updated: g.updated}
		if !delivered {
			p.steps = append(p.steps, message)
		}
		for _, part := range g.parts {
			p.steps = append(p.steps, step{
				session: s, kind: kindPart, id: part.id, size: part.size, at: at, updated: part.updated, changed: delivered && part.updated > part.created,
			})
		}
		if delivered && g.fresh {
			p.steps = append(p.steps, message)
		}
	}
	return nil
}
