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
	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/tail"
)

// suspendHandler is a handler whose streams accept suspension, unless forbidden.
type suspendHandler struct {
	*filestest.Sink
	never bool
	asked atomic.Int32
	moved time.Time // see [tail.Waiter]
	// active are the open streams that are not suspended; mostActive is their maximum. Guarded by the sink's lock.
	active, mostActive int
}

type rester struct {
	*filestest.Opened
	of        *suspendHandler
	suspended bool
}

func (h *suspendHandler) Open(ctx context.Context, s tail.Stream) (tail.Consumer, error) {
	c, err := h.Sink.Open(ctx, s)
	if err != nil {
		return nil, err
	}
	r := &rester{Opened: c.(*filestest.Opened), of: h, suspended: true}
	r.wake()
	return r, nil
}

func (r *rester) wake() {
	r.Sink.Mu.Lock()
	defer r.Sink.Mu.Unlock()
	if r.suspended {
		r.suspended = false
		r.of.active++
		r.of.mostActive = max(r.of.mostActive, r.of.active)
	}
}

func (r *rester) Lines(ctx context.Context, lines []tail.Line) error {
	r.wake()
	return r.Opened.Lines(ctx, lines)
}

func (r *rester) Moved() time.Time {
	r.Sink.Mu.Lock()
	defer r.Sink.Mu.Unlock()
	return r.of.moved
}

func (r *rester) Suspend() bool {
	r.Sink.Mu.Lock()
	defer r.Sink.Mu.Unlock()
	r.of.asked.Add(1)
	if r.of.never {
		return false
	}
	r.suspended = true
	r.of.active--
	return true
}

// suspended follows files in a bubble, with consumers that can be suspended.
func suspended(t *testing.T, test func(w *world, h *suspendHandler, s tail.Settings)) {
	bubble(t, func(w *world) {
		s := w.settings(pollOnly, func(s *tail.Settings) { s.Replay, s.SuspendAfter = true, time.Minute })
		test(w, &suspendHandler{Sink: w.Sink}, s)
	})
}

// TestSuspend: after a minute without a line a consumer is suspended, and receives its lines again before the next one.
func TestSuspend(t *testing.T) {
	suspended(t, func(w *world, h *suspendHandler, s tail.Settings) {
		w.Write("a.jsonl", "one")
		w.beginWith(h, s)
		w.Pass(50 * time.Second)
		w.Write("a.jsonl", "two")
		w.Pass(50 * time.Second)
		assert.Zero(w, h.asked.Load())
		w.Pass(20 * time.Second)
		assert.EqualValues(w, 1, h.asked.Load())
		w.Pass(10 * time.Minute)
		assert.EqualValues(w, 1, h.asked.Load(), "it suspends")
		assert.Equal(w, []string{"one", "two"}, w.Sink.All())
		w.Write("a.jsonl", "three")
		w.Pass(2 * time.Second)
		got := oneStream(w)
		assert.Equal(w, []string{"one", "two", "one", "two", "three"}, got.Text)
		var again []bool
		for _, l := range got.Received {
			again = append(again, l.Replayed)
		}
		assert.Equal(w, []bool{false, false, true, true, false}, again)
	})
}

// TestSuspendOldFiles: the consumer of a file not written for long is suspended as soon as the file was read.
func TestSuspendOldFiles(t *testing.T) {
	suspended(t, func(w *world, h *suspendHandler, s tail.Settings) {
		w.Write("old.jsonl", "one")
		w.Dated("old.jsonl", time.Hour)
		w.Write("young.jsonl", "two")
		w.beginWith(h, s)
		w.Pass(time.Second)
		assert.EqualValues(w, 1, h.asked.Load())
		w.end()
		for _, one := range w.Sink.Opened() {
			assert.Equal(w, []tail.CloseReason{tail.CloseReasonShutdown}, one.Closed, "also one that suspends")
		}
	})
}

// TestSuspendLessOften: a file that grows now and then is suspended after longer and longer times.
func TestSuspendLessOften(t *testing.T) {
	suspended(t, func(w *world, h *suspendHandler, s tail.Settings) {
		w.Write("a.jsonl", "one")
		w.beginWith(h, s)
		for range 200 {
			w.Pass(150 * time.Second)
			w.Write("a.jsonl", "more")
		}
		w.Pass(time.Second)
		assert.EqualValues(w, 2, h.asked.Load(), "after one minute, after two, and not after four")
		fresh, replayed := w.Sink.NewLines()
		assert.Len(w, fresh, 201)
		assert.Equal(w, 1+2, replayed)
	})
}

// TestSuspendRefused: a consumer that refuses is asked again, but not all the time; one that is not a Suspender is never asked.
func TestSuspendRefused(t *testing.T) {
	suspended(t, func(w *world, h *suspendHandler, s tail.Settings) {
		h.never = true
		w.Write("a.jsonl", "one")
		w.beginWith(h, s)
		w.Pass(time.Hour)
		assert.InDelta(w, 59, h.asked.Load(), 2)
		w.Write("a.jsonl", "two")
		w.Pass(time.Minute)
		assert.Equal(w, []string{"one", "two"}, oneStream(w).Text)
	})
	suspended(t, func(w *world, h *suspendHandler, s tail.Settings) {
		s.SuspendAfter = -1
		w.Write("a.jsonl", "one")
		w.beginWith(h, s)
		w.Pass(time.Hour)
		assert.Zero(w, h.asked.Load())
	})
}

