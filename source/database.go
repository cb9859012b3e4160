package source

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tailspan/tailspan/source/internal/checkpoint"
	"github.com/tailspan/tailspan/source/internal/fingerprint"
	"github.com/tailspan/tailspan/source/internal/openfile"
	"github.com/tailspan/tailspan/source/opencodedb"
)

// database is a database of OpenCode's: a stream for each family of sessions.
type database struct {
	path     string
	follower *opencodedb.Follower
	held     descriptorsHeld
}

// newDatabase makes a database. It skips rows from before since in sessions without a checkpoint; known
// returns the checkpoint of a family, by the id of its root.
func newDatabase(s *PolledSettings, path string, since time.Time, known func(root string) (*checkpoint.Checkpoint, error), unusable func(string, error)) *database {
	d := &database{path: path, held: descriptorsHeld{of: s.Settings.Descriptors}}
	settings := opencodedb.Settings{
		MaxRowSize: s.Settings.MaxLineSize, BatchBytes: s.Settings.BatchBytes, BatchRows: s.Settings.BatchLines,
		Skipped: func(bytes int64) { s.Settings.Observer.Skipped(d.path, SkipReasonTooLong, bytes) },
	}
	if !since.IsZero() {
		settings.Since = since.UnixMilli()
	}
	settings.Restore = func(root string) (at opencodedb.Position, err error) {
		state, err := known(root)
		if err != nil || state == nil {
			return at, err
		}
		if err := json.Unmarshal(state.Position, &at); err != nil {
			unusable(state.Stream, fmt.Errorf("position of family: %w: %w", ErrBroken, err))
			return opencodedb.Position{}, nil
		}
		at.Wake = state.Pending
		return at, nil
	}
	d.follower = opencodedb.NewFollower(path, settings)
	return d
}

func (d *database) changed() bool { return d.follower.Changed() }

func (d *database) next(ctx context.Context) (batch, error) {
	rows, err := d.follower.Next(ctx)
	d.held.set(d.follower.Scanning())
	if err != nil {
		d.held.of.Exhaust() // SQLite does not say that this was the reason
	}
	b := batch{key: rows.Session, changed: time.UnixMilli(rows.Newest), replayed: rows.Replayed}
	for i := range rows.Rows {
		data := rows.Rows[i].Data
		at := rowOffset(rows.Rows[i].Time, data)
		b.lines = append(b.lines, Line{Data: data, Offset: at, Next: at, Replayed: rows.Replayed})
		b.bytes += int64(len(data))
	}
	return b, err
}

// rowHashBits is how many bits of a row's hash are part of its offset.
const rowHashBits = 20

// rowOffset is the place of a row in its stream: the time of its last write, and a hash that distinguishes it from others of the
// same millisecond. Reading again yields the same.
func rowOffset(millis int64, data []byte) int64 {
	const latest = 1<<(63-rowHashBits) - 1 // the year 2248
	return min(max(millis, 0), latest)<<rowHashBits | int64(fingerprint.Hash(data)&(1<<rowHashBits-1))
}

func (d *database) acknowledge()       { d.follower.Acknowledge() }
func (d *database) release(key string) { d.follower.Release(key) }
func (d *database) position(key string) json.RawMessage {
	at, _ := json.Marshal(d.follower.Position(key)) // numbers and ids
	return at
}
func (d *database) move(path string) bool {
	d.path = path
	d.follower.Move(path)
	d.held.set(d.follower.Scanning())
	return true
}
func (d *database) close() error {
	err := d.follower.Close()
	d.held.set(d.follower.Scanning())
	return err
}

// descriptorsHeld are those of one database.
type descriptorsHeld struct {
	of   *Descriptors
	open bool
}

// set notes whether the database is open.
func (h *descriptorsHeld) set(open bool) {
	switch {
	case open && !h.open:
		h.of.Add(openfile.DatabaseDescriptors)
	case !open && h.open:
		h.of.Add(-openfile.DatabaseDescriptors)
	}
	h.open = open
}
