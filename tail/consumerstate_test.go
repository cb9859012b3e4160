package tail_test

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/tail"
)

// knowing is a handler whose consumers count their lines and store the count.
type knowing struct {
	*filestest.Sink
	open    bool // reported as their pending output
	given   [][]byte
	changed func()
}

type knowingStream struct {
	tail.Consumer
	*knowing
	n int
}

func (k *knowing) Open(ctx context.Context, s tail.Stream) (tail.Consumer, error) {
	k.given, k.changed = append(k.given, s.State), s.Changed
	c, err := k.Sink.Open(ctx, s)
	return &knowingStream{c, k, 0}, err
}

func (k *knowingStream) Lines(ctx context.Context, lines []tail.Line) error {
	k.n += len(lines)
	return k.Consumer.Lines(ctx, lines)
}

func (k *knowingStream) State() ([]byte, bool) { return fmt.Append(nil, k.n), k.open }

func TestConsumerState(t *testing.T) {
	bubble(t, func(w *world) {
		store := filestest.Walking{Memory: filestest.NewMemory()}
		_, text := filestest.Records(0, 10)
		w.Add("a.jsonl", text)
		run := func(open bool, during func(*knowing)) *knowing {
			k := &knowing{Sink: filestest.NewSink(), open: open}
			f, err := tail.New(w.settings(with(store)), k)
			require.NoError(w, err)
			require.NoError(w, f.Start(w.Context()))
			w.Pass(time.Minute)
			if during != nil {
				during(k)
			}
			require.NoError(w, f.Shutdown(w.Context()))
			return k
		}
		k := run(true, nil)
		assert.Equal(w, [][]byte{nil}, k.given)
		// It has pending output: all lines are replayed although nothing is new, and then it is idle.
		k = run(true, nil)
		assert.Equal(w, [][]byte{[]byte("10")}, k.given)
		fresh, replayed := k.NewLines()
		assert.Empty(w, fresh)
		assert.Equal(w, 10, replayed)
		assert.Equal(w, 1, k.Opened()[0].Idles)
		// It changes its state to nothing pending, and the process is killed.
		var before map[string][]byte
		run(true, func(k *knowing) {
			k.open = false
			k.changed()
			w.Pass(5 * time.Second)
			before = maps.Clone(store.Values)
			k.open = true
		})
		store.Values = before
		k = run(true, nil)
		assert.Empty(w, k.given, "it is not opened")
	})
}

// TestReplayRefused: a consumer that refuses during the replay receives each line once.
func TestReplayRefused(t *testing.T) {
	bubble(t, func(w *world) {
		store := filestest.Walking{Memory: filestest.NewMemory()}
		old, text := filestest.Records(0, 30)
		w.Add("a.jsonl", text)
		w.run(with(store))
		w.Add("a.jsonl", "new\n")
		w.Sink = filestest.NewSink()
		calls := 0
		w.Sink.Accept = func(tail.Stream, []tail.Line) error {
			if calls++; calls%3 != 0 {
				return filestest.ErrRefused
			}
			return nil
		}
		f, err := tail.New(w.settings(with(store), func(s *tail.Settings) { s.BatchLines = 4 }), w.Sink)
		require.NoError(w, err)
		require.NoError(w, f.Start(w.Context()))
		w.Pass(5 * time.Minute)
		require.NoError(w, f.Shutdown(w.Context()))
		assert.Equal(w, append(old, "new"), w.Sink.All())
		assert.Len(w, w.Sink.Opened(), 1)
	})
}

// TestReopenReplays: even without a store, a consumer that was closed as idle receives all lines again.
func TestReopenReplays(t *testing.T) {
	bubble(t, func(w *world) {
		w.Add("a.jsonl", "one\ntwo\n")
		w.begin(pollOnly, func(s *tail.Settings) { s.Replay, s.IdleClose = true, time.Minute })
		w.Pass(2 * time.Minute)
		w.Add("a.jsonl", "three\n")
		w.Pass(10 * time.Second)
		s := w.streams()
		require.Len(w, s, 2)
		assert.Equal(w, []string{"one", "two", "three"}, s[1].Text)
		assert.True(w, s[1].Received[1].Replayed)
		assert.False(w, s[1].Received[2].Replayed)
	})
}

// TestOldFileIsClosed: the consumer of a file not written for IdleClose is closed as soon as nothing is pending, and opened
// again with its state when the file grows.
func TestOldFileIsClosed(t *testing.T) {
	for _, tt := range []struct {
		name         string
		age          time.Duration
		open, replay bool
		tail         string // an unterminated last line
		want         bool
	}{
		{name: "old", age: time.Hour, replay: true, want: true},
		{name: "young", age: time.Minute, replay: true},
		{name: "owes", age: time.Hour, replay: true, open: true},
		{name: "without replay", age: time.Hour},
		{name: "with half a line", age: time.Hour, replay: true, tail: `{"a":`, want: true},
		{name: "with a last line", age: time.Hour, replay: true, tail: `{"a":1}`, want: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(w *world) {
				k := &knowing{Sink: w.Sink, open: tt.open}
				w.Write("a.jsonl", "one")
				w.Add("a.jsonl", tt.tail)
				w.Dated("a.jsonl", tt.age)
				w.beginWith(k, w.settings(pollOnly, func(s *tail.Settings) {
					s.Replay, s.IdleClose, s.Store = tt.replay, 30*time.Minute, filestest.NewMemory()
				}))
				w.Pass(5 * time.Second)
				closed := k.Opened()[0].Closed
				if !tt.want {
					require.Empty(w, closed)
					return
				}
				require.Equal(w, []tail.CloseReason{tail.CloseReasonIdle}, closed)
				w.Write("a.jsonl", "")
				w.Write("a.jsonl", "more")
				w.Pass(2 * time.Second)
				streams := k.Opened()
				require.Len(w, streams, 2)
				assert.Equal(w, "more", streams[1].Text[len(streams[1].Text)-1])
				assert.True(w, streams[1].Received[0].Replayed)
				assert.NotEmpty(w, streams[1].State)
			})
		})
	}
}

// TestOldFileIsClosedLater: a consumer with pending output is closed when it reports that nothing is pending any more.
func TestOldFileIsClosedLater(t *testing.T) {
	bubble(t, func(w *world) {
		k := &knowing{Sink: w.Sink, open: true}
		w.Write("a.jsonl", "one")
		w.Dated("a.jsonl", time.Hour)
		w.beginWith(k, w.settings(pollOnly, func(s *tail.Settings) { s.Replay, s.IdleClose, s.Store = true, 30*time.Minute, filestest.NewMemory() }))
		w.Pass(time.Minute)
		require.Empty(w, k.Opened()[0].Closed)
		k.open = false
		k.changed()
		w.Pass(time.Minute)
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonIdle}, k.Opened()[0].Closed)
	})
}