// TestSuspendAndRemove: a file that is deleted or rewritten while its consumer is suspended can't be replayed and is closed as
// usual; what replaced it is read.
func TestSuspendAndRemove(t *testing.T) {
	for name, change := range map[string]func(w *world){
		"deleted":   func(w *world) { w.Remove("a.jsonl") },
		"rewritten": func(w *world) { w.Put("a.jsonl", filestest.Record(9)+"\n") },
		"emptied":   func(w *world) { w.Put("a.jsonl", "") },
	} {
		t.Run(name, func(t *testing.T) {
			suspended(t, func(w *world, h *suspendHandler, s tail.Settings) {
				lines, text := filestest.Records(0, 5)
				w.Add("a.jsonl", text)
				w.Dated("a.jsonl", time.Hour)
				w.beginWith(h, s)
				w.Pass(10 * time.Second)
				require.EqualValues(w, 1, h.asked.Load())
				change(w)
				w.Pass(time.Minute)
				first := w.Sink.Opened()[0]
				assert.Equal(w, lines, first.Text)
				assert.Len(w, first.Closed, 1)
				if name == "rewritten" {
					assert.Equal(w, []string{filestest.Record(9)}, w.Sink.Opened()[1].Text)
				}
			})
		})
	}
}

// TestSuspendAndIdleClose: a suspended consumer is closed like any other when no line arrives for longer still.
func TestSuspendAndIdleClose(t *testing.T) {
	suspended(t, func(w *world, h *suspendHandler, s tail.Settings) {
		s.IdleClose = 30 * time.Minute
		w.Write("a.jsonl", "one")
		w.beginWith(h, s)
		w.Pass(time.Hour)
		assert.EqualValues(w, 1, h.asked.Load())
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonIdle}, w.Sink.Opened()[0].Closed)
		w.Write("a.jsonl", "two")
		w.Pass(time.Minute)
		streams := w.streams()
		require.Len(w, streams, 2)
		assert.Equal(w, []string{"one", "two"}, streams[1].Text)
	})
}

// TestSuspendReplayRefused: a handler that refuses replayed lines receives them until it accepts, and the new line once.
func TestSuspendReplayRefused(t *testing.T) {
	suspended(t, func(w *world, h *suspendHandler, s tail.Settings) {
		s.BatchLines = 2
		_, text := filestest.Records(0, 7)
		w.Add("a.jsonl", text)
		w.Dated("a.jsonl", time.Hour)
		w.beginWith(h, s)
		w.Pass(10 * time.Second)
		calls := 0
		w.Sink.Mu.Lock()
		w.Sink.Accept = func(tail.Stream, []tail.Line) error {
			if calls++; calls%2 == 0 {
				return filestest.ErrRefused
			}
			return nil
		}
		w.Sink.Mu.Unlock()
		w.Write("a.jsonl", filestest.Record(7))
		w.Pass(time.Minute)
		want, _ := filestest.Records(0, 8)
		fresh, replayed := w.Sink.NewLines()
		assert.Equal(w, want, fresh)
		assert.Equal(w, 7, replayed)
	})
}

// TestSuspendKeepsWhatWasSeen: the checkpoint stored at suspension contains size and time of the file, so that the next process
// opens nothing that has not changed.
func TestSuspendKeepsWhatWasSeen(t *testing.T) {
	suspended(t, func(w *world, h *suspendHandler, s tail.Settings) {
		store, writes := filestest.NewMemory(), 0
		store.Wrote = func() { writes++ }
		s.Store = store
		w.Write("a.jsonl", "one")
		w.beginWith(h, s)
		w.Pass(5 * time.Minute)
		require.EqualValues(w, 1, h.asked.Load())
		assert.Equal(w, 1, writes, "nothing has changed")
		info, err := os.Stat(w.Path("a.jsonl"))
		require.NoError(w, err)
		require.Len(w, store.Values, 1)
		for _, value := range store.Values {
			c, err := checkpoint.Decode(checkpoint.FilePrefix, value)
			require.NoError(w, err)
			assert.Equal(w, info.Size(), c.Size)
			assert.Equal(w, info.ModTime().UnixNano(), c.MTime)
		}
	})
}

// TestWaiterIsNotIdle: a consumer for which other streams are at work is closed IdleClose after the last of that.
func TestWaiterIsNotIdle(t *testing.T) {
	suspended(t, func(w *world, h *suspendHandler, s tail.Settings) {
		s.IdleClose, s.SuspendAfter = 30*time.Minute, -1
		w.Write("a.jsonl", "one")
		w.beginWith(h, s)
		for range 7 {
			w.Pass(10 * time.Minute)
			w.Sink.Mu.Lock()
			h.moved = time.Now()
			w.Sink.Mu.Unlock()
		}
		w.Pass(29 * time.Minute)
		assert.Empty(w, w.Sink.Opened()[0].Closed)
		w.Pass(2 * time.Minute)
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonIdle}, w.Sink.Opened()[0].Closed)
	})
}
