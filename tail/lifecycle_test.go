package tail_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/tail"
)

func TestFilesHandlerRefuses(t *testing.T) {
	for _, refuse := range []int{1, 2, 3, 10, 50} {
		t.Run(strconv.Itoa(refuse), func(t *testing.T) {
			bubble(t, func(w *world) {
				w.Sink.Refuse = refuse
				var waits []time.Duration
				w.begin(pollOnly, func(s *tail.Settings) {
					s.BatchLines, s.MaxConcurrentFiles = 7, 1
					s.Observer.Refused = func(_ string, err error, wait time.Duration) {
						assert.ErrorIs(t, err, filestest.ErrRefused)
						waits = append(waits, wait)
					}
				})
				lines, text := filestest.Records(0, 100)
				w.Add("a.jsonl", text)
				w.Pass(10 * time.Minute)
				assert.Equal(w, lines, w.Sink.All())
				assert.Len(w, waits, refuse)
				assert.Equal(w, tail.DefaultRetryInterval, waits[0])
				for _, wait := range waits {
					assert.LessOrEqual(w, wait, tail.DefaultMaxRetryInterval)
				}
				w.Sink.Mu.Lock()
				w.Sink.Refuse = 2 // the lines and later the end
				w.Sink.Mu.Unlock()
				w.Add("a.jsonl", filestest.Record(100)+"\n")
				w.Pass(10 * time.Minute)
				assert.Equal(w, append(lines, filestest.Record(100)), w.Sink.All())
				assert.NotZero(w, oneStream(w).Idles)
			})
		})
	}
}

// Every third batch is refused, and then all for half a minute: nothing is lost or delivered twice, in any file.
func TestFilesHandlerRefusesNowAndThen(t *testing.T) {
	bubble(t, func(w *world) {
		calls, down := 0, time.Now()
		w.Sink.Accept = func(tail.Stream, []tail.Line) error {
			if calls++; calls%3 == 0 || time.Now().Before(down) {
				return filestest.ErrRefused
			}
			return nil
		}
		w.begin(pollOnly, func(s *tail.Settings) { s.BatchLines = 5 })
		var want []string
		for round := range 10 {
			for file := range 5 {
				lines, text := filestest.Records(1000*file+20*round, 1000*file+20*round+20)
				w.Add(fmt.Sprintf("%d.jsonl", file), text)
				want = append(want, lines...)
			}
			if round == 5 {
				w.Sink.Mu.Lock()
				down = time.Now().Add(30 * time.Second)
				w.Sink.Mu.Unlock()
			}
			w.Pass(700 * time.Millisecond)
		}
		w.Pass(10 * time.Minute)
		assert.Equal(w, filestest.Sorted(want), w.Sink.Sorted())
		for _, s := range w.streams() {
			var at int64
			for _, l := range s.Received {
				require.Equal(w, at, l.Offset)
				at = l.Next
			}
		}
	})
}

// A file is read to its end even if it is deleted while the handler refuses.
func TestFilesDeletedWhileRefused(t *testing.T) {
	bubble(t, func(w *world) {
		w.Sink.Refuse = 12
		w.begin(pollOnly)
		lines, text := filestest.Records(0, 10)
		w.Add("a.jsonl", text)
		w.Pass(2 * time.Second)
		w.Remove("a.jsonl")
		w.Pass(10 * time.Minute)
		assert.Equal(w, lines, w.Sink.All())
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonUnlinked}, oneStream(w).Closed)
	})
}

func TestFilesIdleClose(t *testing.T) {
	bubble(t, func(w *world) {
		w.begin(pollOnly, func(s *tail.Settings) { s.IdleClose = time.Minute })
		w.Add("a.jsonl", "one\n")
		w.Pass(30 * time.Second)
		w.Add("a.jsonl", "two\n")
		w.Pass(50 * time.Second)
		assert.Empty(w, w.Sink.Opened()[0].Closed)
		w.Pass(20 * time.Second)
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonIdle}, w.Sink.Opened()[0].Closed)
		w.Add("a.jsonl", "three\n")
		w.Pass(2 * time.Second)
		streams := w.streams()
		require.Len(w, streams, 2)
		assert.Equal(w, streams[0].ID, streams[1].ID)
		assert.EqualValues(w, 8, streams[1].Offset)
		assert.Equal(w, []string{"three"}, streams[1].Text)
		assert.True(w, streams[1].Received[0].Live)
	})
}

