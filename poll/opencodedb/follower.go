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

// Settings configures what is read of a database, and how much at once. The zero value of each field selects its default.
type Settings struct {
	// Since is the row time, in milliseconds since 1970, before which rows are excluded in sessions that exist at the first
	// scan. 0: none are excluded.
	Since int64
	// MaxRowSize is the size in bytes of a row's values above which it is skipped.
	MaxRowSize int
	// BatchBytes and BatchRows bound a batch. A larger row is a separate batch.
	BatchBytes, BatchRows int
	// MaxTime is how long [Follower.Next] may take, because other databases wait for it.
	MaxTime time.Duration
	// Restore, if set, returns how far an earlier process read a family, by the ID of its root. It is called once for each
	// family of the first scan. Acknowledged rows are replayed, marked [Batch.Replayed], before the new rows of the family,
	// and not at all if there are none.
	Restore func(root string) (Position, error)
	// Skipped is called with the size in bytes of each skipped row. It may be nil.
	Skipped func(bytes int64)
}

// Batch is rows of one family, in order.
type Batch struct {
	// Session is the ID of the family's root session.
	Session string
	Rows    []Row
	// Newest is when the newest row of the family was written, in Unix milliseconds.
	Newest int64
	// Replayed is true if an earlier process acknowledged the rows, as they were then.
	Replayed bool
}

// Follower returns the rows of one database: the existing ones and then new ones.
type Follower struct {
	path     string
	settings Settings
	seed     maphash.Seed

	stamp    stamp     // of the last finished scan
	trusted  bool      // a change would show in the stamp
	beganAt  time.Time // when the last scan began
	wholeAt  time.Time // when the last completed scan began
	sessions map[string]*session
	children map[string][]*session // by the parent's ID, as of the last scan
	last     [kindEnd]int64        // number of the last row
	known    [kindEnd]bool         // whether last is known
	scan     uint32                // number of the last scan

	// The current scan.
	db    *database
	queue []*session // roots of families to scan
	plan  *plan      // for the first of them
	batch Batch      // not acknowledged yet
}

// NewFollower returns a follower; the database need not exist yet.
func NewFollower(path string, s Settings) *Follower {
	s.MaxRowSize = cmp.Or(s.MaxRowSize, DefaultMaxRowSize)
	s.BatchBytes = cmp.Or(s.BatchBytes, DefaultBatchBytes)
	s.BatchRows = cmp.Or(s.BatchRows, DefaultBatchRows)
	s.MaxTime = cmp.Or(s.MaxTime, DefaultMaxTime)
	return &Follower{path: path, settings: s, seed: maphash.MakeSeed()}
}

// Changed reports whether Next may return something, judging by the size and time of the files.
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
// valid until then. After an error the scan starts again with the unacknowledged rows.
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
	case errors.Is(err, errMoved): // try again soon
		f.trusted = false
		return Batch{}, f.abandon()
	default:
		f.trusted = false
		return Batch{}, errors.Join(err, f.abandon())
	}
}

// next fills the batch and reports whether there is one.
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
		if f.last, f.known = last, known; first { // the result may be wrong or partial, so the next scan is the first again
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
		known := st.session.recent[row.key].hash == row.hash
		if !there || known && !st.context {
			done++
			continue
		} else if !known && endsCall(&st, &row) {
			if row.Time > st.updated { // written since the rows were listed; the next scan also finds what preceded it
				done++
				continue
			}
			if f.plan.putBehind(f.plan.steps[done:]) {
				continue
			}
		}
		done++
		row.mark = mark{session: st.session}
		row.Again = st.context && (known || st.kind == kindMessage && st.session.finished && st.updated < st.session.floor)
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

// skip skips a row that is too large, and counts it once.
func (f *Follower) skip(st step) {
	key := tables[st.kind].name + "\x00" + st.id
	v := version{time: st.session.updated, hash: uint64(st.size)}
	if st.session.recent[key] != v && f.settings.Skipped != nil {
		f.settings.Skipped(st.size)
	}
	st.session.remember(key, v)
}

// Acknowledge records that the consumer acknowledged the rows of the last batch.
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

// key returns the key of the session's own row, which is compared whatever its time.
func (s *session) key() string { return tables[kindSession].name + "\x00" + s.id }

// Release records that the stream of a family was closed. If the family continues, its sessions and messages are delivered again.
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

// Close closes the database if a scan has it open.
func (f *Follower) Close() error { return f.abandon() }
