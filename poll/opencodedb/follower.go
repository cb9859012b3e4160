package opencodedb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"time"
)

// Defaults of [Settings].
const (
	DefaultMaxRowSize = 16 << 20
	DefaultBatchBytes = 256 << 10
	DefaultBatchRows  = 512
	DefaultMaxTime    = 30 * time.Second
)

// Settings says what of a database is wanted, and how much at once. The zero value of each field is its default.
type Settings struct {
	// Since is the row time, in milliseconds since 1970, before which nothing is wanted of sessions that are there at
	// the first scan. 0: everything.
	Since int64
	// MaxRowSize is the size in bytes of a row's values over which it is left out.
	MaxRowSize int
	// BatchBytes and BatchRows bound a batch. A larger row is a batch of its own.
	BatchBytes, BatchRows int
	// MaxTime is how long [Follower.Next] may take: other databases wait for it.
	MaxTime time.Duration
	// Restore, if set, returns how far an earlier process read a family, by the id of its root; it is called once for each
	// family of the first scan. Acknowledged rows are replayed, marked [Batch.Replayed], before the new rows of the family,
	// and not at all if there are none.
	Restore func(root string) (Position, error)
	// Skipped is called with the size in bytes of each row that is left out. It may be nil.
	Skipped func(bytes int64)
}

// Batch is rows of one family, in order.
type Batch struct {
	// Session is the id of the session that is the family's root.
	Session string
	Rows    []Row
	// Newest is when the newest row of the family was written, in Unix milliseconds.
	Newest int64
	// Replayed is true if an earlier process acknowledged the rows, as they were then.
	Replayed bool
}

// Follower returns the rows of one database: the existing ones, and then those that are new.
type Follower struct {
	path     string
	settings Settings
	seed     maphash.Seed

	stamp    stamp     // of the last finished scan
	trusted  bool      // the stamp would show a change
	beganAt  time.Time // of the last scan
	wholeAt  time.Time // when the last one began that came to its end
	sessions map[string]*session
	children map[string][]*session // by the parent's id, as of the last scan
	last     [kindEnd]int64        // number of the last row
	known    [kindEnd]bool         // last is
	scan     uint32                // number of the last one

	// The current scan.
	db    *database
	queue []*session // roots of families to scan
	plan  *plan      // of the first of them
	batch Batch      // not acknowledged yet
}

// NewFollower makes a follower; the database need not be there yet.
func NewFollower(path string, s Settings) *Follower {
	s.MaxRowSize = cmp.Or(s.MaxRowSize, DefaultMaxRowSize)
	s.BatchBytes = cmp.Or(s.BatchBytes, DefaultBatchBytes)
	s.BatchRows = cmp.Or(s.BatchRows, DefaultBatchRows)
	s.MaxTime = cmp.Or(s.MaxTime, DefaultMaxTime)
	return &Follower{path: path, settings: s, seed: maphash.MakeSeed()}
}

// Changed reports whether Next may have something, by the size and time of the files.
func (f *Follower) Changed() bool {
	if f.db != nil || !f.trusted {
		return true
	}
	now, err := stampOf(f.path)
	return err != nil || now != f.stamp
}

// Scanning reports whether the database is open for a scan.
func (f *Follower) Scanning() bool { return f.db != nil }

// Move follows the database to another path. The current scan starts again.
func (f *Follower) Move(path string) {
	_ = f.abandon() // it was only read
	f.path, f.trusted = path, false
}

