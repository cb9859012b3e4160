package opencodedb_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/poll/opencodedb"
)

// TestSample reads a real database: the rows are those that were taken from it, except the link that shares a session.
func TestSample(t *testing.T) {
	r, err := opencodedb.Open(unpack(t), opencodedb.Settings{})
	require.NoError(t, err)
	defer r.Close()
	var want []string
	for _, name := range []string{"parity.session.jsonl", "subagent.session.jsonl"} {
		in, err := os.Open(filepath.Join(fixtures, name))
		require.NoError(t, err)
		defer in.Close()
		want = append(want, lines(t, in)...)
	}
	assert.ElementsMatch(t, canonical(t, want), canonical(t, lines(t, r)))
}

func canonical(t *testing.T, rows []string) []string {
	t.Helper()
	list := make([]string, 0, len(rows))
	for _, line := range rows {
		var row map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &row))
		delete(row, "share_url")
		if row["table"] == "todo" {
			continue
		}
		b, err := json.Marshal(row)
		require.NoError(t, err)
		list = append(list, string(b))
	}
	return list
}

// TestSecretsAreNeverRead fills every table and column that must not be read with a secret.
func TestSecretsAreNeverRead(t *testing.T) {
	w := newWriter(t, "wal")
	w.exec("PRAGMA foreign_keys = off")
	w.session("ses_1", "")
	w.message("msg_1", "ses_1", `{"role":"user"}`)
	w.part("prt_1", "msg_1", "ses_1", `{"type":"text","text":"hello"}`)
	tables, err := w.db.Query("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('session', 'message', 'part')")
	require.NoError(t, err)
	var others []string
	for tables.Next() {
		var name string
		require.NoError(t, tables.Scan(&name))
		others = append(others, name)
	}
	require.NoError(t, tables.Err())
	require.Contains(t, others, "credential")
	for _, name := range others {
		columns := 0
		require.NoError(t, w.db.QueryRow("SELECT count(*) FROM pragma_table_info(?)", name).Scan(&columns))
		values := strings.Repeat(", 'made-up-secret'", columns)[2:]
		if name == "account_state" {
			values = "1" + values[len("'made-up-secret'"):]
		}
		w.exec("INSERT INTO `" + name + "` VALUES (" + values + ")")
	}
	w.exec("ALTER TABLE session ADD COLUMN token text DEFAULT 'made-up-secret'")
	f := follow(t, w.path, opencodedb.Settings{})
	batch, err := f.Next(t.Context())
	require.NoError(t, err)
	require.Len(t, batch.Rows, 3)
	for _, r := range batch.Rows {
		assert.NotContains(t, string(r.Data), "secret")
	}
}

// TestOrder checks the order of families, sessions, messages and parts.
func TestOrder(t *testing.T) {
	w := newWriter(t, "wal")
	w.session("ses_b", "")
	w.session("ses_a", "")
	w.session("ses_child", "ses_b")
	w.session("ses_grandchild", "ses_child")
	w.session("ses_orphan", "ses_gone")
	w.message("msg_2", "ses_b", `{}`)
	w.message("msg_1", "ses_b", `{}`)
	w.part("prt_9", "msg_2", "ses_b", `{}`)
	w.part("prt_8", "msg_2", "ses_b", `{}`)
	w.part("prt_1", "msg_1", "ses_b", `{}`)
	w.message("msg_3", "ses_grandchild", `{}`)
	w.message("msg_4", "ses_child", `{}`)
	w.part("prt_lost", "msg_gone", "ses_a", `{}`)
	assert.Equal(t, [][]string{
		{"# ses_b", "session ses_b", "message msg_2 {}", "part prt_8 {}", "part prt_9 {}", "message msg_1 {}", "part prt_1 {}",
			"session ses_child", "message msg_4 {}", "session ses_grandchild", "message msg_3 {}"},
		{"# ses_a", "session ses_a", "part prt_lost {}"},
		{"# ses_orphan", "session ses_orphan"},
	}, batches(t, follow(t, w.path, opencodedb.Settings{})))
}

