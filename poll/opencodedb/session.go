package opencodedb

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"
)

const (
	// overlap is how long before the position rows are scanned again, in milliseconds. OpenCode sets a row's time before it
	// waits for the database, and waits at most 5 s.
	overlap = 10_000
	// activeFor is how long a session is scanned after a change, even if nothing shows that it changed again.
	activeFor = 10 * time.Minute
)

// session is what is known of one session.
type session struct {
	id, parent       string
	created, updated int64 // as in its row
	size             int64 // of its row
	// position is the latest time of an acknowledged row; floor is the time before which no row is wanted.
	position, floor int64
	// recent holds the hashes of acknowledged rows, from overlap before the position on.
	recent map[string]version
	// touched is true if something may be new; changed is when that was last found.
	touched bool
	changed time.Time
	// messages are those delivered to the current stream; nil before the session's own row was delivered.
	messages map[string]struct{}
	seen     uint32 // number of the last scan that found it
	// finished is true if everything up to position was acknowledged; done is the time of the session's own row then.
	finished bool
	done     int64
	// replay is true if an earlier process acknowledged the rows up to the position and this one has not delivered them. wake,
	// for a root, is true if the family is replayed even without a new row.
	replay, wake bool
}

// version is a row as it was acknowledged.
type version struct {
	time int64
	hash uint64
}

// from returns the time from which rows are scanned. Rows written since the start of the last scan are scanned even if the
// clock was set back since, or if an acknowledged row lies in the future.
func (s *session) from(lastScan time.Time) int64 {
	reached := s.position
	if !lastScan.IsZero() {
		now := time.Now()
		reached = min(reached, now.Add(-now.Sub(lastScan)).UnixMilli()) // wall clock, which dates rows, minus the monotonic time elapsed
	}
	return max(reached-overlap, s.floor)
}

// release clears what was delivered to a closed stream.
func (s *session) release() {
	s.messages = nil
	if s.finished {
		s.floor = min(s.position, time.Now().UnixMilli()) + 1
	}
}

// findSessions finds all sessions, and touches those that may have something new.
func (f *Follower) findSessions(ctx context.Context) error {
	first := f.sessions == nil
	if first {
		f.sessions = map[string]*session{}
	}
	f.scan++
	columns := []string{
		idOf("id"), idOf("parent_id"), intOf("time_created"), intOf("time_updated"), sizeOf(f.db.columns[kindSession]),
	}
	rows, err := f.db.db.QueryContext(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM session")
	if err != nil {
		return err
	}
	defer rows.Close()
	now, left := time.Now(), newRoom(f.db.stamp)
	for rows.Next() {
		var found session
		if err := rows.Scan(&found.id, &found.parent, &found.created, &found.updated, &found.size); err != nil {
			return err
		}
		if err := left.take(found.size); err != nil {
			return err
		}
		s := f.sessions[found.id]
		switch {
		case s == nil:
			s = &found
			s.position, s.floor, s.touched, s.changed = nothing, math.MinInt64, true, now
			if first && f.settings.Since > 0 {
				s.position, s.floor, s.touched = f.settings.Since, f.settings.Since, s.updated >= f.settings.Since
				s.changed = time.UnixMilli(s.updated)
			}
			f.sessions[s.id] = s
		case s.updated != found.updated || s.parent != found.parent:
			s.updated, s.parent, s.touched, s.changed = found.updated, found.parent, true, now
		case now.Sub(s.changed).Abs() < activeFor:
			s.touched = true
		}
		s.seen, s.size = f.scan, found.size
	}
	if err := errors.Join(rows.Err(), f.db.holds()); err != nil {
		return err // before evicting sessions that the scan of a changed file missed
	}
	f.children = map[string][]*session{}
	for id, s := range f.sessions {
		switch {
		case s.seen != f.scan:
			delete(f.sessions, id)
		case s.parent != "":
			f.children[s.parent] = append(f.children[s.parent], s)
		}
	}
	return nil
}

// findAdded touches the sessions to which rows were added. Row numbers ascend, except after the last rows were removed, and
// they start anew when a database is vacuumed.
func (f *Follower) findAdded(ctx context.Context, k kind) error {
	var last int64
	err := f.db.db.QueryRowContext(ctx, "SELECT coalesce(max(rowid), 0) FROM "+tables[k].name).Scan(&last)
	if err != nil {
		return err
	}
	before, known := f.last[k], f.known[k]
	f.last[k], f.known[k] = last, true
	if !known || last <= before { // the first scan touches everything that is wanted anyway
		return nil
	}
	added, err := strs(ctx, f.db.db, newRoom(f.db.stamp), "SELECT DISTINCT "+idOf("session_id")+" FROM "+tables[k].name+" WHERE rowid > ?", before)
	for _, id := range added {
		if s := f.sessions[id]; s != nil {
			s.touched, s.changed = true, time.Now()
		}
	}
	return err
}

// families returns the roots of the sessions that may have something new, in order of creation.
func (f *Follower) families() []*session {
	found := map[*session]struct{}{}
	for _, s := range f.sessions {
		if s.touched {
			found[f.root(s)] = struct{}{}
		}
	}
	roots := make([]*session, 0, len(found))
	for s := range found {
		roots = append(roots, s)
	}
	slices.SortFunc(roots, byAge)
	return roots
}

func byAge(a, b *session) int {
	return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.id, b.id))
}

// maxDepth is how many parents of a session are followed, because they could form a cycle.
const maxDepth = 64

// root returns the root of a session's family.
func (f *Follower) root(s *session) *session {
	for range maxDepth {
		parent := f.sessions[s.parent]
		if parent == nil {
			break
		}
		s = parent
	}
	return s
}

// members returns the sessions of a family, each parent before its children, then by age.
func (f *Follower) members(root *session) []*session {
	family := []*session{root}
	in := map[*session]struct{}{root: {}}
	for i := 0; i < len(family); i++ {
		below := f.children[family[i].id]
		slices.SortFunc(below, byAge)
		for _, s := range below {
			if _, twice := in[s]; !twice {
				in[s] = struct{}{}
				family = append(family, s)
			}
		}
	}
	return family
}

// candidate is a row that may be new.
type candidate struct {
	id      string
	message string // of a part
	created int64
	updated int64
	size    int64
}

// candidates returns the rows that match a condition; it is an error if there is not enough room.
func (f *Follower) candidates(ctx context.Context, left *room, k kind, where string, args ...any) ([]candidate, error) {
	columns := "'', " + intOf("time_created")
	if k == kindPart {
		columns = idOf("message_id") + ", 0"
	}
	columns = idOf("id") + ", " + columns + ", " + intOf("time_updated") + ", " + sizeOf(f.db.columns[k])
	rows, err := f.db.db.QueryContext(ctx, "SELECT "+columns+" FROM "+tables[k].name+" WHERE "+where, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []candidate
	for rows.Next() {
		var c candidate
		if err := rows.Scan(&c.id, &c.message, &c.created, &c.updated, &c.size); err != nil {
			return nil, err
		}
		if err := left.take(c.size); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, rows.Err()
}
