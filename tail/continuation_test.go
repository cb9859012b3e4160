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
	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/tail"
)

// A file that is compressed while its plain name still exists is the same file, even if unlinked files begin with the same
// kilobyte and are compared first.
func TestCompressAmongTwins(t *testing.T) {
	head := strings.Repeat("x", fingerprint.HeadSize) + "\n"
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll, gzipped(w), func(s *tail.Settings) { s.UnlinkGrace = 100 * time.Millisecond })
		for _, name := range []string{"1", "2", "3"} {
			w.Add(name+".jsonl", head+"of "+name+"\n")
		}
		w.Sink.Until(w.T, "6 lines", func() bool { return len(w.Sink.All()) == 6 })
		for _, name := range []string{"1", "2"} { // so that their inodes are not reused
			w.Rename(name+".jsonl", name+".kept")
		}
		w.UntilClosed(2)
		content, err := os.ReadFile(w.Path("3.jsonl"))
		require.NoError(w, err)
		w.Put("3.jsonl.gz", filestest.Compressed(w.T, string(content)))
		w.Put("4.jsonl", "other\n")
		w.Sink.Until(w.T, "7 lines", func() bool { return len(w.Sink.All()) == 7 })
		w.Remove("3.jsonl")
		w.UntilClosed(3)
		assert.Len(w, w.Sink.All(), 7)
		assert.Len(w, w.streams(), 4)
	})
}

// A path continues with the version that replaces it, even if the previous version has another name.
func TestReplaceBesideHardLink(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll)
		w.Add("a.jsonl", filestest.Record(1)+"\n")
		w.Sink.WantLines(w.T, filestest.Record(1))
		require.NoError(w, os.Link(w.Path("a.jsonl"), w.Path("b.jsonl")))
		w.Add("b.jsonl", filestest.Record(2)+"\n")
		w.Sink.WantLines(w.T, filestest.Record(1), filestest.Record(2))
		w.Put("a.tmp", filestest.Record(1)+"\n"+filestest.Record(2)+"\n"+filestest.Record(3)+"\n")
		w.Rename("a.tmp", "a.jsonl")
		w.Sink.WantLines(w.T, filestest.Record(1), filestest.Record(2), filestest.Record(3))
		w.Add("a.jsonl", filestest.Record(4)+"\n")
		w.Sink.WantLines(w.T, filestest.Record(1), filestest.Record(2), filestest.Record(3), filestest.Record(4))
		oneStream(w)
	})
}

// What remains of the previous version, under its other name, is read from the same offset.
func TestReplacedFileGrowsUnderItsHardLink(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		old, oldText := filestest.Records(0, 10)
		twoNames(w, poll, old...)
		w.Put("a.tmp", oldText+filestest.Record(10)+"\n")
		w.Rename("a.tmp", "a.jsonl")
		w.Sink.WantLines(w.T, slices.Concat(old, []string{filestest.Record(10)})...)
		w.Add("b.jsonl", filestest.Record(11)+"\n")
		w.Sink.Until(w.T, "12 lines", func() bool { return len(w.Sink.All()) == 12 })
		streams := w.streams()
		require.Len(w, streams, 2)
		assert.Equal(w, slices.Concat(old, []string{filestest.Record(10)}), streams[0].Text)
		assert.Equal(w, []string{filestest.Record(11)}, streams[1].Text)
	})
}

// A new path continues what was read under another one, if that one was renamed to it and replaced before any scan, even if
// the previous version still exists under a second name.
func TestReplaceUnseenBesideHardLink(t *testing.T) {
	old, oldText := filestest.Records(0, 20)
	next, nextText := filestest.Records(20, 30)
	for _, lost := range []string{"a.jsonl", "b.jsonl"} { // the name under which it is followed, or the other one
		t.Run(lost, func(t *testing.T) {
			bothWays(t, func(w *world, poll func(*tail.Settings)) {
				twoNames(w, poll, old...)
				w.Put("c.tmp", oldText+nextText)
				require.NoError(w, os.Remove(w.Path(lost)))
				w.Rename("c.tmp", "c.jsonl")
				w.Sink.WantLines(w.T, slices.Concat(old, next)...)
				oneStream(w)
			})
		})
	}
}