// A file that never ends must not keep others from being read: one worker, and a file of many turns before the other.
func TestFilesTakeTurns(t *testing.T) {
	w := newWorld(t)
	line := strings.Repeat("b", 1<<20-1) + "\n"
	w.Put("big.jsonl", strings.Repeat(line, 40))
	var order []string
	w.Sink.Accept = func(s tail.Stream, lines []tail.Line) error {
		order = append(order, s.Name)
		return nil
	}
	w.Put("small.jsonl", "small\n")
	w.begin(func(s *tail.Settings) { s.MaxConcurrentFiles = 1 })
	w.Sink.Until(t, "41 lines", func() bool { return len(w.Sink.All()) == 41 })
	w.Sink.Mu.Lock()
	defer w.Sink.Mu.Unlock()
	require.Equal(t, "big.jsonl", order[0])
	assert.NotEqual(t, "small.jsonl", order[len(order)-1], "the small file had to wait for the big one's end")
}

func TestFilesLifecycle(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	w.Add("a.jsonl", "one\n")
	t.Run("shutdown without start", func(t *testing.T) {
		f, err := tail.New(w.settings(), w.Sink)
		require.NoError(t, err)
		assert.NoError(t, f.Shutdown(ctx))
		assert.NoError(t, f.Shutdown(ctx))
		assert.Error(t, f.Start(ctx))
	})
	t.Run("start twice and shutdown twice", func(t *testing.T) {
		f, err := tail.New(w.settings(), w.Sink)
		require.NoError(t, err)
		require.NoError(t, f.Start(ctx))
		assert.Error(t, f.Start(ctx))
		w.Sink.WantLines(t, "one")
		assert.NoError(t, f.Shutdown(ctx))
		assert.NoError(t, f.Shutdown(ctx))
		assert.Equal(t, []tail.CloseReason{tail.CloseReasonShutdown}, w.Sink.Opened()[0].Closed)
	})
	t.Run("the end of the start's context is no end", func(t *testing.T) {
		sink := filestest.NewPatientSink()
		f, err := tail.New(w.settings(), sink)
		require.NoError(t, err)
		starting, cancel := context.WithCancel(ctx)
		require.NoError(t, f.Start(starting))
		cancel()
		sink.WantLines(t, "one")
		w.Add("a.jsonl", "two\n")
		sink.WantLines(t, "one", "two")
		assert.NoError(t, f.Shutdown(ctx))
	})
}

// stuck is a handler whose downstream never answers.
type stuck struct{ begun chan struct{} }

func (s stuck) Open(context.Context, tail.Stream) (tail.Consumer, error) { return s, nil }

func (s stuck) Lines(ctx context.Context, _ []tail.Line) error {
	s.begun <- struct{}{}
	<-ctx.Done()
	return ctx.Err()
}

func (s stuck) Idle(context.Context) error { return nil }

func (s stuck) Close(context.Context, tail.CloseReason) error { return nil }

func TestFilesShutdownDoesNotWaitForAStuckHandler(t *testing.T) {
	bubble(t, func(w *world) {
		w.Add("a.jsonl", "one\n")
		handler := stuck{begun: make(chan struct{}, 10)}
		f, err := tail.New(w.settings(pollOnly), handler)
		require.NoError(w, err)
		require.NoError(w, f.Start(w.Context()))
		<-handler.begun
		begin := time.Now()
		assert.NoError(w, f.Shutdown(context.Background()))
		assert.Equal(w, tail.DefaultDrainTimeout, time.Since(begin))
	})
	bubble(t, func(w *world) {
		w.Add("a.jsonl", "one\n")
		handler := stuck{begun: make(chan struct{}, 10)}
		f, err := tail.New(w.settings(pollOnly), handler)
		require.NoError(w, err)
		require.NoError(w, f.Start(w.Context()))
		<-handler.begun
		hurry, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		begin := time.Now()
		assert.NoError(w, f.Shutdown(hurry))
		assert.Equal(w, time.Millisecond, time.Since(begin))
	})
}
