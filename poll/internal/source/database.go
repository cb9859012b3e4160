package source

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/internal/files/lines"
	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/poll/opencodedb"
)

// Database is an OpenCode database, with one stream per family of sessions.
type Database struct {
	path     string
	follower *opencodedb.Follower
	held     descriptorsHeld
}

// DatabaseSettings configures what is read of a database, and how much at once.
type DatabaseSettings struct {
	// Since is the row time before which rows are skipped in sessions without a checkpoint; zero: none are skipped.
	Since                             time.Time
	MaxRowSize, BatchBytes, BatchRows int
	Descriptors                       *openfile.Descriptors
	// Known returns the checkpoint of a family, by the ID of its root, or nil if there is none.
	Known func(root string) (*checkpoint.Checkpoint, error)
	// Unusable reports a checkpoint whose position is not readable.
	Unusable func(stream string, err error)
	// TooLong reports a skipped row and its size.
	TooLong func(path string, bytes int64)
}

// NewDatabase returns a database, which need not exist yet.
func NewDatabase(path string, s DatabaseSettings) *Database {
	d := &Database{path: path, held: descriptorsHeld{of: s.Descriptors}}
	settings := opencodedb.Settings{
		MaxRowSize: s.MaxRowSize, BatchBytes: s.BatchBytes, BatchRows: s.BatchRows,
		Skipped: func(bytes int64) { s.TooLong(d.path, bytes) },
	}
	if !s.Since.IsZero() {
		settings.Since = s.Since.UnixMilli()
	}
	settings.Restore = func(root string) (at opencodedb.Position, err error) {
		state, err := s.Known(root)
		if err != nil || state == nil {
			return at, err
		}
		if err := json.Unmarshal(state.Position, &at); err != nil {
			s.Unusable(state.Stream, fmt.Errorf("position of family: %w: %w", checkpoint.ErrBroken, err))
			return opencodedb.Position{}, nil
		}
		at.Wake = state.Pending
		return at, nil
	}
	d.follower = opencodedb.NewFollower(path, settings)
	return d
}

// Changed reports whether the files of the database changed.
func (d *Database) Changed() bool { return d.follower.Changed() }

// Next returns the next rows of one family.
func (d *Database) Next(ctx context.Context) (Batch, error) {
	rows, err := d.follower.Next(ctx)
	d.held.set(d.follower.Scanning())
	if opencodedb.NotOpened(err) {
		d.held.of.Exhaust() // this may be the reason
	}
	b := Batch{Key: rows.Session, Changed: time.UnixMilli(rows.Newest), Replayed: rows.Replayed}
	for i := range rows.Rows {
		data := rows.Rows[i].Data
		at := rowOffset(rows.Rows[i].Time, data)
		b.Lines = append(b.Lines, lines.Line{Data: data, Offset: at, Next: at, Replayed: rows.Replayed, Again: rows.Rows[i].Again})
		b.Bytes += int64(len(data))
	}
	return b, err
}

// rowHashBits is how many bits of a row's offset are from its hash.
const rowHashBits = 20

// rowOffset returns the place of a row in its stream: the time of its last write, and a hash that distinguishes it from other
// rows of the same millisecond. Reading the row again yields the same offset.
func rowOffset(millis int64, data []byte) int64 {
	const latest = 1<<(63-rowHashBits) - 1 // the year 2248
	return min(max(millis, 0), latest)<<rowHashBits | int64(fingerprint.Hash(data)&(1<<rowHashBits-1))
}

// Acknowledge records that the consumer acknowledged the rows.
func (d *Database) Acknowledge() { d.follower.Acknowledge() }

// Release records that the stream of a family was closed.
func (d *Database) Release(key string) { d.follower.Release(key) }

// Position returns the row times up to which a family was acknowledged.
func (d *Database) Position(key string) json.RawMessage {
	at, _ := json.Marshal(d.follower.Position(key)) // numbers and IDs can't fail
	return at
}

// Move follows the database to another path.
func (d *Database) Move(path string) bool {
	d.path = path
	d.follower.Move(path)
	d.held.set(d.follower.Scanning())
	return true
}

// Close closes the database.
func (d *Database) Close() error {
	err := d.follower.Close()
	d.held.set(d.follower.Scanning())
	return err
}

// descriptorsHeld counts the descriptors of one database.
type descriptorsHeld struct {
	of   *openfile.Descriptors
	open bool
}

// set records whether the database is open.
func (h *descriptorsHeld) set(open bool) {
	switch {
	case open && !h.open:
		h.of.Add(openfile.DatabaseDescriptors)
	case !open && h.open:
		h.of.Add(-openfile.DatabaseDescriptors)
	}
	h.open = open
}