// A file that begins like one that lost a name, and has the same tail before its offset, but differs in between is another file.
func TestTwinOfUnlinkedFile(t *testing.T) {
	old, oldText := filestest.Records(0, 20)
	twinText := strings.Replace(oldText, old[12], strings.Replace(old[12], "12", "99", 1), 1) + filestest.Record(20) + "\n"
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		twoNames(w, poll, old...)
		w.Remove("a.jsonl")
		w.Put("c.jsonl", twinText)
		w.Sink.Until(w.T, "41 lines", func() bool { return len(w.Sink.All()) == 41 })
		streams := w.streams()
		require.Len(w, streams, 2)
		assert.Equal(w, linesOf(twinText), streams[1].Text)
	})
}

// Among many renamed files that begin alike, a few comparisons show which one a longer version continues.
func TestReplaceAmongTwins(t *testing.T) {
	const twins = 300
	head := `{"type":"summary","summary":"` + strings.Repeat("p", 2000) + `"}` + "\n"
	bubble(t, func(w *world) {
		files, err := tail.New(w.settings(pollOnly), w.Sink)
		require.NoError(w, err)
		var opened atomic.Int32
		files.SetOpen(func(path string) (openfile.Handle, error) {
			if path == w.Path("c.jsonl") {
				opened.Add(1)
			}
			return openfile.Open(path)
		})
		require.NoError(w, files.Start(w.Context()))
		w.files = files
		w.Put("first.jsonl", head+filestest.Record(500)+"\n")
		w.Pass(time.Minute)
		for i := range twins {
			w.Put(fmt.Sprintf("%d.jsonl", i), head+filestest.Record(i)+"\n")
		}
		w.Pass(time.Minute)
		for i := range twins {
			w.Rename(fmt.Sprintf("%d.jsonl", i), fmt.Sprintf("r%d.jsonl", i))
		}
		w.Pass(time.Minute)
		require.NoError(w, os.Link(w.Path("r7.jsonl"), w.Path("l.jsonl")))
		w.Pass(time.Minute)
		w.Put("c.tmp", head+filestest.Record(7)+"\n"+filestest.Record(twins)+"\n")
		w.Remove("r7.jsonl")
		w.Rename("c.tmp", "c.jsonl")
		w.Pass(time.Minute)
		assert.Len(w, w.Sink.All(), 2*twins+3)

		// The oldest of all, which was at its path until now.
		w.Put("first.tmp", head+filestest.Record(500)+"\n"+filestest.Record(501)+"\n")
		w.Rename("first.tmp", "first.jsonl")
		w.Rename("first.jsonl", "moved.jsonl")
		w.Put("first.jsonl", head+filestest.Record(502)+"\n")
		w.Pass(time.Minute)
		w.end()
		assert.Len(w, w.Sink.All(), 2*twins+6)
		assert.Less(w, opened.Load(), int32(6))
	})
}

// A copy that contains no more than its original is not delivered again if the original lost a name: it may be that file, so
// additions to either are delivered.
func TestCopyOfUnlinkedFile(t *testing.T) {
	old, oldText := filestest.Records(0, 20)
	bubble(t, func(w *world) {
		twoNames(w, pollOnly, old...)
		w.Remove("a.jsonl")
		w.Put("c.jsonl", oldText)
		w.Pass(time.Minute)
		for i, name := range []string{"b.jsonl", "c.jsonl", "b.jsonl"} {
			w.Add(name, filestest.Record(20+i)+"\n")
			w.Sink.Until(w.T, "one line more", func() bool { return len(w.Sink.All()) == 21+i })
		}
		streams := w.streams()
		require.Len(w, streams, 2)
		assert.Equal(w, slices.Concat(old, []string{filestest.Record(20), filestest.Record(22)}), streams[0].Text)
		assert.Equal(w, []string{filestest.Record(21)}, streams[1].Text)
	})
}