// TestOrderOfAFamily: what a sub-agent does comes within the turn that it works for, not after all turns of its parent.
func TestOrderOfAFamily(t *testing.T) {
	w := newWriter(t, "wal")
	w.session("ses_a", "")
	w.session("ses_one", "ses_a")
	w.session("ses_two", "ses_a")
	w.message("msg_1", "ses_a", `{}`)
	w.message("msg_2", "ses_one", `{}`)
	w.message("msg_3", "ses_a", `{}`)
	w.message("msg_4", "ses_two", `{}`)
	w.message("msg_5", "ses_a", `{}`)
	assert.Equal(t, [][]string{
		{"# ses_a", "session ses_a", "message msg_1 {}", "session ses_one", "message msg_2 {}", "message msg_3 {}",
			"session ses_two", "message msg_4 {}", "message msg_5 {}"},
	}, batches(t, follow(t, w.path, opencodedb.Settings{})))
}

// TestFollow checks what each change delivers, in each journal mode.
func TestFollow(t *testing.T) {
	for _, journal := range []string{"wal", "delete", "truncate"} {
		t.Run(journal, func(t *testing.T) {
			w := newWriter(t, journal)
			f := follow(t, w.path, opencodedb.Settings{})
			assert.Empty(t, all(t, f))
			w.session("ses_1", "")
			w.message("msg_1", "ses_1", `{"n":1}`)
			w.part("prt_1", "msg_1", "ses_1", `{"running":1}`)
			assert.Equal(t, []string{"# ses_1", "session ses_1", `message msg_1 {"n":1}`, `part prt_1 {"running":1}`}, all(t, f))
			assert.Empty(t, all(t, f))

			w.part("prt_1", "msg_1", "ses_1", `{"completed":1}`)
			w.message("msg_1", "ses_1", `{"n":1,"done":true}`)
			assert.Equal(t, []string{"# ses_1", `part prt_1 {"completed":1}`, `message msg_1 {"n":1,"done":true}`}, all(t, f), "the message shows how its parts ended")

			w.partAt(w.now, "prt_1", "msg_1", "ses_1", `{"completed":2}`)
			assert.Equal(t, []string{"# ses_1", `part prt_1 {"completed":2}`}, all(t, f), "changed within a millisecond")

			w.partAt(w.now-9_000, "prt_0", "msg_1", "ses_1", `{"late":1}`)
			assert.Equal(t, []string{"# ses_1", `part prt_0 {"late":1}`}, all(t, f), "a commit that waited")

			w.session("ses_2", "ses_1")
			w.message("msg_2", "ses_2", `{}`)
			assert.Equal(t, []string{"# ses_1", "session ses_2", "message msg_2 {}"}, all(t, f), "a sub-agent belongs to its parent")

			w.exec("DELETE FROM part")
			assert.Empty(t, all(t, f))
			w.exec("VACUUM")
			w.part("prt_7", "msg_2", "ses_2", `{}`)
			assert.Equal(t, []string{"# ses_1", "part prt_7 {}"}, all(t, f))
		})
	}
}

// TestLongQuietSession: an addition to a session is found, however long ago the session was last scanned.
func TestLongQuietSession(t *testing.T) {
	w := newWriter(t, "wal")
	f := follow(t, w.path, opencodedb.Settings{Since: w.now + 1_000_000})
	w.session("ses_1", "")
	w.message("msg_1", "ses_1", `{"role":"user"}`)
	w.part("prt_1", "msg_1", "ses_1", `{}`)
	w.message("msg_2", "ses_1", `{"role":"assistant"}`)
	w.part("prt_2", "msg_2", "ses_1", `{}`)
	assert.Empty(t, all(t, f), "what was there before is not wanted")
	w.now += 1_000_000
	w.part("prt_3", "msg_2", "ses_1", `{}`)
	assert.Equal(t, []string{"# ses_1", "session ses_1", `message msg_2 {"role":"assistant"}`, "part prt_3 {}"}, all(t, f), "with the row that shows whose it is")
	w.part("prt_4", "msg_2", "ses_1", `{}`)
	assert.Equal(t, []string{"# ses_1", "part prt_4 {}"}, all(t, f))
	f.Release("ses_1")
	w.part("prt_5", "msg_2", "ses_1", `{}`)
	assert.Equal(t, []string{"# ses_1", "session ses_1", `message msg_2 {"role":"assistant"}`, "part prt_5 {}"}, all(t, f), "a new stream is delivered again")
}

