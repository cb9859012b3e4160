package opencodedb

import (
	"context"
	"math"
	"time"
)

// Position is how far a family was read, in a form that outlives the process.
type Position struct {
	Sessions []SessionPosition `json:"sessions"`
	// Wake requests the rows of the family even if nothing is new in it.
	Wake bool `json:"-"`
}

// SessionPosition is how far one session was read. Times are row times, in milliseconds.
type SessionPosition struct {
	ID string `json:"id"`
	// Updated is the time of the session's own row when all new rows were acknowledged. Reached is the time up to which rows were.
	Updated int64 `json:"updated"`
	Reached int64 `json:"reached"`
	// Floor is the time before which no row was wanted.
	Floor int64 `json:"floor"`
}

// Position returns the position of a family, by the ID of its root. Rows beyond it may have been acknowledged too. It is not
// after the last scan, because a row in the future says nothing about rows that are written until its time.
func (f *Follower) Position(root string) Position {
	var p Position
	s := f.sessions[root]
	if s == nil {
		return p
	}
	scanned := f.beganAt.UnixMilli()
	for _, s := range f.members(s) {
		if s.finished {
			reached := min(s.position, scanned)
			p.Sessions = append(p.Sessions, SessionPosition{ID: s.id, Updated: s.done, Reached: reached, Floor: s.floor})
		}
	}
	return p
}

// restore sets the positions of an earlier process. It touches sessions that may have changed since; the others are neither
// read nor delivered.
func (f *Follower) restore(ctx context.Context) error {
	changed := false
	for _, s := range f.sessions {
		if f.settings.Restore == nil || f.root(s) != s {
			continue
		}
		p, err := f.settings.Restore(s.id)
		if err != nil {
			return err
		}
		known := map[string]SessionPosition{}
		for _, at := range p.Sessions {
			known[at.ID] = at
		}
		for _, m := range f.members(s) {
			at, ok := known[m.id]
			if !ok {
				continue
			}
			changed = true
			m.position, m.floor, m.done, m.finished, m.replay = at.Reached, at.Floor, at.Updated, true, true
			m.changed = time.UnixMilli(max(at.Updated, at.Reached))
			m.touched = p.Wake || m.updated != at.Updated || time.Since(m.changed).Abs() < activeFor
		}
		s.wake = p.Wake && len(known) > 0
	}
	if !changed {
		return nil
	}
	for _, k := range []kind{kindMessage, kindPart} {
		if err := f.touchNewer(ctx, k); err != nil {
			return err
		}
	}
	return nil
}

// touchNewer touches the sessions that have rows beyond their positions.
func (f *Follower) touchNewer(ctx context.Context, k kind) error {
	rows, err := f.db.db.QueryContext(ctx, "SELECT "+idOf("session_id")+", max("+intOf("time_updated")+") FROM "+tables[k].name+" GROUP BY 1")
	if err != nil {
		return err
	}
	defer rows.Close()
	left := newRoom(f.db.stamp)
	for rows.Next() {
		var id string
		var newest int64
		if err := rows.Scan(&id, &newest); err != nil {
			return err
		}
		if err := left.take(int64(len(id))); err != nil {
			return err
		}
		if s := f.sessions[id]; s != nil && s.replay && newest > s.position {
			s.touched, s.changed = true, time.Now()
		}
	}
	return rows.Err()
}

// planReplay plans the replay of a family's rows that an earlier process acknowledged, if something may be new in the family
// or its consumer asked for it. It reports whether there is such a plan.
func (f *Follower) planReplay(ctx context.Context, root *session) (bool, error) {
	family := f.members(root)
	replay, wanted := false, root.wake
	for _, s := range family {
		replay = replay || s.replay
		wanted = wanted || s.touched
	}
	if !replay || !wanted {
		return false, nil
	}
	p := &plan{root: root, replayed: true, room: newRoom(f.db.stamp)}
	for _, s := range family {
		if !s.replay {
			continue
		}
		const acknowledged = "session_id = ? AND time_updated BETWEEN ? AND ?"
		messages, err := f.candidates(ctx, &p.room, kindMessage, acknowledged, s.id, s.floor, s.position)
		if err != nil {
			return false, err
		}
		parts, err := f.candidates(ctx, &p.room, kindPart, acknowledged, s.id, s.floor, s.position)
		if err != nil {
			return false, err
		}
		if err := f.planSession(ctx, p, s, messages, parts); err != nil {
			return false, err
		}
	}
	if err := f.db.holds(); err != nil {
		return false, err
	}
	p.order()
	f.plan = p
	return true, nil
}

// finishReplay ends a replay plan.
func (f *Follower) finishReplay() {
	for _, s := range f.members(f.plan.root) {
		s.replay = false
	}
	f.plan.root.wake = false
	f.plan = nil
}

// nothing is the position of a session of which no row was acknowledged.
const nothing = math.MinInt64 + overlap