// A copy of a followed file does not continue what an older version of that file left, although it begins with it.
func TestCopyAfterSplit(t *testing.T) {
	old, oldText := filestest.Records(0, 20)
	next, nextText := filestest.Records(20, 30)
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		twoVersions(w, poll, old, next)
		w.Remove("b.jsonl") // before it has a consumer, so that nothing shows that it was unlinked
		w.Put("d.tmp", oldText+nextText+filestest.Record(30)+"\n")
		w.Rename("d.tmp", "d.jsonl")
		copied := slices.Concat(old, next, []string{filestest.Record(30)})
		w.Sink.Until(w.T, "61 lines", func() bool { return len(w.Sink.All()) == 61 })
		streams := w.streams()
		require.Len(w, streams, 2)
		assert.Equal(w, copied, streams[1].Text)
	})
}

// While lines of a file are not acknowledged, a longer version of it waits too, because both would deliver them.
func TestReplaceWhileRefused(t *testing.T) {
	old, oldText := filestest.Records(0, 20)
	next, nextText := filestest.Records(20, 30)
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		twoNames(w, func(s *tail.Settings) { poll(s); s.RetryInterval = 200 * time.Millisecond }, old...)
		w.Sink.Mu.Lock()
		w.Sink.Refuse = 4
		w.Sink.Mu.Unlock()
		w.Add("b.jsonl", filestest.Record(20)+"\n")
		w.Put("c.tmp", oldText+nextText)
		w.Remove("a.jsonl")
		w.Rename("c.tmp", "c.jsonl")
		w.Sink.WantLines(w.T, slices.Concat(old, next)...)
		oneStream(w)
	})
}

// A file may have been copied in the middle of a line; what remains under its other name keeps the half line pending.
func TestReplaceWhileHalfALineWaits(t *testing.T) {
	old, oldText := filestest.Records(0, 20)
	next, nextText := filestest.Records(20, 30)
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		twoNames(w, poll, old...)
		w.Add("b.jsonl", nextText[:10])
		w.Put("c.tmp", oldText+nextText)
		w.Remove("a.jsonl")
		w.Rename("c.tmp", "c.jsonl")
		w.Sink.WantLines(w.T, slices.Concat(old, next)...)
		oneStream(w)
	})
}

// A second name that no scan has found yet belongs to the previous version once it is found, not to another file.
func TestReplaceBesideUnseenHardLink(t *testing.T) {
	old, oldText := filestest.Records(0, 20)
	next, nextText := filestest.Records(20, 30)
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll, func(s *tail.Settings) { s.UnlinkGrace = 100 * time.Millisecond })
		w.Add("a.jsonl", oldText)
		w.Sink.WantLines(w.T, old...)
		require.NoError(w, os.Link(w.Path("a.jsonl"), w.Path("out.of.sight")))
		w.Put("c.tmp", oldText+nextText)
		w.Rename("c.tmp", "a.jsonl")
		w.Sink.WantLines(w.T, slices.Concat(old, next)...)
		w.Rename("out.of.sight", "b.jsonl")
		w.Add("b.jsonl", filestest.Record(30)+"\n")
		w.Sink.Until(w.T, "31 lines", func() bool { return len(w.Sink.All()) >= 31 })
		streams := w.streams()
		require.Len(w, streams, 2)
		assert.Equal(w, slices.Concat(old, next), streams[0].Text)
		assert.Equal(w, []string{filestest.Record(30)}, streams[1].Text)
	})
}

