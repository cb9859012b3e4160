package source

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A file that is compressed while its plain name is still there is the same file, though others that are gone begin with
// the same kilobyte and are asked first.
func TestCompressAmongTwins(t *testing.T) {
	head := strings.Repeat("x", headSize) + "\n"
	bothWays(t, func(w *world, poll func(*Settings)) {
		w.begin(poll, gzipped(w), func(s *Settings) { s.GoneGrace = 100 * time.Millisecond })
		for _, name := range []string{"1", "2", "3"} {
			w.add(name+".jsonl", head+"of "+name+"\n")
		}
		w.sink.until(w.T, "6 lines", func() bool { return len(w.sink.all()) == 6 })
		w.remove("1.jsonl")
		w.remove("2.jsonl")
		w.untilClosed(2)
		content, err := os.ReadFile(w.path("3.jsonl"))
		require.NoError(w, err)
		w.put("3.jsonl.gz", compressed(w.T, string(content)))
		w.put("4.jsonl", "other\n")
		w.sink.until(w.T, "7 lines", func() bool { return len(w.sink.all()) == 7 })
		w.remove("3.jsonl")
		w.untilClosed(3)
		assert.Len(w, w.sink.all(), 7)
		assert.Len(w, w.streams(), 4)
	})
}

// A path goes on with the version that replaces it, though the version before has another name.
func TestReplaceBesideHardLink(t *testing.T) {
	bothWays(t, func(w *world, poll func(*Settings)) {
		w.begin(poll)
		w.add("a.jsonl", record(1)+"\n")
		w.sink.wantLines(w.T, record(1))
		require.NoError(w, os.Link(w.path("a.jsonl"), w.path("b.jsonl")))
		w.add("b.jsonl", record(2)+"\n")
		w.sink.wantLines(w.T, record(1), record(2))
		w.put("a.tmp", record(1)+"\n"+record(2)+"\n"+record(3)+"\n")
		w.rename("a.tmp", "a.jsonl")
		w.sink.wantLines(w.T, record(1), record(2), record(3))
		w.add("a.jsonl", record(4)+"\n")
		w.sink.wantLines(w.T, record(1), record(2), record(3), record(4))
		oneStream(w)
	})
}

// What is left of the version before, under its other name, is read on from where it was.
func TestReplacedFileGrowsUnderItsHardLink(t *testing.T) {
	bothWays(t, func(w *world, poll func(*Settings)) {
		both := make(chan struct{}, 1)
		w.begin(poll, func(s *Settings) {
			s.Observer.Files = func(known, _ int) {
				if known == 2 {
					select {
					case both <- struct{}{}:
					default:
					}
				}
			}
		})
		w.add("a.jsonl", record(1)+"\n")
		w.sink.wantLines(w.T, record(1))
		require.NoError(w, os.Link(w.path("a.jsonl"), w.path("b.jsonl")))
		<-both
		w.put("a.tmp", record(1)+"\n"+record(2)+"\n")
		w.rename("a.tmp", "a.jsonl")
		w.sink.wantLines(w.T, record(1), record(2))
		w.add("b.jsonl", record(3)+"\n")
		w.sink.until(w.T, "3 lines", func() bool { return len(w.sink.all()) == 3 })
		streams := w.streams()
		require.Len(w, streams, 2)
		assert.Equal(w, []string{record(1), record(2)}, streams[0].text)
		assert.Equal(w, []string{record(3)}, streams[1].text)
	})
}
