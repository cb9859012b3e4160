package opencodedb_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/poll/opencodedb"
)

// TestNothingIsWritten: neither a file that nobody writes nor its folder changes.
func TestNothingIsWritten(t *testing.T) {
	for _, journal := range []string{"wal", "delete"} {
		t.Run(journal, func(t *testing.T) {
			w := newWriter(t, journal)
			w.session("ses_1", "")
			require.NoError(t, w.db.Close())
			settle(t, w.path)
			before, err := os.ReadFile(w.path)
			require.NoError(t, err)
			require.NoError(t, os.Chmod(w.path, 0o400))
			assert.Equal(t, []string{"# ses_1", "session ses_1"}, all(t, follow(t, w.path, opencodedb.Settings{})))
			files, err := os.ReadDir(filepath.Dir(w.path))
			require.NoError(t, err)
			assert.Len(t, files, 1)
			after, err := os.ReadFile(w.path)
			require.NoError(t, err)
			assert.Equal(t, before, after)
		})
	}
}

// TestWriterIsNotHeldUp: while rows are unacknowledged, OpenCode can write, empty its log and exit.
func TestWriterIsNotHeldUp(t *testing.T) {
	w := newWriter(t, "wal")
	w.session("ses_1", "")
	w.message("msg_1", "ses_1", `{}`)
	f := follow(t, w.path, opencodedb.Settings{BatchRows: 1})
	_, err := f.Next(t.Context())
	require.NoError(t, err)
	w.exec("PRAGMA busy_timeout = 0")
	w.part("prt_1", "msg_1", "ses_1", `{}`)
	var busy, frames, done int
	require.NoError(t, w.db.QueryRow("PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &done))
	assert.Zero(t, busy)
	require.NoError(t, w.db.Close())
	f.Acknowledge()
	assert.Equal(t, []string{"# ses_1", "message msg_1 {}", "# ses_1", "part prt_1 {}"}, all(t, f))
}

// TestRestlessWriter: a database that is written all the time is followed all the same, in each journal mode.
func TestRestlessWriter(t *testing.T) {
	for _, journal := range []string{"wal", "delete", "persist"} {
		t.Run(journal, func(t *testing.T) {
			w := newWriter(t, journal)
			f := follow(t, w.path, opencodedb.Settings{})
			for _, id := range names("ses_", 20) {
				w.session(id, "")
				batch, err := f.Next(t.Context())
				require.NoError(t, err)
				require.Len(t, batch.Rows, 1)
				assert.Equal(t, "session "+id, parse(t, batch.Rows[0].Data))
				f.Acknowledge()
				batch, err = f.Next(t.Context())
				require.NoError(t, err)
				require.Empty(t, batch.Rows)
			}
		})
	}
}

// TestUncommitted rows are not seen.
func TestUncommitted(t *testing.T) {
	w := newWriter(t, "wal")
	w.session("ses_1", "")
	f := follow(t, w.path, opencodedb.Settings{})
	assert.Len(t, all(t, f), 2)
	tx, err := w.db.Begin()
	require.NoError(t, err)
	_, err = tx.Exec("INSERT INTO message VALUES ('msg_1', 'ses_1', 1, 1, '{}')")
	require.NoError(t, err)
	batch, err := f.Next(t.Context())
	require.NoError(t, err)
	assert.Empty(t, batch.Rows)
	require.NoError(t, tx.Rollback())
}

// TestReplacedDatabase is another file at the path: its additional content is delivered.
func TestReplacedDatabase(t *testing.T) {
	old, other := newWriter(t, "wal"), newWriter(t, "wal")
	old.session("ses_1", "")
	other.session("ses_2", "")
	f := follow(t, old.path, opencodedb.Settings{})
	assert.Equal(t, []string{"# ses_1", "session ses_1"}, all(t, f))
	require.NoError(t, old.db.Close())
	require.NoError(t, other.db.Close())
	require.NoError(t, os.Rename(other.path, old.path))
	assert.Equal(t, []string{"# ses_2", "session ses_2"}, all(t, f))
}

// TestLinkToADatabase: the log is beside the database, not beside a link to it, and contains what is new.
func TestLinkToADatabase(t *testing.T) {
	w := newWriter(t, "wal")
	w.session("ses_1", "")
	link := filepath.Join(t.TempDir(), "opencode.db")
	require.NoError(t, os.Symlink(w.path, link))
	f := follow(t, link, opencodedb.Settings{})
	assert.Equal(t, []string{"# ses_1", "session ses_1"}, all(t, f))
	w.message("msg_1", "ses_1", `{}`)
	assert.Equal(t, []string{"# ses_1", "message msg_1 {}"}, all(t, f))
	require.NoError(t, os.Remove(link))
	require.NoError(t, os.Symlink("opencode.db", link)) // to itself
	_, err := f.Next(t.Context())
	require.Error(t, err)
}

func TestOtherFiles(t *testing.T) {
	w := newWriter(t, "delete")
	w.session("ses_1", "")
	dir := t.TempDir()
	empty, words, torn := filepath.Join(dir, "empty"), filepath.Join(dir, "words"), filepath.Join(dir, "torn")
	whole, err := os.ReadFile(w.path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	require.NoError(t, os.WriteFile(words, []byte("not a database, whatever it is called"), 0o600))
	require.NoError(t, os.WriteFile(torn, whole[:5000], 0o600))
	foreign := newWriter(t, "delete")
	foreign.exec("DROP TABLE part")
	view := newWriter(t, "delete")
	view.exec("DROP TABLE part; CREATE VIEW part AS SELECT id, value AS data, id AS message_id, id AS session_id, 1 AS time_updated FROM credential")
	for _, path := range []string{words, torn, filepath.Join(dir, "nowhere")} {
		settleIfThere(t, path)
		_, err := opencodedb.Open(path, opencodedb.Settings{})
		require.Error(t, err, path)
	}
	for _, path := range []string{empty, foreign.path, view.path} {
		settleIfThere(t, path)
		_, err := opencodedb.Open(path, opencodedb.Settings{})
		assert.ErrorIs(t, err, opencodedb.ErrNoSessions, path)
	}
	assert.True(t, opencodedb.Is(whole))
	assert.False(t, opencodedb.Is(whole[:10]))
	assert.False(t, opencodedb.Is([]byte("{}")))
}

// TestLogWithoutIndex: a write-ahead log without an accessible index is an error with advice, and is read once it is accessible.
func TestLogWithoutIndex(t *testing.T) {
	w := newWriter(t, "wal")
	w.session("ses_1", "")
	dir := t.TempDir()
	path := filepath.Join(dir, "opencode.db") // as in a backup made meanwhile
	for _, ending := range []string{"", "-wal"} {
		content, err := os.ReadFile(w.path + ending)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path+ending, content, 0o600))
	}
	require.NoError(t, os.Symlink(filepath.Join(dir, "no", "where"), path+"-shm")) // which nobody can open, whatever their permissions
	f := follow(t, path, opencodedb.Settings{})
	_, err := f.Next(t.Context())
	require.ErrorContains(t, err, "unable to open database file")
	assert.ErrorContains(t, err, `reading its write-ahead log requires "opencode.db-shm"`)
	assert.ErrorContains(t, err, "let OpenCode open the database")
	require.NoError(t, os.Remove(path+"-shm"))
	assert.Equal(t, []string{"# ses_1", "session ses_1"}, all(t, f))
}

func settleIfThere(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Stat(path); err == nil {
		settle(t, path)
	}
}

// TestDatabaseThatComesLater: an error ends with its cause.
func TestDatabaseThatComesLater(t *testing.T) {
	w := newWriter(t, "delete")
	w.session("ses_1", "")
	require.NoError(t, w.db.Close())
	path := filepath.Join(t.TempDir(), "opencode.db")
	f := follow(t, path, opencodedb.Settings{})
	_, err := f.Next(t.Context())
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.True(t, f.Changed())
	require.NoError(t, os.Rename(w.path, path))
	assert.Equal(t, []string{"# ses_1", "session ses_1"}, all(t, f))
}

// TestCloseEarly leaves nothing behind.
func TestCloseEarly(t *testing.T) {
	r, err := opencodedb.Open(unpack(t), opencodedb.Settings{BatchRows: 1})
	require.NoError(t, err)
	_, err = r.Read(make([]byte, 10))
	require.NoError(t, err)
	require.NoError(t, r.Close())
}

// TestBrokenFiles reads files that are not a database, or a broken one: it returns rows, each one JSON object, and perhaps an
// error, and it ends.
func TestBrokenFiles(t *testing.T) {
	w := newWriter(t, "delete")
	w.session("ses_1", "")
	w.message("msg_1", "ses_1", `{"role":"user"}`)
	w.part("prt_1", "msg_1", "ses_1", `{"type":"text"}`)
	w.exec("VACUUM")
	whole, err := os.ReadFile(w.path)
	require.NoError(t, err)
	files := [][]byte{nil, whole, whole[:16], whole[:100], whole[:len(whole)/2], whole[:len(whole)-1]}
	for i := 0; i < len(whole); i += len(whole)/24 + 1 {
		for _, flip := range []byte{0xff, 0x01} {
			broken := append([]byte(nil), whole...)
			broken[i] ^= flip
			files = append(files, broken)
		}
	}
	path := filepath.Join(t.TempDir(), "opencode.db")
	read := 0
	for i, file := range files {
		require.NoError(t, os.WriteFile(path, file, 0o600))
		settle(t, path)
		r, err := opencodedb.Open(path, opencodedb.Settings{})
		if err != nil {
			continue
		}
		rows := bufio.NewScanner(r)
		rows.Buffer(nil, 1<<24)
		for rows.Scan() {
			read++
			assert.True(t, json.Valid(rows.Bytes()), "file %d: %q", i, rows.Text())
		}
		require.NoError(t, r.Close())
	}
	assert.GreaterOrEqual(t, read, 3, "rows of the whole file")
}
