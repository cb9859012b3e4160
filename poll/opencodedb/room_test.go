package opencodedb_test

import (
	"context"
	"encoding/binary"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/poll/opencodedb"
)

// multiply makes the table of parts return its rows many times: it puts levels of pages above the only page of the table that
// point at the same page repeatedly.
func multiply(t *testing.T, w *writer, levels int) {
	t.Helper()
	var root, size int
	require.NoError(t, w.db.QueryRow("SELECT rootpage FROM sqlite_schema WHERE name = 'part'").Scan(&root))
	require.NoError(t, w.db.QueryRow("PRAGMA page_size").Scan(&size))
	require.NoError(t, w.db.Close())
	file, err := os.ReadFile(w.path)
	require.NoError(t, err)
	at := (root - 1) * size
	file = append(file, file[at:at+size]...)
	for level := range levels {
		page := make([]byte, size)
		cells, end := (size-12)/7-1, size
		page[0] = 5 // an inner page of a table (file format, section 1.6)
		child := uint32(len(file) / size)
		binary.BigEndian.PutUint16(page[3:], uint16(cells))
		binary.BigEndian.PutUint32(page[8:], child)
		for i := range cells {
			end -= 5
			binary.BigEndian.PutUint32(page[end:], child)
			page[end+4] = 1 // a row number
			binary.BigEndian.PutUint16(page[12+2*i:], uint16(end))
		}
		binary.BigEndian.PutUint16(page[5:], uint16(end))
		if level == levels-1 {
			copy(file[at:], page)
		} else {
			file = append(file, page...)
		}
	}
	binary.BigEndian.PutUint32(file[28:], uint32(len(file)/size))
	require.NoError(t, os.WriteFile(w.path, file, 0o600))
	settle(t, w.path)
}

// TestMoreRowsThanBytes: a file of some kilobytes can represent any number of rows. They are neither listed nor waited for.
func TestMoreRowsThanBytes(t *testing.T) {
	w := newWriter(t, "delete")
	w.session("ses_1", "")
	w.message("msg_1", "ses_1", `{}`)
	w.exec("DROP INDEX part_session_idx")
	w.exec("DROP INDEX part_message_id_id_idx")
	for range 10 {
		w.exec("INSERT INTO part SELECT 'prt_' || (SELECT count(*) FROM part), 'msg_1', 'ses_1', 0, 0, '{}'")
	}
	multiply(t, w, 3)
	f := opencodedb.NewFollower(w.path, opencodedb.Settings{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := f.Next(t.Context())
	runtime.ReadMemStats(&after)
	require.ErrorContains(t, err, "larger than the files")
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(256<<20))
	require.NoError(t, f.Close())
}

// TestMaxTime: a scan that takes too long is given up, so that other databases are read.
func TestMaxTime(t *testing.T) {
	w := newWriter(t, "delete")
	w.session("ses_1", "")
	w.exec("DROP INDEX part_session_idx")
	w.exec("DROP INDEX part_message_id_id_idx")
	w.exec("INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_other', 0, 0, '{}')")
	multiply(t, w, 6) // rows of no session: nothing to list
	f := opencodedb.NewFollower(w.path, opencodedb.Settings{MaxTime: 50 * time.Millisecond})
	_, err := f.Next(t.Context())
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, f.Close())
}

// TestLongIDs are read as empty; a session's row counts by all of its values.
func TestLongIDs(t *testing.T) {
	w := newWriter(t, "wal")
	w.session("ses_1", "")
	w.message("msg_1", "ses_1", `{}`)
	w.exec("UPDATE session SET title = printf('%.*c', 5000, 'x')")
	w.exec("INSERT INTO part SELECT printf('%.*c', 5000, 'x'), 'msg_1', 'ses_1', 1, 1, '{}'")
	var skipped []int64
	f := follow(t, w.path, opencodedb.Settings{MaxRowSize: 4000, Skipped: func(n int64) { skipped = append(skipped, n) }})
	assert.Equal(t, []string{"# ses_1", "message msg_1 {}"}, all(t, f))
	assert.Len(t, skipped, 2)
}
