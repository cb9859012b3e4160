package tail_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/tail"
)

// A file that is compressed while its plain name is still there is the same file, though others that are gone begin with
// the same kilobyte and are asked first.
func TestCompressAmongTwins(t *testing.T) {
	head := strings.Repeat("x", fingerprint.HeadSize) + "\n"
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll, gzipped(w), func(s *tail.Settings) { s.UnlinkGrace = 100 * time.Millisecond })
		for _, name := range []string{"1", "2", "3"} {
			w.add(name+".jsonl", head+"of "+name+"\n")
		}
		w.sink.until(w.T, "6 lines", func() bool { return len(w.sink.all()) == 6 })
		for _, name := range []string{"1", "2"} { // their inodes are not given to others
			w.rename(name+".jsonl", name+".kept")
		}
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
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
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
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		old, oldText := records(0, 10)
		twoNames(w, poll, old...)
		w.put("a.tmp", oldText+record(10)+"\n")
		w.rename("a.tmp", "a.jsonl")
		w.sink.wantLines(w.T, slices.Concat(old, []string{record(10)})...)
		w.add("b.jsonl", record(11)+"\n")
		w.sink.until(w.T, "12 lines", func() bool { return len(w.sink.all()) == 12 })
		streams := w.streams()
		require.Len(w, streams, 2)
		assert.Equal(w, slices.Concat(old, []string{record(10)}), streams[0].text)
		assert.Equal(w, []string{record(11)}, streams[1].text)
	})
}

// A path that nobody has seen yet goes on with what was read under another one, if that one was renamed to it and replaced
// before anybody looked, though the version before is still there under a second name.
func TestReplaceUnseenBesideHardLink(t *testing.T) {
	old, oldText := records(0, 20)
	next, nextText := records(20, 30)
	for _, lost := range []string{"a.jsonl", "b.jsonl"} { // the name that it is followed under, or the other one
		t.Run(lost, func(t *testing.T) {
			bothWays(t, func(w *world, poll func(*tail.Settings)) {
				twoNames(w, poll, old...)
				w.put("c.tmp", oldText+nextText)
				require.NoError(w, os.Remove(w.path(lost)))
				w.rename("c.tmp", "c.jsonl")
				w.sink.wantLines(w.T, slices.Concat(old, next)...)
				oneStream(w)
			})
		})
	}
}

// A file that only begins like one that lost a name, and ends like it where that was read up to, is another one.
func TestTwinOfStrayedFile(t *testing.T) {
	old, oldText := records(0, 20)
	twinText := strings.Replace(oldText, old[12], strings.Replace(old[12], "12", "99", 1), 1) + record(20) + "\n"
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		twoNames(w, poll, old...)
		w.remove("a.jsonl")
		w.put("c.jsonl", twinText)
		w.sink.until(w.T, "41 lines", func() bool { return len(w.sink.all()) == 41 })
		streams := w.streams()
		require.Len(w, streams, 2)
		assert.Equal(w, linesOf(twinText), streams[1].text)
	})
}

// Among many files that begin alike and were renamed, a few looks tell which one a longer version goes on with.
func TestReplaceAmongTwins(t *testing.T) {
	const twins = 300
	head := `{"type":"summary","summary":"` + strings.Repeat("p", 2000) + `"}` + "\n"
	bubble(t, func(w *world) {
		files, err := tail.New(w.settings(pollOnly), w.sink)
		require.NoError(w, err)
		var opened atomic.Int32
		files.SetOpen(func(path string) (openfile.Handle, error) {
			if path == w.path("c.jsonl") {
				opened.Add(1)
			}
			return openfile.Open(path)
		})
		require.NoError(w, files.Start(w.Context()))
		w.files = files
		w.put("first.jsonl", head+record(500)+"\n")
		w.pass(time.Minute)
		for i := range twins {
			w.put(fmt.Sprintf("%d.jsonl", i), head+record(i)+"\n")
		}
		w.pass(time.Minute)
		for i := range twins {
			w.rename(fmt.Sprintf("%d.jsonl", i), fmt.Sprintf("r%d.jsonl", i))
		}
		w.pass(time.Minute)
		require.NoError(w, os.Link(w.path("r7.jsonl"), w.path("l.jsonl")))
		w.pass(time.Minute)
		w.put("c.tmp", head+record(7)+"\n"+record(twins)+"\n")
		w.remove("r7.jsonl")
		w.rename("c.tmp", "c.jsonl")
		w.pass(time.Minute)
		assert.Len(w, w.sink.all(), 2*twins+3)

		// The oldest of all, which was at its path until now.
		w.put("first.tmp", head+record(500)+"\n"+record(501)+"\n")
		w.rename("first.tmp", "first.jsonl")
		w.rename("first.jsonl", "moved.jsonl")
		w.put("first.jsonl", head+record(502)+"\n")
		w.pass(time.Minute)
		w.end()
		assert.Len(w, w.sink.all(), 2*twins+6)
		assert.Less(w, opened.Load(), int32(6))
	})
}

