package tail_test

import (
	"context"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/tail"
)

// resters is a handler whose streams rest when they are asked to, unless they may not.
type resters struct {
	*sink
	never bool
	asked atomic.Int32
	// active are the streams that were opened and do not rest, and mostAwake the most there were at once. The sink's lock.
	active, mostAwake int
}

type rester struct {
	*stream
	of        *resters
	suspended bool
}

func (h *resters) Open(ctx context.Context, s tail.Stream) (tail.Consumer, error) {
	c, err := h.sink.Open(ctx, s)
	if err != nil {
		return nil, err
	}
	r := &rester{stream: c.(*stream), of: h, suspended: true}
	r.wake()
	return r, nil
}

func (r *rester) wake() {
	r.sink.mu.Lock()
	defer r.sink.mu.Unlock()
	if r.suspended {
		r.suspended = false
		r.of.active++
		r.of.mostAwake = max(r.of.mostAwake, r.of.active)
	}
}

func (r *rester) Lines(ctx context.Context, lines []tail.Line) error {
	r.wake()
	return r.stream.Lines(ctx, lines)
}

func (r *rester) Suspend() bool {
	r.sink.mu.Lock()
	defer r.sink.mu.Unlock()
	r.of.asked.Add(1)
	if r.of.never {
		return false
	}
	r.suspended = true
	r.of.active--
	return true
}

// suspended begins to follow in a bubble, with consumers that rest.
func suspended(t *testing.T, test func(w *world, h *resters, s tail.Settings)) {
	bubble(t, func(w *world) {
		s := w.settings(pollOnly, func(s *tail.Settings) { s.Replay, s.SuspendAfter = true, time.Minute })
		test(w, &resters{sink: w.sink}, s)
	})
}

func (w *world) beginWith(h tail.Handler, s tail.Settings) {
	w.Helper()
	f, err := tail.New(s, h)
	require.NoError(w, err)
	require.NoError(w, f.Start(w.Context()))
	w.files = f
	w.Cleanup(w.end)
}

// write appends a line and dates the file, since a bubble's time is not that of the file system.
func (w *world) write(name, line string) {
	w.Helper()
	w.add(name, line+"\n")
	w.dated(name, 0)
}

// TestRest: after a minute without a line a consumer suspends, and is given its lines again before the next one.
func TestRest(t *testing.T) {
	suspended(t, func(w *world, h *resters, s tail.Settings) {
		w.write("a.jsonl", "one")
		w.beginWith(h, s)
		w.pass(50 * time.Second)
		w.write("a.jsonl", "two")
		w.pass(50 * time.Second)
		assert.Zero(w, h.asked.Load())
		w.pass(20 * time.Second)
		assert.EqualValues(w, 1, h.asked.Load())
		w.pass(10 * time.Minute)
		assert.EqualValues(w, 1, h.asked.Load(), "it suspends")
		assert.Equal(w, []string{"one", "two"}, w.sink.all())
		w.write("a.jsonl", "three")
		w.pass(2 * time.Second)
		got := oneStream(w)
		assert.Equal(w, []string{"one", "two", "one", "two", "three"}, got.text)
		var again []bool
		for _, l := range got.lines {
			again = append(again, l.Replayed)
		}
		assert.Equal(w, []bool{false, false, true, true, false}, again)
	})
}

// TestRestOfWhatIsOld: what nobody has written to for long suspends as soon as it was read.
func TestRestOfWhatIsOld(t *testing.T) {
	suspended(t, func(w *world, h *resters, s tail.Settings) {
		w.write("old.jsonl", "one")
		w.dated("old.jsonl", time.Hour)
		w.write("young.jsonl", "two")
		w.beginWith(h, s)
		w.pass(time.Second)
		assert.EqualValues(w, 1, h.asked.Load())
		w.end()
		for _, one := range w.sink.opened() {
			assert.Equal(w, []tail.CloseReason{tail.CloseReasonShutdown}, one.closed, "also one that suspends")
		}
	})
}

// TestRestLessOften: a file to which something comes now and then suspends after longer and longer times.
func TestRestLessOften(t *testing.T) {
	suspended(t, func(w *world, h *resters, s tail.Settings) {
		w.write("a.jsonl", "one")
		w.beginWith(h, s)
		for range 200 {
			w.pass(150 * time.Second)
			w.write("a.jsonl", "more")
		}
		w.pass(time.Second)
		assert.EqualValues(w, 2, h.asked.Load(), "after one minute, after two, and not after four")
		fresh, replayed := w.sink.newLines()
		assert.Len(w, fresh, 201)
		assert.Equal(w, 1+2, replayed)
	})
}

