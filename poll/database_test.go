package poll_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/poll"
	"github.com/tailspan/tailspan/tail"
)

// openDatabase creates a database with only the columns that are read.
func openDatabase(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)&_pragma=journal_mode(wal)&_pragma=synchronous(off)")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	_, err = db.Exec(`
		CREATE TABLE session (id text PRIMARY KEY, parent_id text, time_created integer, time_updated integer);
		CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text);
		CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer, time_updated integer, data text);`)
	require.NoError(t, err)
	return db
}

func insert(t *testing.T, db *sql.DB, table, columns string, values ...any) {
	t.Helper()
	query := fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", table, columns, strings.TrimSuffix(strings.Repeat("?,", len(values)), ","))
	_, err := db.Exec(query, values...)
	require.NoError(t, err)
}

// ids returns the IDs of a stream's rows.
func ids(t *testing.T, s *filestest.Opened) []string {
	t.Helper()
	var list []string
	for _, text := range s.Text {
		var row struct{ ID string }
		require.NoError(t, json.Unmarshal([]byte(text), &row))
		list = append(list, row.ID)
	}
	return list
}

// TestDatabaseStreams: a stream for each family, with offsets that are the same when it is read again.
func TestDatabaseStreams(t *testing.T) {
	w := &polledFolder{Folder: filestest.NewFolder(t)}
	db := openDatabase(t, w.Path("opencode.db"))
	for i := range 3 {
		insert(t, db, "session", "id, parent_id, time_created, time_updated", fmt.Sprint("s", i), fmt.Sprint("s", i-2), i, i)
		insert(t, db, "message", "id, session_id, time_created, time_updated, data", fmt.Sprint("m", i), fmt.Sprint("s", i), i, i, "{}")
	}
	quick := func(s *poll.Settings) { s.Shared.PollInterval = 5 * time.Millisecond }
	w.follow(quick)
	rows := func(n int) func() bool { return func() bool { return len(w.Sink.All()) >= n } }
	w.Sink.Until(t, "all rows", rows(6))
	insert(t, db, "part", "id, message_id, session_id, time_created, time_updated, data", "p0", "m0", "s0", 9, 9, "{}")
	w.Sink.Until(t, "a part", rows(7))
	w.finish()
	first := w.Sink.Opened()
	require.Len(t, first, 2)
	assert.Equal(t, []string{"s0", "m0", "s2", "m2", "p0"}, ids(t, &first[0]))
	assert.Equal(t, []string{"s1", "m1"}, ids(t, &first[1]))
	assert.Equal(t, []tail.CloseReason{tail.CloseReasonShutdown}, first[0].Closed)
	assert.True(t, first[0].Received[4].Live)
	assert.False(t, first[0].Received[0].Live)
	assert.EqualValues(t, 9, first[0].Received[4].Offset>>20)

	w.Sink = filestest.NewPatientSink()
	w.follow(quick)
	w.Sink.Until(t, "all rows again", rows(7))
	w.finish()
	again := w.Sink.Opened()
	offsets := func(s *filestest.Opened) map[string]int64 {
		m := map[string]int64{}
		for i, id := range ids(t, s) {
			m[id] = s.Received[i].Offset
		}
		return m
	}
	for i := range first {
		assert.Equal(t, first[i].ID, again[i].ID)
		assert.Equal(t, offsets(&first[i]), offsets(&again[i]))
	}
}

// TestDatabaseRefused: refused rows are delivered again, and nothing twice.
func TestDatabaseRefused(t *testing.T) {
	w := &polledFolder{Folder: filestest.NewFolder(t)}
	db := openDatabase(t, w.Path("opencode.db"))
	insert(t, db, "session", "id, time_created, time_updated", "s0", 1, 1)
	calls := 0
	w.Sink.Accept = func(tail.Stream, []tail.Line) error {
		if calls++; calls%3 != 0 {
			return filestest.ErrRefused
		}
		return nil
	}
	w.follow(func(s *poll.Settings) {
		s.Shared.PollInterval, s.Shared.RetryInterval, s.Shared.BatchLines = time.Millisecond, time.Millisecond, 3
		s.Shared.MaxRetryInterval = 2 * time.Millisecond
	})
	var want []string
	for i := range 20 {
		id := fmt.Sprintf("m%02d", i)
		want = append(want, id)
		insert(t, db, "message", "id, session_id, time_created, time_updated, data", id, "s0", i, i, "{}")
	}
	w.Sink.Until(t, "all rows", func() bool { return len(w.Sink.All()) >= 21 })
	w.finish()
	s := w.Sink.Opened()
	require.Len(t, s, 1)
	assert.Equal(t, append([]string{"s0"}, want...), ids(t, &s[0]))
}

// TestDatabaseFamilyIdle: a quiet family is closed, and delivered again when it continues.
func TestDatabaseFamilyIdle(t *testing.T) {
	w := &polledFolder{Folder: filestest.NewFolder(t)}
	db := openDatabase(t, w.Path("opencode.db"))
	insert(t, db, "session", "id, time_created, time_updated", "s0", 1, 1)
	w.follow(func(s *poll.Settings) {
		s.Shared.PollInterval, s.Shared.IdleClose = 5*time.Millisecond, 10*time.Millisecond
	})
	w.UntilClosed(1)
	insert(t, db, "message", "id, session_id, time_created, time_updated, data", "m0", "s0", 5, 5, "{}")
	w.UntilClosed(2)
	s := w.Sink.Opened()
	require.Len(t, s, 2)
	assert.Equal(t, s[0].ID, s[1].ID)
	assert.Equal(t, []string{"s0"}, ids(t, &s[0]))
	assert.Equal(t, []string{"s0", "m0"}, ids(t, &s[1]))
	assert.Equal(t, []tail.CloseReason{tail.CloseReasonIdle}, s[0].Closed)
}

// TestDatabaseStartAtEnd delivers what is written after the start, with the rows that it refers to.
func TestDatabaseStartAtEnd(t *testing.T) {
	w := &polledFolder{Folder: filestest.NewFolder(t)}
	db := openDatabase(t, w.Path("opencode.db"))
	for _, id := range []string{"s0", "s1"} {
		insert(t, db, "session", "id, time_created, time_updated", id, 1, 1)
		insert(t, db, "message", "id, session_id, time_created, time_updated, data", "m"+id, id, 1, 1, "{}")
		insert(t, db, "part", "id, message_id, session_id, time_created, time_updated, data", "old"+id, "m"+id, id, 1, 1, "{}")
	}
	idle := make(chan struct{})
	var once sync.Once // it fails at each scan
	w.follow(fromEnd, func(s *poll.Settings) {
		s.Shared.PollInterval = 5 * time.Millisecond
		s.Shared.Observer.Failed = func(string, error, time.Duration) { once.Do(func() { close(idle) }) }
	})
	// A broken database fails after all others were scanned, so the first scan of ours is over then.
	w.Put("opencode-z.db", strings.Repeat("no database ", 100))
	select {
	case <-idle:
	case <-t.Context().Done():
	}
	now := time.Now().UnixMilli()
	insert(t, db, "part", "id, message_id, session_id, time_created, time_updated, data", "new", "ms0", "s0", now, now, "{}")
	w.Sink.Until(t, "the part", func() bool { return len(w.Sink.All()) >= 3 })
	w.finish()
	s := w.Sink.Opened()
	require.Len(t, s, 1)
	assert.Equal(t, []string{"s0", "ms0", "new"}, ids(t, &s[0]))
}

// TestDatabaseRowsSince excludes the sessions not written since.
func TestDatabaseRowsSince(t *testing.T) {
	w := &polledFolder{Folder: filestest.NewFolder(t)}
	db := openDatabase(t, w.Path("opencode.db"))
	since := time.Now().Add(-time.Hour)
	for id, at := range map[string]int64{"old": 1, "new": since.UnixMilli() + 1} {
		insert(t, db, "session", "id, time_created, time_updated", id, at, at)
		insert(t, db, "message", "id, session_id, time_created, time_updated, data", "m-"+id, id, at, at, "{}")
	}
	w.follow(func(s *poll.Settings) { s.RowsSince = since })
	w.Sink.Until(t, "the new session", func() bool { return len(w.Sink.All()) >= 2 })
	w.finish()
	s := w.Sink.Opened()
	require.Len(t, s, 1)
	assert.Equal(t, []string{"new", "m-new"}, ids(t, &s[0]))
}
