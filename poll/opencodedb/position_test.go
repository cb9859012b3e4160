package opencodedb_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/poll/opencodedb"
)

// kept is what a program stores of the families of a database: as JSON, as it outlives processes.
type kept map[string][]byte

func (k kept) settings(wake bool) opencodedb.Settings {
	return opencodedb.Settings{BatchRows: 3, Restore: func(root string) (p opencodedb.Position, err error) {
		if k[root] != nil {
			err = json.Unmarshal(k[root], &p)
			p.Wake = wake
		}
		return p, err
	}}
}

// life is what one process reads: what is new, and what is replayed.
type life struct{ fresh, again []string }

// take reads everything, at most limit batches, and stores the positions.
func (k kept) take(t *testing.T, f *opencodedb.Follower, limit int) (l life) {
	t.Helper()
	require.Eventually(t, func() bool {
		for {
			batch, err := f.Next(t.Context())
			require.NoError(t, err)
			if len(batch.Rows) == 0 || limit == 0 {
				for root := range k {
					k.keep(t, f, root)
				}
				return limit == 0 || !f.Changed()
			}
			limit--
			for _, r := range batch.Rows {
				if row := parse(t, r.Data); batch.Replayed {
					l.again = append(l.again, row)
				} else {
					l.fresh = append(l.fresh, row)
				}
			}
			f.Acknowledge()
			k.keep(t, f, batch.Session)
		}
	}, 2*time.Minute, 10*time.Millisecond)
	return l
}

func (k kept) keep(t *testing.T, f *opencodedb.Follower, root string) {
	t.Helper()
	p := f.Position(root)
	if len(p.Sessions) == 0 {
		k[root] = append([]byte(nil), k[root]...)
		return
	}
	value, err := json.Marshal(p)
	require.NoError(t, err)
	k[root] = value
}

// process reads everything with a new follower.
func (k kept) process(t *testing.T, w *writer, wake bool, limit int) life {
	t.Helper()
	f := opencodedb.NewFollower(w.path, k.settings(wake))
	l := k.take(t, f, limit)
	require.NoError(t, f.Close())
	return l
}

// TestRestart: acknowledged rows are not read again, except in a family with something new, which is first returned whole, as
// it is now.
func TestRestart(t *testing.T) {
	w := newWriter(t, "wal")
	w.session("ses_1", "")
	w.message("msg_1", "ses_1", "{}")
	w.part("prt_1", "msg_1", "ses_1", `"1"`)
	w.session("ses_2", "")
	w.message("msg_2", "ses_2", "{}")
	k := kept{}
	assert.Len(t, k.process(t, w, false, -1).fresh, 5)
	assert.Equal(t, life{}, k.process(t, w, false, -1), "nothing is new")

	w.now += 60_000
	w.part("prt_1", "msg_1", "ses_1", `"2"`)
	w.part("prt_3", "msg_1", "ses_1", `"3"`)
	l := k.process(t, w, false, -1)
	assert.Equal(t, []string{`part prt_1 "2"`, `part prt_3 "3"`}, l.fresh)
	assert.Equal(t, []string{"session ses_1", "message msg_1 {}"}, l.again, "the part has changed")

	w.session("ses_3", "ses_1")
	l = k.process(t, w, false, -1)
	assert.Equal(t, []string{"session ses_3"}, l.fresh, "a sub-agent's session")
	assert.Len(t, l.again, 4)

	l = k.process(t, w, true, -1)
	assert.Empty(t, l.fresh)
	assert.Len(t, l.again, 7, "all of them were asked for")
}

// TestRestartAfterForget: a family that was closed continues with later rows only, even in a later process.
func TestRestartAfterForget(t *testing.T) {
	w := newWriter(t, "wal")
	w.session("ses_1", "")
	w.message("msg_1", "ses_1", "{}")
	w.part("prt_1", "msg_1", "ses_1", `"1"`)
	k := kept{}
	f := opencodedb.NewFollower(w.path, k.settings(false))
	k.take(t, f, -1)
	f.Release("ses_1")
	k.keep(t, f, "ses_1")
	require.NoError(t, f.Close())
	w.now += 60_000
	w.part("prt_2", "msg_1", "ses_1", `"2"`)
	l := k.process(t, w, false, -1)
	assert.Contains(t, l.fresh, `part prt_2 "2"`)
	assert.NotContains(t, append(l.again, l.fresh...), `part prt_1 "1"`)
	l = k.process(t, w, true, -1)
	assert.Contains(t, l.again, `part prt_2 "2"`)
	assert.NotContains(t, append(l.again, l.fresh...), `part prt_1 "1"`)
}

// TestRestartsAtRandom writes at random, and stops reading at random, even in the middle of families. Each row that exists in
// the end arrived in its last state, none counts as new twice once its family was finished, and each replayed row arrived
// before.
func TestRestartsAtRandom(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 8))
			w := newWriter(t, "wal")
			k, last, given := kept{}, map[string]string{}, map[string]int{}
			sessions := []string{}
			for step := range 30 {
				for range 1 + rng.IntN(4) {
					w.now += rng.Int64N(8000)
					switch n := len(sessions); {
					case n == 0 || rng.IntN(8) == 0:
						id := fmt.Sprintf("ses_%d", n)
						parent := ""
						if n > 0 && rng.IntN(2) == 0 {
							parent = sessions[rng.IntN(n)]
						}
						w.session(id, parent)
						w.message("msg_"+id, id, "{}")
						sessions = append(sessions, id)
						last["message msg_"+id] = "{}"
					default:
						session := sessions[rng.IntN(n)]
						id, data := fmt.Sprintf("prt_%s_%d", session, rng.IntN(4)), strconv.Itoa(step*100+rng.IntN(100))
						w.part(id, "msg_"+session, session, data)
						last["part "+id] = data
					}
				}
				limit := -1
				if rng.IntN(2) == 0 {
					limit = rng.IntN(4)
				}
				l := k.process(t, w, rng.IntN(4) == 0, limit)
				for _, row := range l.fresh {
					given[row]++
				}
			}
			for _, row := range k.process(t, w, false, -1).fresh {
				given[row]++
			}
			for row, data := range last {
				assert.Positive(t, given[row+" "+data], "%s %s", row, data)
			}
			l := k.process(t, w, true, -1)
			assert.Empty(t, l.fresh)
			for _, row := range l.again {
				if row[0] != 's' {
					assert.Positive(t, given[row], row)
				}
			}
		})
	}
}

// TestRestartWithARowFromTheFuture: the next process returns what is written while none runs, whatever row lies in the future.
func TestRestartWithARowFromTheFuture(t *testing.T) {
	w := newWriter(t, "wal")
	w.now = time.Now().UnixMilli()
	k := kept{}
	w.session("ses_1", "")
	w.message("msg_1", "ses_1", `{}`)
	w.partAt(w.now+time.Hour.Milliseconds(), "prt_1", "msg_1", "ses_1", `{}`)
	k.take(t, follow(t, w.path, k.settings(false)), -1)
	w.now = time.Now().UnixMilli()
	w.part("prt_2", "msg_1", "ses_1", `{}`)
	assert.Contains(t, k.take(t, follow(t, w.path, k.settings(false)), -1).fresh, "part prt_2 {}")
	assert.NotContains(t, k.take(t, follow(t, w.path, k.settings(false)), -1).fresh, "part prt_2 {}")
}
