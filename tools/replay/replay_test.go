package replay_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tailspan/tailspan/tools/replay"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStamp(t *testing.T) {
	const id, call = "e54ad106-a87b-483a-925c-32d7ea3021fc", "toolu_01aoRZPEXfR0bFEbP4677mxR"
	hour := replay.Stamp{Shift: time.Hour, Seed: "a"}
	for _, test := range []struct{ name, in, want string }{
		{"no fraction", `{"t":"2026-11-27T20:00:00Z"}`, `{"t":"2026-11-27T21:00:00Z"}`},
		{"milliseconds keep their zeros", `"2026-11-27T23:30:00.100Z"`, `"2026-11-28T00:30:00.100Z"`},
		{"nanoseconds", `2026-11-27T20:00:00.123456789Z`, `2026-11-27T21:00:00.123456789Z`},
		{"number", `{"time":1795809600123}`, `{"time":1795813200123}`},
		{"within a name", `read_file-1795809600123-0`, `read_file-1795813200123-0`},
		{"longer numbers stay", `17958096001234 11795809600123`, `17958096001234 11795809600123`},
		{"no such day", `2026-02-31T20:00:00Z`, `2026-02-31T20:00:00Z`},
		{"short ids stay", `item_0 msg_1 call_1234`, `item_0 msg_1 call_1234`},
		{"other text", "tokens: 1234567890123456, naïve\n", "tokens: 1234567890123456, naïve\n"},
	} {
		t.Run(test.name, func(t *testing.T) { assert.Equal(t, test.want, hour.Apply(test.in)) })
	}

	both := hour.Apply(id + " " + call + " " + id)
	words := strings.Fields(both)
	require.Len(t, words, 3)
	assert.NotEqual(t, id, words[0])
	assert.Equal(t, words[0], words[2], "an id has one new value")
	assert.Len(t, words[0], len(id))
	assert.Equal(t, byte('4'), words[0][14], "version")
	assert.Len(t, words[1], len(call))
	assert.True(t, strings.HasPrefix(words[1], "toolu_"))
	assert.Equal(t, both, hour.Apply(id+" "+call+" "+id), "the same seed gives the same ids")
	assert.NotEqual(t, both, replay.Stamp{Seed: "b"}.Apply(id+" "+call+" "+id))
	assert.Equal(t, id+" "+call, replay.Stamp{}.Apply(id+" "+call), "no seed, no new ids")
	const ordered = "prt_019c0a1b2c3dAbCdEfGhIjKlMn" // OpenCode's: 4096 times the milliseconds, plus a counter
	assert.True(t, strings.HasPrefix(hour.Apply(ordered), "prt_019f79032c3d"), hour.Apply(ordered))
	assert.True(t, strings.HasPrefix(hour.Apply("ses"+ordered[3:]), "ses_01989b332c3d"), "the newest is the first")
	assert.True(t, strings.HasPrefix(hour.Apply("msg_ffffffffffffAbCdEfGhIjKlMn"), "msg_00036ee7ffff"), "the low 48 bits")
	assert.NotEqual(t, ordered, replay.Stamp{Seed: "a"}.Apply(ordered))
	assert.Len(t, hour.Apply(ordered), len(ordered))
	assert.Len(t, hour.Apply("call_"+strings.Repeat("x", 100)), 105, "longer than the hash")
}

func TestPlayKeepsThePace(t *testing.T) {
	const recording = `{"n":1,"timestamp":"2026-11-27T20:00:00.000Z"}
{"n":2}
{"n":3,"timestamp":"2026-11-27T20:00:04.500Z"}
{"n":4,"timestamp":"2026-11-27T21:00:04.500Z"}
{"n":5,"timestamp":"2026-11-27T21:00:05.000Z","session":"e54ad106-a87b-483a-925c-32d7ea3021fc"}`
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		out := &arrivals{start: start}
		pace := replay.Pace{Pause: 100 * time.Millisecond, Longest: 10 * time.Second}
		require.NoError(t, replay.Play(t.Context(), out, recording, "seed", pace))
		assert.Equal(t, []time.Duration{0, 100 * time.Millisecond, 4500 * time.Millisecond, 14500 * time.Millisecond, 15 * time.Second}, out.at)

		written := out.String()
		assert.True(t, strings.HasSuffix(written, "\n"), "the last line is whole")
		assert.NotContains(t, written, "e54ad106")
		first, last, ok := replay.Times(written)
		require.True(t, ok)
		assert.WithinDuration(t, start, first, 0)
		assert.Equal(t, 15*time.Second, last.Sub(first), "the long gap is shortened in the times too")
	})
}

func TestPlayBeginsWhereTheDurationSays(t *testing.T) {
	const noTimes = `{"n":1}
{"n":2}
{"type":"result","duration_ms":9000}
`
	const firstIsLate = `{"n":1}
{"n":2}
{"n":3,"timestamp":"2026-11-27T20:00:11.000Z"}
{"n":4,"timestamp":"2026-11-27T20:00:12.000Z"}
{"type":"result","duration_ms":11500}
`
	for _, test := range []struct {
		name, recording string
		want            []time.Duration
	}{
		{"no line has a time", noTimes, []time.Duration{0, 4500 * time.Millisecond, 9 * time.Second}},
		{
			"the first time comes late", firstIsLate,
			[]time.Duration{0, 100 * time.Millisecond, 10500 * time.Millisecond, 11500 * time.Millisecond, 11600 * time.Millisecond},
		},
		{"a shorter duration is of less than the recording", strings.Replace(firstIsLate, "11500", "500", 1), []time.Duration{
			0, 100 * time.Millisecond, 100 * time.Millisecond, 1100 * time.Millisecond, 1200 * time.Millisecond,
		}},
		{"the id of the message was made 2 s before", `{"timestamp":1795812891382,"messageID":"msg_21eca1326001VYhOVDCUqxV0OC"}
{"timestamp":1795812891482}
{"timestamp":1795812892382}
`, []time.Duration{2 * time.Second, 2100 * time.Millisecond, 3 * time.Second}},
		{"cut off", strings.Split(noTimes, "{\"type")[0] + `{"type":"result","dur`, []time.Duration{0, 100 * time.Millisecond, 200 * time.Millisecond}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				out := &arrivals{start: start}
				require.NoError(t, replay.Play(t.Context(), out, test.recording, "seed", replay.Pace{Pause: 100 * time.Millisecond, Longest: 20 * time.Second}))
				assert.Equal(t, test.want, out.at)
				if first, _, ok := replay.Times(out.String()); ok {
					assert.WithinDuration(t, start.Add(test.want[2]), first, 100*time.Millisecond, "a line comes at the time it has")
				}
			})
		})
	}
}

func TestPlayEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		out := &arrivals{start: time.Now()}
		err := replay.Play(ctx, out, "{}\n{}\n{}\n{}\n", "seed", replay.Pace{Pause: 400 * time.Millisecond})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Len(t, out.at, 3)
	})
}

// arrivals records when each write arrived.
type arrivals struct {
	bytes.Buffer
	start time.Time
	at    []time.Duration
}

func (a *arrivals) Write(p []byte) (int, error) {
	a.at = append(a.at, time.Since(a.start))
	return a.Buffer.Write(p)
}
