package tail_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/tail"
)

func olderThanADay(s *tail.Settings) { s.ExcludeOlderThan = 24 * time.Hour }

func isIn(m *sync.Map, path string) bool {
	_, in := m.Load(path)
	return in
}

// TestExcludeOlderThan: a file that, when first seen, has not changed for long is not even opened until it changes. Then it is
// read as StartAt says for existing content.
func TestExcludeOlderThan(t *testing.T) {
	for _, tt := range []struct {
		name  string
		start tail.StartAt
		// lines read from the files that exist at start; grown: after they have grown
		there, grown []string
	}{
		{"from the beginning", tail.StartAtBeginning, []string{filestest.Record(2)}, []string{filestest.Record(1), filestest.Record(11), filestest.Record(12)}},
		{"at the end", tail.StartAtEnd, nil, []string{filestest.Record(11), filestest.Record(12)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(w *world) {
				w.Add("old.jsonl", filestest.Record(1)+"\n")
				w.Dated("old.jsonl", 25*time.Hour)
				w.Add("young.jsonl", filestest.Record(2)+"\n")
				w.Dated("young.jsonl", 23*time.Hour)
				var opened sync.Map // workers open files
				f, err := tail.New(w.settings(pollOnly, olderThanADay, func(s *tail.Settings) { s.StartAt = tt.start }), w.Sink)
				require.NoError(w, err)
				f.SetOpen(func(path string) (openfile.Handle, error) {
					opened.Store(path, true)
					return openfile.Open(path)
				})
				require.NoError(w, f.Start(w.Context()))
				w.files = f
				w.Pass(2 * time.Hour) // the young file growing older is not a change
				assert.Equal(w, tt.there, w.Sink.All())
				assert.False(w, isIn(&opened, w.Path("old.jsonl")))

				w.Add("late.jsonl", filestest.Record(3)+"\n") // it appears later and is old: a copy that keeps its times
				w.Dated("late.jsonl", 25*time.Hour)
				w.Pass(time.Hour)
				assert.False(w, isIn(&opened, w.Path("late.jsonl")))

				w.Add("old.jsonl", filestest.Record(11)+"\n")
				w.Dated("old.jsonl", 0)
				w.Add("young.jsonl", filestest.Record(12)+"\n")
				w.Dated("young.jsonl", 0)
				w.Pass(time.Minute)
				assert.ElementsMatch(w, append(tt.there, tt.grown...), w.Sink.All())
				w.Add("late.jsonl", filestest.Record(13)+"\n")
				w.Dated("late.jsonl", 0)
				w.Pass(time.Minute)
				assert.ElementsMatch(w, append(append(tt.there, tt.grown...), filestest.Record(3), filestest.Record(13)), w.Sink.All())
				w.end()
			})
		})
	}
}

// TestExcludeOlderThanAfterARestart: a file that was read continues at its offset, however old it is by then.
func TestExcludeOlderThanAfterARestart(t *testing.T) {
	stores(t, func(w *world, store tail.Store, _ bool) {
		w.Add("a.jsonl", filestest.Record(1)+"\n")
		w.Dated("a.jsonl", 0)
		assert.Equal(w, []string{filestest.Record(1)}, w.run(with(store), olderThanADay).All())
		w.Pass(48 * time.Hour)
		assert.Empty(w, w.run(with(store), olderThanADay).All())
		w.Add("a.jsonl", filestest.Record(2)+"\n")
		w.Dated("a.jsonl", 0)
		fresh, _ := w.run(with(store), olderThanADay).NewLines()
		assert.Equal(w, []string{filestest.Record(2)}, fresh)
	})
}