// TestRestRefused: one that may not is asked again, but not all the time; without a word of its own it is left alone.
func TestRestRefused(t *testing.T) {
	suspended(t, func(w *world, h *resters, s tail.Settings) {
		h.never = true
		w.write("a.jsonl", "one")
		w.beginWith(h, s)
		w.pass(time.Hour)
		assert.InDelta(w, 59, h.asked.Load(), 2)
		w.write("a.jsonl", "two")
		w.pass(time.Minute)
		assert.Equal(w, []string{"one", "two"}, oneStream(w).text)
	})
	suspended(t, func(w *world, h *resters, s tail.Settings) {
		s.SuspendAfter = -1
		w.write("a.jsonl", "one")
		w.beginWith(h, s)
		w.pass(time.Hour)
		assert.Zero(w, h.asked.Load())
	})
}

// TestRestAndGone: a file that is deleted or rewritten while its consumer suspends can't be replayed, and is closed as any
// other; what is there instead is read.
func TestRestAndGone(t *testing.T) {
	for name, change := range map[string]func(w *world){
		"deleted":   func(w *world) { w.remove("a.jsonl") },
		"rewritten": func(w *world) { w.put("a.jsonl", record(9)+"\n") },
		"emptied":   func(w *world) { w.put("a.jsonl", "") },
	} {
		t.Run(name, func(t *testing.T) {
			suspended(t, func(w *world, h *resters, s tail.Settings) {
				lines, text := records(0, 5)
				w.add("a.jsonl", text)
				w.dated("a.jsonl", time.Hour)
				w.beginWith(h, s)
				w.pass(10 * time.Second)
				require.EqualValues(w, 1, h.asked.Load())
				change(w)
				w.pass(time.Minute)
				first := w.sink.opened()[0]
				assert.Equal(w, lines, first.text)
				assert.Len(w, first.closed, 1)
				if name == "rewritten" {
					assert.Equal(w, []string{record(9)}, w.sink.opened()[1].text)
				}
			})
		})
	}
}

// TestRestIdleClose: what suspends is closed like all else when nothing comes for longer still.
func TestRestIdleClose(t *testing.T) {
	suspended(t, func(w *world, h *resters, s tail.Settings) {
		s.IdleClose = 30 * time.Minute
		w.write("a.jsonl", "one")
		w.beginWith(h, s)
		w.pass(time.Hour)
		assert.EqualValues(w, 1, h.asked.Load())
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonIdle}, w.sink.opened()[0].closed)
		w.write("a.jsonl", "two")
		w.pass(time.Minute)
		streams := w.streams()
		require.Len(w, streams, 2)
		assert.Equal(w, []string{"one", "two"}, streams[1].text)
	})
}

// TestRestReplayRefused: a handler that refuses what it is given again is given it until it accepts, and the new line once.
func TestRestReplayRefused(t *testing.T) {
	suspended(t, func(w *world, h *resters, s tail.Settings) {
		s.BatchLines = 2
		_, text := records(0, 7)
		w.add("a.jsonl", text)
		w.dated("a.jsonl", time.Hour)
		w.beginWith(h, s)
		w.pass(10 * time.Second)
		calls := 0
		w.sink.mu.Lock()
		w.sink.accept = func(tail.Stream, []tail.Line) error {
			if calls++; calls%2 == 0 {
				return errRefused
			}
			return nil
		}
		w.sink.mu.Unlock()
		w.write("a.jsonl", record(7))
		w.pass(time.Minute)
		want, _ := records(0, 8)
		fresh, replayed := w.sink.newLines()
		assert.Equal(w, want, fresh)
		assert.Equal(w, 7, replayed)
	})
}

// TestRestKeepsWhatWasSeen: what is stored when a consumer suspends tells size and time of its file, so that the next process
// opens nothing that has not changed.
func TestRestKeepsWhatWasSeen(t *testing.T) {
	suspended(t, func(w *world, h *resters, s tail.Settings) {
		store, writes := newMemory(), 0
		store.wrote = func() { writes++ }
		s.Store = store
		w.write("a.jsonl", "one")
		w.beginWith(h, s)
		w.pass(5 * time.Minute)
		require.EqualValues(w, 1, h.asked.Load())
		assert.Equal(w, 1, writes, "nothing has changed")
		info, err := os.Stat(w.path("a.jsonl"))
		require.NoError(w, err)
		require.Len(w, store.values, 1)
		for _, value := range store.values {
			c, err := checkpoint.Decode(checkpoint.FilePrefix, value)
			require.NoError(w, err)
			assert.Equal(w, info.Size(), c.Size)
			assert.Equal(w, info.ModTime().UnixNano(), c.MTime)
		}
	})
}
