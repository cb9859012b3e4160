package tail_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/tail"
)

func olderThanADay(s *tail.Settings) { s.ExcludeOlderThan = 24 * time.Hour }

func isIn(m *sync.Map, path string) bool {
	_, in := m.Load(path)
	return in
}

// TestExcludeOlderThan: a file that was not changed for long when it is first seen is not even opened, until it is changed.
// Then it is read as StartAt says of what was there.
func TestExcludeOlderThan(t *testing.T) {
	for _, tt := range []struct {
		name  string
		start tail.StartAt
		// there comes of the files that are there at start, grown once they have grown.
		there, grown []string
	}{
		{"from the beginning", tail.StartAtBeginning, []string{record(2)}, []string{record(1), record(11), record(12)}},
		{"at the end", tail.StartAtEnd, nil, []string{record(11), record(12)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(w *world) {
				w.add("old.jsonl", record(1)+"\n")
				w.dated("old.jsonl", 25*time.Hour)
				w.add("young.jsonl", record(2)+"\n")
				w.dated("young.jsonl", 23*time.Hour)
				var opened sync.Map // workers open files
				f, err := tail.New(w.settings(pollOnly, olderThanADay, func(s *tail.Settings) { s.StartAt = tt.start }), w.sink)
				require.NoError(w, err)
				f.SetOpen(func(path string) (openfile.Handle, error) {
					opened.Store(path, true)
					return openfile.Open(path)
				})
				require.NoError(w, f.Start(w.Context()))
				w.files = f
				w.pass(2 * time.Hour) // that the young one grows older is nothing new
				assert.Equal(w, tt.there, w.sink.all())
				assert.False(w, isIn(&opened, w.path("old.jsonl")))

				w.add("late.jsonl", record(3)+"\n") // it comes later and is old: a copy that keeps the times
				w.dated("late.jsonl", 25*time.Hour)
				w.pass(time.Hour)
				assert.False(w, isIn(&opened, w.path("late.jsonl")))

				w.add("old.jsonl", record(11)+"\n")
				w.dated("old.jsonl", 0)
				w.add("young.jsonl", record(12)+"\n")
				w.dated("young.jsonl", 0)
				w.pass(time.Minute)
				assert.ElementsMatch(w, append(tt.there, tt.grown...), w.sink.all())
				w.add("late.jsonl", record(13)+"\n")
				w.dated("late.jsonl", 0)
				w.pass(time.Minute)
				assert.ElementsMatch(w, append(append(tt.there, tt.grown...), record(3), record(13)), w.sink.all())
				w.end()
			})
		})
	}
}

// TestExcludeOlderThanAfterARestart: a file that was read goes on where it was, however old it has become.
func TestExcludeOlderThanAfterARestart(t *testing.T) {
	stores(t, func(w *world, store tail.Store, _ bool) {
		w.add("a.jsonl", record(1)+"\n")
		w.dated("a.jsonl", 0)
		assert.Equal(w, []string{record(1)}, w.run(with(store), olderThanADay).all())
		w.pass(48 * time.Hour)
		assert.Empty(w, w.run(with(store), olderThanADay).all())
		w.add("a.jsonl", record(2)+"\n")
		w.dated("a.jsonl", 0)
		fresh, _ := w.run(with(store), olderThanADay).newLines()
		assert.Equal(w, []string{record(2)}, fresh)
	})
}