// TestBatches: an unacknowledged batch is returned again, whatever happens in between, and each row once.
func TestBatches(t *testing.T) {
	w := newWriter(t, "wal")
	w.session("ses_1", "")
	w.message("msg_1", "ses_1", `{}`)
	for _, id := range names("prt_", 100) {
		w.part(id, "msg_1", "ses_1", `{}`)
	}
	f := follow(t, w.path, opencodedb.Settings{BatchRows: 7})
	first, err := f.Next(t.Context())
	require.NoError(t, err)
	require.Len(t, first.Rows, 7)
	again, err := f.Next(t.Context())
	require.NoError(t, err)
	assert.Equal(t, first, again)
	w.part("prt_0050", "msg_1", "ses_1", `{"changed":1}`)
	w.part("prt_0001", "msg_1", "ses_1", `{"changed":1}`)
	w.part("prt_zzzz", "msg_1", "ses_1", `{"added":1}`)
	rows := all(t, f)
	count := map[string]int{}
	for _, r := range rows {
		count[r]++
	}
	delete(count, "# ses_1")
	assert.Len(t, count, 104, "102 rows, one of them in two states, and the added one")
	for r, n := range count {
		assert.Equal(t, 1, n, r)
	}
	assert.Equal(t, 1, count[`part prt_0050 {"changed":1}`])
	assert.Equal(t, 1, count[`part prt_0001 {"changed":1}`], "handed over before, changed since")
	assert.Equal(t, 1, count[`part prt_zzzz {"added":1}`])
}

// TestLargeRow is skipped and counted once.
func TestLargeRow(t *testing.T) {
	w := newWriter(t, "wal")
	w.session("ses_1", "")
	w.message("msg_1", "ses_1", `{}`)
	w.part("prt_1", "msg_1", "ses_1", `"`+strings.Repeat("x", 2000)+`"`)
	w.part("prt_2", "msg_1", "ses_1", `{}`)
	var skipped []int64
	f := follow(t, w.path, opencodedb.Settings{MaxRowSize: 1000, Skipped: func(n int64) { skipped = append(skipped, n) }})
	assert.Equal(t, []string{"# ses_1", "session ses_1", "message msg_1 {}", "part prt_2 {}"}, all(t, f))
	w.part("prt_3", "msg_1", "ses_1", `{}`)
	assert.Equal(t, []string{"# ses_1", "part prt_3 {}"}, all(t, f))
	require.Len(t, skipped, 1)
	assert.InDelta(t, 2002, skipped[0], 100, "all values of the row")
}

// TestOddValues: whatever a column contains yields a line.
func TestOddValues(t *testing.T) {
	w := newWriter(t, "delete")
	w.session("ses_1", "")
	w.exec("UPDATE session SET cost = 9e999, tokens_input = 'many', title = x'ff00', time_updated = 'late', model = '<\u2028\u0001>'")
	w.message("msg_1", "ses_1", "\xff{")
	w.exec("UPDATE message SET time_updated = 'odd', time_created = 1.5")
	r, err := opencodedb.Open(w.path, opencodedb.Settings{})
	require.NoError(t, err)
	defer r.Close()
	rows := lines(t, r)
	require.Len(t, rows, 2)
	for _, line := range rows {
		assert.True(t, json.Valid([]byte(line)), line)
	}
	assert.Contains(t, rows[0], `"cost":null,"tokens_input":"many"`)
	assert.Contains(t, rows[0], `"title":"\ufffd\u0000"`)
	assert.Contains(t, rows[1], `"data":"\ufffd{"`)
}

// TestCircle: sessions that are each other's parents are read once, and reading ends.
func TestCircle(t *testing.T) {
	w := newWriter(t, "wal")
	w.session("ses_1", "ses_2")
	w.session("ses_2", "ses_1")
	w.session("ses_3", "ses_3")
	w.message("msg_1", "ses_1", `{}`)
	rows := join(all(t, follow(t, w.path, opencodedb.Settings{})))
	for _, id := range []string{"session ses_1", "session ses_2", "session ses_3", "message msg_1"} {
		assert.Equal(t, 1, strings.Count(rows+"\n", id), id)
	}
}

