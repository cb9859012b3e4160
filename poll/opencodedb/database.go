package opencodedb

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"modernc.org/sqlite" // and the driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// magic is the beginning of every SQLite database (file format, section 1.3).
var magic = []byte("SQLite format 3\x00")

// Is reports whether a file that begins with these bytes is a SQLite database. It needs 16 bytes.
func Is(head []byte) bool { return bytes.HasPrefix(head, magic) }

// busyTimeout is how long a query waits for a writer, in milliseconds; in WAL mode none waits.
const busyTimeout = 1000

// settled is how old a change must be for the next one to show in file times, whose resolution may be that coarse.
const settled = 100 * time.Millisecond

// stamp is the result of stat for a database's files.
type stamp struct {
	file, wal fileStat
	journal   bool // without a write-ahead log: a transaction is running or was interrupted
}

type fileStat struct {
	size  int64
	mtime int64 // in ns
}

func statFile(path string) (fileStat, error) {
	info, err := os.Stat(path)
	if err != nil {
		return fileStat{}, err
	}
	return fileStat{info.Size(), info.ModTime().UnixNano()}, nil
}

// stampOf stats the files of a database.
func stampOf(path string) (stamp, error) {
	var s stamp
	var err error
	if path, err = behindLink(path); err != nil {
		return stamp{}, err
	}
	if s.file, err = statFile(path); err != nil {
		return stamp{}, err
	}
	if s.wal, err = statFile(path + "-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return stamp{}, err
	}
	_, err = os.Stat(path + "-journal")
	s.journal = err == nil
	return s, nil
}

// behindLink returns the path of the database itself, because SQLite keeps its log beside the database, not beside a link to it.
func behindLink(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return path, err
	}
	return filepath.EvalSymlinks(path)
}

// settledAt reports whether a change after now would show in the stamp.
func (s stamp) settledAt(now time.Time) bool {
	return now.Sub(time.Unix(0, max(s.file.mtime, s.wal.mtime))).Abs() >= settled
}

// still reports whether no writer is active and all data is in the file itself.
func (s stamp) still() bool { return s.wal.size == 0 && !s.journal }

// database is a database opened for one scan.
type database struct {
	path string
	db   *sql.DB
	rows [kindEnd]*sql.Stmt
	// columns of each table, in the order of the rows' members.
	columns [kindEnd][]string
	stamp   stamp // before it was opened
	// immutable is true if no locks are taken. What was read is then valid only if the file did not change.
	immutable bool
}

// open opens a database for reading.
func open(ctx context.Context, path string) (*database, error) {
	before, err := stampOf(path)
	if err != nil {
		return nil, err
	}
	d := &database{path: path, stamp: before, immutable: before.still()}
	if d.immutable && !before.settledAt(time.Now()) {
		if usesLog(path) {
			return nil, errMoved
		}
		d.immutable = false // locks leave no files behind
	}
	if d.db, err = sql.Open("sqlite", d.name()); err != nil {
		return nil, fmt.Errorf("open database %q: %w", path, err)
	}
	d.db.SetMaxOpenConns(1)
	if err := d.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open database %q: %w", path, d.explain(err)), d.close())
	}
	return d, nil
}

// explain adds advice if SQLite can't access the index of a write-ahead log. A reader needs it, and creates it if it is
// missing or was left by a process that died, which requires write permission.
func (d *database) explain(err error) error {
	if d.stamp.wal.size == 0 || !has(err, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY) {
		return err
	}
	return fmt.Errorf("%w; reading its write-ahead log requires %q, which is missing or not readable: "+
		"let OpenCode open the database, or give the reader write access to its folder", err, filepath.Base(d.path)+"-shm")
}

// has reports whether an SQLite error has one of these primary result codes.
func has(err error, codes ...int) bool {
	failed, ok := errors.AsType[*sqlite.Error](err)
	return ok && slices.Contains(codes, failed.Code()&0xff)
}

// NotOpened reports whether SQLite could not open a file; whether a lack of file descriptors is the reason is unknown.
func NotOpened(err error) bool { return has(err, sqlite3.SQLITE_CANTOPEN) }

// usesLog reports whether a database is in WAL mode (file format, section 1.3.3). SQLite would create the log, and an index of
// it, even for a reader.
func usesLog(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return true
	}
	defer file.Close()
	var head [20]byte
	_, err = file.ReadAt(head[:], 0)
	return err != nil || head[19] != 1
}

// name returns the database in the form that the driver opens.
func (d *database) name() string {
	path := d.path
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	path = filepath.ToSlash(path)
	if path[0] != '/' { // C:/...
		path = "/" + path
	}
	query := url.Values{"mode": {"ro"}, "_pragma": {"query_only(1)", "trusted_schema(0)", fmt.Sprintf("busy_timeout(%d)", busyTimeout)}}
	if d.immutable {
		query.Set("immutable", "1")
	}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: query.Encode()}).String()
}

func (d *database) prepare(ctx context.Context) error {
	for k := range kindEnd {
		columns, err := columnsOf(ctx, d.db, k)
		if err != nil {
			return err
		}
		d.columns[k] = columns
		if d.rows[k], err = d.db.PrepareContext(ctx, rowQuery(k, columns)); err != nil {
			return fmt.Errorf("read table %q: %w", tables[k].name, err)
		}
	}
	return d.holds()
}

// errMoved means that the file was written while it was read as immutable. A new scan helps.
var errMoved = errors.New("database changed while it was read")

// holds returns an error if what was read since open may not be what the database held.
func (d *database) holds() error {
	if !d.immutable {
		return nil
	}
	now, err := stampOf(d.path)
	if err != nil {
		return err
	}
	if now != d.stamp {
		return errMoved
	}
	return nil
}

// close closes the database, which may be nil.
func (d *database) close() error {
	if d == nil || d.db == nil {
		return nil
	}
	var errs []error
	for _, s := range d.rows {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(append(errs, d.db.Close())...)
}