// If two versions are unlinked, or about to be found so, a copy continues the longer one. That one may be closed before the
// copy is matched, so its stream may be opened twice.
func TestMoveAfterSplit(t *testing.T) {
	old, oldText := filestest.Records(0, 20)
	next, nextText := filestest.Records(20, 30)
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		twoVersions(w, poll, old, next)
		w.Put("d.tmp", oldText+nextText+filestest.Record(30)+"\n") // before an inode is free
		w.Remove("b.jsonl")
		w.Rename("d.tmp", "d.jsonl")
		w.Remove("a.jsonl")
		want := slices.Concat(old, next, []string{filestest.Record(30)})
		w.Sink.WantLines(w.T, want...)
		streams := w.streams()
		assert.Equal(w, want, w.Sink.All())
		for _, s := range streams {
			assert.Equal(w, streams[0].ID, s.ID)
		}
	})
}

// A file with the inode of a version that was read less far continues the longer one: a writer may have reused the number, or
// have two files that it writes in turns.
func TestReplaceByInodeOfShorterVersion(t *testing.T) {
	old, oldText := filestest.Records(0, 20)
	next, nextText := filestest.Records(20, 30)
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll, func(s *tail.Settings) { s.UnlinkGrace = 100 * time.Millisecond })
		w.Add("b.jsonl", oldText)
		w.Sink.WantLines(w.T, old...)
		w.Add("a.jsonl", oldText+nextText)
		all := slices.Concat(old, old, next)
		w.Sink.WantLines(w.T, all...)
		w.Rename("b.jsonl", "b.kept")
		w.UntilClosed(1)
		w.Put("b.kept", oldText+nextText+filestest.Record(30)+"\n")
		w.Rename("b.kept", "a.jsonl")
		all = append(all, filestest.Record(30))
		w.Sink.Until(w.T, "51 lines", func() bool { return len(w.Sink.All()) >= len(all) })
		w.end()
		assert.Equal(w, filestest.Sorted(all), w.Sink.Sorted())
	})
}

// twoVersions creates a file with two names, of which a.jsonl is then replaced by a longer version.
func twoVersions(w *world, poll func(*tail.Settings), old, next []string) {
	twoNames(w, func(s *tail.Settings) { poll(s); s.UnlinkGrace = 100 * time.Millisecond }, old...)
	all := slices.Concat(old, next)
	w.Put("c.tmp", strings.Join(all, "\n")+"\n")
	w.Rename("c.tmp", "a.jsonl")
	w.Sink.WantLines(w.T, all...)
}

// twoNames creates a file followed as a.jsonl that also has the name b.jsonl. Its last two lines are written by that name, the
// first of them seen in the same scan as the name, if there are only scans.
func twoNames(w *world, poll func(*tail.Settings), lines ...string) {
	w.begin(poll)
	begin := len(lines) - 2
	w.Add("a.jsonl", strings.Join(lines[:begin], "\n")+"\n")
	w.Sink.WantLines(w.T, lines[:begin]...)
	require.NoError(w, os.Link(w.Path("a.jsonl"), w.Path("b.jsonl")))
	for i := begin; i < len(lines); i++ {
		w.Add("b.jsonl", lines[i]+"\n")
		w.Sink.WantLines(w.T, lines[:i+1]...)
	}
}

// TestTwoNamesOfACopy: a copy of a file that lost a link, which appears with two names at once, is one file: later lines are
// delivered once. TestModel with seed 221 found this.
func TestTwoNamesOfACopy(t *testing.T) {
	bubble(t, func(w *world) {
		lines, text := filestest.Records(0, 5)
		w.Add("a.jsonl", text)
		require.NoError(w, os.Link(w.Path("a.jsonl"), w.Path("b.jsonl")))
		w.begin(pollOnly)
		w.Pass(10 * time.Second)
		w.Remove("b.jsonl")
		w.Pass(10 * time.Second)
		w.Put("c.jsonl", text)
		require.NoError(w, os.Link(w.Path("c.jsonl"), w.Path("d.jsonl")))
		w.Pass(time.Minute)
		w.Add("c.jsonl", filestest.Record(5)+"\n")
		w.Pass(time.Minute)
		w.end()
		assert.Equal(w, append(lines, filestest.Record(5)), w.Sink.All())
	})
}