// Next returns the next rows, and the same ones again until they are acknowledged; none if there are no more. The rows are
// valid until then. After an error the scan starts again, with what was not acknowledged.
func (f *Follower) Next(ctx context.Context) (Batch, error) {
	if len(f.batch.Rows) > 0 {
		return f.batch, nil
	}
	if !f.Changed() {
		return Batch{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, f.settings.MaxTime)
	defer cancel()
	more, err := f.next(ctx)
	switch {
	case err == nil && more:
		return f.batch, nil
	case err == nil:
		f.wholeAt = f.beganAt
		f.stamp = f.db.stamp
		f.trusted = f.stamp.settledAt(time.Now())
		return Batch{}, f.abandon()
	case errors.Is(err, errMoved): // soon
		f.trusted = false
		return Batch{}, f.abandon()
	default:
		f.trusted = false
		return Batch{}, errors.Join(err, f.abandon())
	}
}

// next fills the batch, and reports whether there is one.
func (f *Follower) next(ctx context.Context) (bool, error) {
	if f.db == nil {
		if err := f.begin(ctx); err != nil {
			return false, err
		}
	}
	for {
		for f.plan == nil {
			if len(f.queue) == 0 {
				return false, nil
			}
			replay, err := f.planReplay(ctx, f.queue[0])
			if err == nil && !replay {
				err = f.makePlan(ctx, f.queue[0])
			}
			if err != nil {
				return false, fmt.Errorf("scan database %q: %w", f.path, err)
			}
			if !replay {
				f.queue = f.queue[1:]
			}
		}
		if err := f.fill(ctx); err != nil {
			return false, fmt.Errorf("read database %q: %w", f.path, err)
		}
		if len(f.batch.Rows) > 0 {
			return true, nil
		}
		f.finish()
	}
}

// begin starts a scan.
func (f *Follower) begin(ctx context.Context) error {
	f.beganAt = time.Now()
	db, err := open(ctx, f.path)
	if err != nil {
		return err
	}
	f.db = db
	first, last, known := f.sessions == nil, f.last, f.known
	err = f.findSessions(ctx)
	if err == nil && first {
		err = f.restore(ctx)
	}
	for _, k := range []kind{kindMessage, kindPart} {
		if err == nil {
			err = f.findAdded(ctx, k)
		}
	}
	if err == nil {
		err = db.holds()
	}
	if err != nil {
		if f.last, f.known = last, known; first { // what was found may be wrong, or a part: the next scan is the first one again
			f.sessions = nil
		}
		return fmt.Errorf("scan database %q: %w", f.path, err)
	}
	f.queue = f.families()
	return nil
}

// fill reads rows of the plan until a batch is full.
func (f *Follower) fill(ctx context.Context) error {
	f.batch = Batch{Session: f.plan.root.id, Newest: f.plan.newest(), Replayed: f.plan.replayed}
	size, done := 0, 0
	for done < len(f.plan.steps) {
		st := f.plan.steps[done]
		if len(f.batch.Rows) >= f.settings.BatchRows || size >= f.settings.BatchBytes {
			break
		}
		if st.size > int64(f.settings.MaxRowSize) {
			f.skip(st)
			done++
			continue
		}
		row, there, err := f.db.read(ctx, st.kind, st.id)
		if err != nil {
			f.batch = Batch{}
			return err
		}
		row.hash = maphash.Bytes(f.seed, row.Data)
		if known := st.session.recent[row.key].hash == row.hash; !there || known && !st.context {
			done++
			continue
		} else if !known && endsCall(&st, &row) {
			if row.Time > st.updated { // since the rows were listed: the next scan finds what came before it too
				done++
				continue
			}
			if f.plan.putBehind(f.plan.steps[done:]) {
				continue
			}
		}
		done++
		row.mark = mark{session: st.session}
		if st.kind == kindMessage {
			row.mark.message = st.id
		}
		size += len(row.Data)
		f.batch.Rows = append(f.batch.Rows, row)
	}
	if err := f.db.holds(); err != nil {
		f.batch = Batch{}
		return err
	}
	f.plan.steps = f.plan.steps[done:]
	return nil
}

// skip leaves out a row that is too large, and counts it once.
func (f *Follower) skip(st step) {
	key := tables[st.kind].name + "\x00" + st.id
	v := version{time: st.session.updated, hash: uint64(st.size)}
	if st.session.recent[key] != v && f.settings.Skipped != nil {
		f.settings.Skipped(st.size)
	}
	st.session.remember(key, v)
}

// Acknowledge records that the consumer accepted the rows of the last batch.
func (f *Follower) Acknowledge() {
	for _, row := range f.batch.Rows {
		s := row.mark.session
		s.remember(row.key, version{time: row.Time, hash: row.hash})
		if s.messages == nil { // its own row comes first
			s.messages = map[string]struct{}{}
		}
		if row.mark.message != "" {
			s.messages[row.mark.message] = struct{}{}
		}
	}
	f.batch = Batch{}
}

func (s *session) remember(key string, v version) {
	if s.recent == nil {
		s.recent = map[string]version{}
	}
	s.recent[key] = v
}

// finish moves the positions of a family whose rows were all acknowledged.
func (f *Follower) finish() {
	if f.plan.replayed {
		f.finishReplay()
		return
	}
	for i, s := range f.plan.sessions {
		s.touched, s.position = false, f.plan.reached[i]
		s.finished, s.done = true, s.updated
		from := s.from(f.beganAt)
		for key, v := range s.recent {
			if v.time < from && key != s.key() {
				delete(s.recent, key)
			}
		}
	}
	f.plan = nil
}

// key names the session's own row, which is compared whatever its time.
func (s *session) key() string { return tables[kindSession].name + "\x00" + s.id }

// Release records that the stream of a family was closed: if it continues, its sessions and messages are delivered again.
func (f *Follower) Release(root string) {
	for _, s := range f.sessions {
		if f.root(s).id == root {
			s.release()
		}
	}
}

// abandon ends the scan.
func (f *Follower) abandon() error {
	db := f.db
	f.db, f.queue, f.plan, f.batch = nil, nil, nil, Batch{}
	return db.close()
}

// Close closes the database, if a scan has it open.
func (f *Follower) Close() error { return f.abandon() }
