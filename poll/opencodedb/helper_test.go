package opencodedb_test

import (
	"bufio"
	"compress/gzip"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tailspan/tailspan/poll/opencodedb"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const fixtures = "../../testdata/opencode"

// longAgo is the time of files that nobody writes.
var longAgo = time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC)

// settle dates a database back, as if it had not been written for long.
func settle(t *testing.T, path string) {
	t.Helper()
	require.NoError(t, os.Chtimes(path, longAgo, longAgo))
}

// unpack extracts the real database to a readable file.
func unpack(t *testing.T) string {
	t.Helper()
	in, err := os.Open(filepath.Join(fixtures, "db", "sample.opencode.db.gz"))
	require.NoError(t, err)
	defer in.Close()
	content, err := gzip.NewReader(in)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "opencode.db")
	out, err := os.Create(path)
	require.NoError(t, err)
	_, err = io.Copy(out, content)
	require.NoError(t, err)
	require.NoError(t, out.Close())
	settle(t, path)
	return path
}

// writer stands for OpenCode.
type writer struct {
	t    testing.TB
	db   *sql.DB
	path string
	now  int64 // row time
}

// newWriter creates a database with the schema of 1.18.33.
func newWriter(t testing.TB, journal string) *writer {
	t.Helper()
	w := &writer{t: t, path: filepath.Join(t.TempDir(), "opencode.db"), now: longAgo.UnixMilli()}
	schema, err := os.ReadFile(filepath.Join("testdata", "schema-1.18.33.sql"))
	require.NoError(t, err)
	w.open(journal)
	w.exec(string(schema))
	return w
}

func (w *writer) open(journal string) {
	w.t.Helper()
	db, err := sql.Open("sqlite", "file:"+w.path+"?_pragma=journal_mode("+journal+")&_pragma=busy_timeout(5000)&_pragma=synchronous(off)")
	require.NoError(w.t, err)
	db.SetMaxOpenConns(1)
	w.db = db
	w.t.Cleanup(func() { require.NoError(w.t, db.Close()) })
}

func (w *writer) exec(query string, args ...any) {
	w.t.Helper()
	_, err := w.db.Exec(query, args...)
	require.NoError(w.t, err)
}

// session, message and part insert or replace a row with the current row time.
func (w *writer) session(id, parent string) {
	w.t.Helper()
	w.now++
	w.exec(`INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, share_url, time_created, time_updated)
		VALUES (?, 'p', nullif(?, ''), 's', '/home/dev/shop', 'T', '1.18.33', 'https://share.example/secret-share-url', ?, ?)
		ON CONFLICT DO UPDATE SET time_updated = excluded.time_updated`, id, parent, w.now, w.now)
}

func (w *writer) message(id, session, data string) {
	w.t.Helper()
	w.now++
	w.exec(`INSERT INTO message (id, session_id, time_created, time_updated, data) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET time_updated = excluded.time_updated, data = excluded.data`, id, session, w.now, w.now, data)
}

func (w *writer) part(id, message, session, data string) {
	w.t.Helper()
	w.now++
	w.partAt(w.now, id, message, session, data)
}

func (w *writer) partAt(at int64, id, message, session, data string) {
	w.t.Helper()
	w.exec(`INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET time_updated = excluded.time_updated, data = excluded.data`, id, message, session, at, at, data)
}

// row is the part of a row that tests check.
type row struct {
	Table string
	ID    string
	Data  string
}

func (r row) String() string {
	if r.Data == "" {
		return r.Table + " " + r.ID
	}
	return r.Table + " " + r.ID + " " + r.Data
}

func parse(t *testing.T, line []byte) string {
	t.Helper()
	var r row
	require.NoError(t, json.Unmarshal(line, &r), string(line))
	return r.String()
}

// all reads everything, waiting until the files are old enough to show a change.
func all(t *testing.T, f *opencodedb.Follower) []string {
	t.Helper()
	var rows []string
	for _, b := range batches(t, f) {
		rows = append(rows, b...)
	}
	return rows
}

func batches(t *testing.T, f *opencodedb.Follower) [][]string {
	t.Helper()
	var list [][]string
	require.Eventually(t, func() bool {
		for {
			batch, err := f.Next(t.Context())
			require.NoError(t, err)
			if len(batch.Rows) == 0 {
				return !f.Changed()
			}
			rows := []string{"# " + batch.Session}
			for _, r := range batch.Rows {
				rows = append(rows, parse(t, r.Data))
			}
			list = append(list, rows)
			f.Acknowledge()
		}
	}, 2*time.Minute, 10*time.Millisecond)
	return list
}

func follow(t *testing.T, path string, s opencodedb.Settings) *opencodedb.Follower {
	t.Helper()
	f := opencodedb.NewFollower(path, s)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}

func lines(t *testing.T, r io.Reader) []string {
	t.Helper()
	var list []string
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		list = append(list, s.Text())
	}
	require.NoError(t, s.Err())
	return list
}

func names(prefix string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%s%04d", prefix, i)
	}
	return list
}

func join(rows []string) string { return strings.Join(rows, "\n") }