// A copy that has no more than the file that it was made of is not told again if that lost a name: it may be that file, so
// what is added to either is told.
func TestCopyOfStrayedFile(t *testing.T) {
	old, oldText := records(0, 20)
	bubble(t, func(w *world) {
		twoNames(w, pollOnly, old...)
		w.remove("a.jsonl")
		w.put("c.jsonl", oldText)
		w.pass(time.Minute)
		for i, name := range []string{"b.jsonl", "c.jsonl", "b.jsonl"} {
			w.add(name, record(20+i)+"\n")
			w.sink.until(w.T, "one line more", func() bool { return len(w.sink.all()) == 21+i })
		}
		streams := w.streams()
		require.Len(w, streams, 2)
		assert.Equal(w, slices.Concat(old, []string{record(20), record(22)}), streams[0].text)
		assert.Equal(w, []string{record(21)}, streams[1].text)
	})
}

// A copy of a file that goes on is no continuation of what an older version of that left behind, though it begins with it.
func TestCopyAfterSplit(t *testing.T) {
	old, oldText := records(0, 20)
	next, nextText := records(20, 30)
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		twoVersions(w, poll, old, next)
		w.remove("b.jsonl") // before it has a consumer, so nothing tells that it was found gone
		w.put("d.tmp", oldText+nextText+record(30)+"\n")
		w.rename("d.tmp", "d.jsonl")
		copied := slices.Concat(old, next, []string{record(30)})
		w.sink.until(w.T, "61 lines", func() bool { return len(w.sink.all()) == 61 })
		streams := w.streams()
		require.Len(w, streams, 2)
		assert.Equal(w, copied, streams[1].text)
	})
}

// While lines of a file wait to be accepted, a longer version of it waits too: both would give them.
func TestReplaceWhileRefused(t *testing.T) {
	old, oldText := records(0, 20)
	next, nextText := records(20, 30)
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		twoNames(w, func(s *tail.Settings) { poll(s); s.RetryInterval = 200 * time.Millisecond }, old...)
		w.sink.mu.Lock()
		w.sink.refuse = 4
		w.sink.mu.Unlock()
		w.add("b.jsonl", record(20)+"\n")
		w.put("c.tmp", oldText+nextText)
		w.remove("a.jsonl")
		w.rename("c.tmp", "c.jsonl")
		w.sink.wantLines(w.T, slices.Concat(old, next)...)
		oneStream(w)
	})
}

// A file may have been copied in the middle of a line; what is left under its other name waits with the half of that.
func TestReplaceWhileHalfALineWaits(t *testing.T) {
	old, oldText := records(0, 20)
	next, nextText := records(20, 30)
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		twoNames(w, poll, old...)
		w.add("b.jsonl", nextText[:10])
		w.put("c.tmp", oldText+nextText)
		w.remove("a.jsonl")
		w.rename("c.tmp", "c.jsonl")
		w.sink.wantLines(w.T, slices.Concat(old, next)...)
		oneStream(w)
	})
}

// A second name that nobody has seen is that of the version before, once it comes to light, not another file.
func TestReplaceBesideUnseenHardLink(t *testing.T) {
	old, oldText := records(0, 20)
	next, nextText := records(20, 30)
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll, func(s *tail.Settings) { s.UnlinkGrace = 100 * time.Millisecond })
		w.add("a.jsonl", oldText)
		w.sink.wantLines(w.T, old...)
		require.NoError(w, os.Link(w.path("a.jsonl"), w.path("out.of.sight")))
		w.put("c.tmp", oldText+nextText)
		w.rename("c.tmp", "a.jsonl")
		w.sink.wantLines(w.T, slices.Concat(old, next)...)
		w.rename("out.of.sight", "b.jsonl")
		w.add("b.jsonl", record(30)+"\n")
		w.sink.until(w.T, "31 lines", func() bool { return len(w.sink.all()) >= 31 })
		streams := w.streams()
		require.Len(w, streams, 2)
		assert.Equal(w, slices.Concat(old, next), streams[0].text)
		assert.Equal(w, []string{record(30)}, streams[1].text)
	})
}