// TestRandom writes at random while it is read, and checks that the last state of each row arrives, and no state twice.
func TestRandom(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	w := newWriter(t, []string{"wal", "delete"}[random.IntN(2)])
	f := follow(t, w.path, opencodedb.Settings{BatchRows: 1 + random.IntN(20), BatchBytes: 1 + random.IntN(2000)})
	last, got := map[string]string{}, map[string]string{}
	take := func() {
		batch, err := f.Next(t.Context())
		require.NoError(t, err)
		for _, r := range batch.Rows {
			var one row
			require.NoError(t, json.Unmarshal(r.Data, &one))
			if one.Table == "part" {
				assert.NotEqual(t, got[one.ID], one.Data, "%s twice", one.ID)
				got[one.ID] = one.Data
			}
		}
		if random.IntN(3) > 0 {
			f.Acknowledge()
		} else if len(batch.Rows) > 0 {
			again, err := f.Next(t.Context())
			require.NoError(t, err)
			assert.Equal(t, batch, again)
			f.Acknowledge()
		}
	}
	w.session("ses_0", "")
	w.message("msg_0", "ses_0", `{}`)
	for i := range 400 {
		id := fmt.Sprintf("prt_%02d", random.IntN(60))
		last[id] = fmt.Sprintf(`{"i":%d}`, i)
		w.now += random.Int64N(3)
		w.partAt(w.now-random.Int64N(5000), id, "msg_0", "ses_0", last[id])
		if random.IntN(4) == 0 {
			take()
		}
	}
	require.NoError(t, w.db.Close())
	for f.Changed() {
		take()
	}
	assert.Equal(t, last, got)
}

// TestClockSetBack: rows dated before acknowledged ones are delivered, as they are written and as they change, and nothing
// twice.
func TestClockSetBack(t *testing.T) {
	w := newWriter(t, "wal")
	now := time.Now().UnixMilli()
	w.now = now
	f := follow(t, w.path, opencodedb.Settings{})
	w.session("ses_1", "")
	w.message("msg_1", "ses_1", `{}`)
	w.partAt(now+time.Hour.Milliseconds(), "prt_1", "msg_1", "ses_1", `{}`)
	assert.Equal(t, []string{"# ses_1", "session ses_1", "message msg_1 {}", "part prt_1 {}"}, all(t, f))
	w.part("prt_2", "msg_1", "ses_1", `{}`)
	assert.Equal(t, []string{"# ses_1", "part prt_2 {}"}, all(t, f))
	w.part("prt_2", "msg_1", "ses_1", `{"text":"more"}`)
	assert.Equal(t, []string{"# ses_1", `part prt_2 {"text":"more"}`}, all(t, f))
	f.Release("ses_1")
	w.now = time.Now().UnixMilli() + 1000
	w.part("prt_3", "msg_1", "ses_1", `{}`)
	assert.Equal(t, []string{"# ses_1", "session ses_1", "message msg_1 {}", "part prt_3 {}"}, all(t, f), "a new stream, which is delivered again")
}

// TestMove: a database that is renamed during a scan is read further, with the unacknowledged rows and nothing twice.
func TestMove(t *testing.T) {
	w := newWriter(t, "wal")
	w.session("ses_1", "")
	w.message("msg_1", "ses_1", `{}`)
	f := follow(t, w.path, opencodedb.Settings{BatchRows: 1})
	first, err := f.Next(t.Context())
	require.NoError(t, err)
	require.Len(t, first.Rows, 1)
	f.Acknowledge()
	second, err := f.Next(t.Context())
	require.NoError(t, err)
	require.Len(t, second.Rows, 1, "which waits")
	moved := filepath.Join(filepath.Dir(w.path), "moved.db")
	for _, ending := range []string{"", "-wal", "-shm"} {
		require.NoError(t, os.Rename(w.path+ending, moved+ending))
	}
	f.Move(moved)
	assert.Equal(t, []string{"# ses_1", "message msg_1 {}"}, all(t, f))
}

