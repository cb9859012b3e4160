package tail_test

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/tail"
)

// knowing is a handler whose consumers count their lines and say so.
type knowing struct {
	*sink
	open    bool // what they say of themselves
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
	c, err := k.sink.Open(ctx, s)
	return &knowingStream{c, k, 0}, err
}

func (k *knowingStream) Lines(ctx context.Context, lines []tail.Line) error {
	k.n += len(lines)
	return k.Consumer.Lines(ctx, lines)
}

func (k *knowingStream) State() ([]byte, bool) { return fmt.Append(nil, k.n), k.open }

func TestConsumerState(t *testing.T) {
	bubble(t, func(w *world) {
		store := walking{newMemory()}
		_, text := records(0, 10)
		w.add("a.jsonl", text)
		run := func(open bool, during func(*knowing)) *knowing {
			k := &knowing{sink: newSink(), open: open}
			f, err := tail.New(w.settings(with(store)), k)
			require.NoError(w, err)
			require.NoError(w, f.Start(w.Context()))
			w.pass(time.Minute)
			if during != nil {
				during(k)
			}
			require.NoError(w, f.Shutdown(w.Context()))
			return k
		}
		k := run(true, nil)
		assert.Equal(w, [][]byte{nil}, k.given)
		// It is open: all is given again although nothing is new, and then it is idle.
		k = run(true, nil)
		assert.Equal(w, [][]byte{[]byte("10")}, k.given)
		fresh, replayed := k.newLines()
		assert.Empty(w, fresh)
		assert.Equal(w, 10, replayed)
		assert.Equal(w, 1, k.opened()[0].idle)
		// It says by itself that it owes nothing any more, and the process is killed.
		var before map[string][]byte
		run(true, func(k *knowing) {
			k.open = false
			k.changed()
			w.pass(5 * time.Second)
			before = maps.Clone(store.values)
			k.open = true
		})
		store.values = before
		k = run(true, nil)
		assert.Empty(w, k.given, "it is not opened")
	})
}

// TestReplayRefused: a consumer that refuses while it is given the old lines gets each once.
func TestReplayRefused(t *testing.T) {
	bubble(t, func(w *world) {
		store := walking{newMemory()}
		old, text := records(0, 30)
		w.add("a.jsonl", text)
		w.run(with(store))
		w.add("a.jsonl", "new\n")
		w.sink = newSink()
		calls := 0
		w.sink.accept = func(tail.Stream, []tail.Line) error {
			if calls++; calls%3 != 0 {
				return errRefused
			}
			return nil
		}
		f, err := tail.New(w.settings(with(store), func(s *tail.Settings) { s.BatchLines = 4 }), w.sink)
		require.NoError(w, err)
		require.NoError(w, f.Start(w.Context()))
		w.pass(5 * time.Minute)
		require.NoError(w, f.Shutdown(w.Context()))
		assert.Equal(w, append(old, "new"), w.sink.all())
		assert.Len(w, w.sink.opened(), 1)
	})
}

// TestReopenReplays: without a store too, a consumer that was closed since nothing came is given all again.
func TestReopenReplays(t *testing.T) {
	bubble(t, func(w *world) {
		w.add("a.jsonl", "one\ntwo\n")
		w.begin(pollOnly, func(s *tail.Settings) { s.Replay, s.IdleClose = true, time.Minute })
		w.pass(2 * time.Minute)
		w.add("a.jsonl", "three\n")
		w.pass(10 * time.Second)
		s := w.streams()
		require.Len(w, s, 2)
		assert.Equal(w, []string{"one", "two", "three"}, s[1].text)
		assert.True(w, s[1].lines[1].Replayed)
		assert.False(w, s[1].lines[2].Replayed)
	})
}

// TestOldFileIsClosed: the consumer of a file that nobody has written to for IdleClose is closed as soon as it owes nothing, and
// opened again with its state when the file grows.
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
				k := &knowing{sink: w.sink, open: tt.open}
				w.write("a.jsonl", "one")
				w.add("a.jsonl", tt.tail)
				w.dated("a.jsonl", tt.age)
				w.beginWith(k, w.settings(pollOnly, func(s *tail.Settings) { s.Replay, s.IdleClose, s.Store = tt.replay, 30*time.Minute, newMemory() }))
				w.pass(5 * time.Second)
				closed := k.opened()[0].closed
				if !tt.want {
					require.Empty(w, closed)
					return
				}
				require.Equal(w, []tail.CloseReason{tail.CloseReasonIdle}, closed)
				w.write("a.jsonl", "")
				w.write("a.jsonl", "more")
				w.pass(2 * time.Second)
				streams := k.opened()
				require.Len(w, streams, 2)
				assert.Equal(w, "more", streams[1].text[len(streams[1].text)-1])
				assert.True(w, streams[1].lines[0].Replayed)
				assert.NotEmpty(w, streams[1].State)
			})
		})
	}
}

// TestOldFileIsClosedLater: one that owed something is closed when it says that it does not any more.
func TestOldFileIsClosedLater(t *testing.T) {
	bubble(t, func(w *world) {
		k := &knowing{sink: w.sink, open: true}
		w.write("a.jsonl", "one")
		w.dated("a.jsonl", time.Hour)
		w.beginWith(k, w.settings(pollOnly, func(s *tail.Settings) { s.Replay, s.IdleClose, s.Store = true, 30*time.Minute, newMemory() }))
		w.pass(time.Minute)
		require.Empty(w, k.opened()[0].closed)
		k.open = false
		k.changed()
		w.pass(time.Minute)
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonIdle}, k.opened()[0].closed)
	})
}