// Of two versions that are gone, or about to be found so, a copy goes on where the longer one was. That one may be closed
// before the copy is known to be its, so its stream may be opened twice.
func TestMoveAfterSplit(t *testing.T) {
	old, oldText := records(0, 20)
	next, nextText := records(20, 30)
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		twoVersions(w, poll, old, next)
		w.put("d.tmp", oldText+nextText+record(30)+"\n") // before an inode is free
		w.remove("b.jsonl")
		w.rename("d.tmp", "d.jsonl")
		w.remove("a.jsonl")
		want := slices.Concat(old, next, []string{record(30)})
		w.sink.wantLines(w.T, want...)
		streams := w.streams()
		assert.Equal(w, want, w.sink.all())
		for _, s := range streams {
			assert.Equal(w, streams[0].ID, s.ID)
		}
	})
}

// A file that has the inode of a version that was read less far goes on where the longer one was: a writer may have used
// the number again, or have two files that it writes by turns.
func TestReplaceByInodeOfShorterVersion(t *testing.T) {
	old, oldText := records(0, 20)
	next, nextText := records(20, 30)
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll, func(s *tail.Settings) { s.UnlinkGrace = 100 * time.Millisecond })
		w.add("b.jsonl", oldText)
		w.sink.wantLines(w.T, old...)
		w.add("a.jsonl", oldText+nextText)
		all := slices.Concat(old, old, next)
		w.sink.wantLines(w.T, all...)
		w.rename("b.jsonl", "b.kept")
		w.untilClosed(1)
		w.put("b.kept", oldText+nextText+record(30)+"\n")
		w.rename("b.kept", "a.jsonl")
		all = append(all, record(30))
		w.sink.until(w.T, "51 lines", func() bool { return len(w.sink.all()) >= len(all) })
		w.end()
		assert.Equal(w, sorted(all), w.sink.sorted())
	})
}

// twoVersions has a file of two names, of which a.jsonl was replaced by a longer version.
func twoVersions(w *world, poll func(*tail.Settings), old, next []string) {
	twoNames(w, func(s *tail.Settings) { poll(s); s.UnlinkGrace = 100 * time.Millisecond }, old...)
	all := slices.Concat(old, next)
	w.put("c.tmp", strings.Join(all, "\n")+"\n")
	w.rename("c.tmp", "a.jsonl")
	w.sink.wantLines(w.T, all...)
}

// twoNames has a file followed under a.jsonl that was found to have the name b.jsonl too: its last two lines come by that
// name, the first of them in one look with it, if there are only looks.
func twoNames(w *world, poll func(*tail.Settings), lines ...string) {
	w.begin(poll)
	begin := len(lines) - 2
	w.add("a.jsonl", strings.Join(lines[:begin], "\n")+"\n")
	w.sink.wantLines(w.T, lines[:begin]...)
	require.NoError(w, os.Link(w.path("a.jsonl"), w.path("b.jsonl")))
	for i := begin; i < len(lines); i++ {
		w.add("b.jsonl", lines[i]+"\n")
		w.sink.wantLines(w.T, lines[:i+1]...)
	}
}

// TestTwoNamesOfACopy: a copy of a file that lost a link, which comes with two names at once, is one file: what is written to it
// later comes once. TestModel with seed 221 found this.
func TestTwoNamesOfACopy(t *testing.T) {
	bubble(t, func(w *world) {
		lines, text := records(0, 5)
		w.add("a.jsonl", text)
		require.NoError(w, os.Link(w.path("a.jsonl"), w.path("b.jsonl")))
		w.begin(pollOnly)
		w.pass(10 * time.Second)
		w.remove("b.jsonl")
		w.pass(10 * time.Second)
		w.put("c.jsonl", text)
		require.NoError(w, os.Link(w.path("c.jsonl"), w.path("d.jsonl")))
		w.pass(time.Minute)
		w.add("c.jsonl", record(5)+"\n")
		w.pass(time.Minute)
		w.end()
		assert.Equal(w, append(lines, record(5)), w.sink.all())
	})
}