// TestCallEndsBehindItsSubAgent: within one scan, the last work of a sub-agent comes before the row that shows the end of its
// call, although the message of that row is older.
func TestCallEndsBehindItsSubAgent(t *testing.T) {
	w := newWriter(t, "wal")
	f := follow(t, w.path, opencodedb.Settings{})
	w.session("ses_1", "")
	w.message("msg_1", "ses_1", `{"role":"assistant"}`)
	w.part("prt_1", "msg_1", "ses_1", `{"type":"tool","tool":"task","state":{"status":"running"}}`)
	w.session("ses_2", "ses_1")
	w.message("msg_2", "ses_2", `{"role":"user"}`)
	all(t, f)
	w.message("msg_3", "ses_2", `{"role":"assistant"}`)
	w.part("prt_3", "msg_3", "ses_2", `{"type":"step-finish"}`)
	w.message("msg_3", "ses_2", `{"role":"assistant","finish":"stop"}`)
	w.part("prt_1", "msg_1", "ses_1", `{"type":"tool","tool":"task","state":{"status":"completed"}}`)
	w.message("msg_4", "ses_1", `{"role":"assistant"}`)
	assert.Equal(t, []string{
		"# ses_1", "message msg_3 " + `{"role":"assistant","finish":"stop"}`, "part prt_3 " + `{"type":"step-finish"}`,
		"part prt_1 " + `{"type":"tool","tool":"task","state":{"status":"completed"}}`, "message msg_4 " + `{"role":"assistant"}`,
	}, all(t, f))
}

// TestCallsEndInTwoSessions: sub-agents of a sub-agent and of its session end between two scans, and an older row of the
// session is new too: each row is delivered once.
func TestCallsEndInTwoSessions(t *testing.T) {
	w := newWriter(t, "wal")
	f := follow(t, w.path, opencodedb.Settings{})
	task := func(status string) string { return `{"type":"tool","tool":"task","state":{"status":"` + status + `"}}` }
	w.session("ses_1", "")
	w.message("msg_1", "ses_1", `{"role":"assistant"}`)
	w.part("prt_1", "msg_1", "ses_1", task("running"))
	w.part("prt_2", "msg_1", "ses_1", task("running"))
	w.session("ses_2", "ses_1")
	w.message("msg_2", "ses_2", `{"role":"assistant"}`)
	w.part("prt_3", "msg_2", "ses_2", task("running"))
	all(t, f)
	w.part("prt_2", "msg_1", "ses_1", task("error"))
	w.part("prt_3", "msg_2", "ses_2", task("completed"))
	w.part("prt_1", "msg_1", "ses_1", task("completed"))
	assert.Equal(t, []string{
		"# ses_1", "part prt_3 " + task("completed"), "part prt_1 " + task("completed"), "part prt_2 " + task("error"),
	}, all(t, f), "the call in the sub-agent ends before the sub-agent does")
}

// TestFirstScanFails: a first scan that fails in the table of sessions is repeated as the first one, with the positions of an
// earlier process, and without rows older than Since.
func TestFirstScanFails(t *testing.T) {
	path := unpack(t)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	require.NoError(t, err)
	var root, size int
	require.NoError(t, db.QueryRow("SELECT rootpage FROM sqlite_master WHERE name = 'session'").Scan(&root))
	require.NoError(t, db.QueryRow("PRAGMA page_size").Scan(&size))
	require.NoError(t, db.Close())
	broken := bytes.Clone(whole)
	clear(broken[(root-1)*size : root*size])
	require.NoError(t, os.WriteFile(path, broken, 0o600))
	settle(t, path)

	asked := 0
	f := follow(t, path, opencodedb.Settings{
		Since:   time.Now().Add(time.Hour).UnixMilli(),
		Restore: func(string) (opencodedb.Position, error) { asked++; return opencodedb.Position{}, nil },
	})
	_, err = f.Next(t.Context())
	require.ErrorContains(t, err, "malformed")
	require.Zero(t, asked)
	require.NoError(t, os.WriteFile(path, whole, 0o600))
	settle(t, path)
	assert.Empty(t, all(t, f))
	assert.Positive(t, asked)
}
