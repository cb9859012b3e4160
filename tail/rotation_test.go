package tail_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/tail"
)

// oneStream asserts that all lines arrived in one stream, which was closed once.
func oneStream(w *world) filestest.Opened {
	w.Helper()
	streams := w.streams()
	require.Len(w, streams, 1)
	assert.Len(w, streams[0].Closed, 1)
	return streams[0]
}

func TestRotateRename(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll)
		w.Add("a.jsonl", filestest.Record(1)+"\n")
		w.Sink.WantLines(w.T, filestest.Record(1))
		w.Rename("a.jsonl", "b.jsonl")
		w.Add("b.jsonl", filestest.Record(2)+"\n")
		w.Sink.WantLines(w.T, filestest.Record(1), filestest.Record(2))
		s := oneStream(w)
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonShutdown}, s.Closed)
	})
}

func TestRotateMoveToOtherFolder(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.Mkdir("sessions/1")
		w.Mkdir("archive")
		w.begin(poll)
		w.Add("sessions/1/a.jsonl", filestest.Record(1)+"\n")
		w.Sink.WantLines(w.T, filestest.Record(1))
		w.Rename("sessions/1/a.jsonl", "archive/a.jsonl")
		w.Add("archive/a.jsonl", filestest.Record(2)+"\n")
		w.Sink.WantLines(w.T, filestest.Record(1), filestest.Record(2))
		oneStream(w)
	})
}

func TestRotateMoveOutOfSight(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll, func(s *tail.Settings) { s.UnlinkGrace = 300 * time.Millisecond })
		w.Add("a.jsonl", filestest.Record(1)+"\n")
		w.Sink.WantLines(w.T, filestest.Record(1))
		w.Add("a.jsonl", filestest.Record(2)+"\n")
		w.Rename("a.jsonl", "a.archived")
		w.Sink.WantLines(w.T, filestest.Record(1), filestest.Record(2))
		w.Add("a.archived", filestest.Record(3)+"\n") // its writer still has it open
		w.UntilClosed(1)
		s := oneStream(w)
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonUnlinked}, s.Closed)
		assert.Equal(w, []string{filestest.Record(1), filestest.Record(2), filestest.Record(3)}, s.Text)
	})
}

// A file that is moved to where no pattern matches while it is being written is followed until its writer has been quiet for a
// while; one that was quiet before is closed soon.
func TestRotateMoveOutOfSightWhileWritten(t *testing.T) {
	bubble(t, func(w *world) {
		w.begin(pollOnly)
		w.Add("quiet.jsonl", filestest.Record(0)+"\n")
		w.Pass(10 * time.Minute)
		w.Add("a.jsonl", filestest.Record(1)+"\n")
		w.Pass(time.Second)
		w.Rename("quiet.jsonl", "quiet.archived")
		w.Rename("a.jsonl", "a.archived")
		w.Pass(10 * time.Second)
		for i := range 5 {
			w.Add("a.archived", filestest.Record(2+i)+"\n")
			w.Pass(30 * time.Second)
		}
		quiet, live := w.Sink.Opened()[0], w.Sink.Opened()[1]
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonUnlinked}, quiet.Closed)
		assert.Empty(w, live.Closed)
		lines, _ := filestest.Records(1, 7)
		assert.Equal(w, lines, live.Text)
		w.Pass(2 * time.Minute)
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonUnlinked}, w.Sink.Opened()[1].Closed)
		w.end()
	})
}

func TestRotateRenameAndCreate(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll)
		w.Add("a.jsonl", filestest.Record(1)+"\n")
		w.Sink.WantLines(w.T, filestest.Record(1))
		w.Add("a.jsonl", filestest.Record(2)+"\n")
		w.Rename("a.jsonl", "a.1.jsonl")
		w.Add("a.jsonl", filestest.Record(3)+"\n")
		w.Sink.Until(w.T, "3 lines", func() bool { return len(w.Sink.All()) == 3 })
		w.Add("a.1.jsonl", filestest.Record(4)+"\n")
		w.Sink.Until(w.T, "4 lines", func() bool { return len(w.Sink.All()) == 4 })
		streams := w.streams()
		require.Len(w, streams, 2)
		assert.Equal(w, []string{filestest.Record(1), filestest.Record(2), filestest.Record(4)}, streams[0].Text)
		assert.Equal(w, []string{filestest.Record(3)}, streams[1].Text)
		assert.NotEqual(w, streams[0].ID, streams[1].ID)
	})
}

func TestRotateChain(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll)
		w.Add("a.2.jsonl", filestest.Record(1)+"\n")
		w.Add("a.1.jsonl", filestest.Record(2)+"\n")
		w.Add("a.jsonl", filestest.Record(3)+"\n")
		w.Sink.Until(w.T, "3 lines", func() bool { return len(w.Sink.All()) == 3 })
		w.Rename("a.2.jsonl", "a.3.jsonl")
		w.Rename("a.1.jsonl", "a.2.jsonl")
		w.Rename("a.jsonl", "a.1.jsonl")
		w.Add("a.jsonl", filestest.Record(4)+"\n")
		w.Add("a.1.jsonl", filestest.Record(5)+"\n")
		w.Sink.Until(w.T, "5 lines", func() bool { return len(w.Sink.All()) == 5 })
		assert.Equal(w, []string{filestest.Record(1), filestest.Record(2), filestest.Record(3), filestest.Record(4), filestest.Record(5)}, w.Sink.Sorted())
		assert.Len(w, w.streams(), 4)
	})
}

func TestRotateTruncate(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll)
		lines, text := filestest.Records(0, 10)
		w.Add("a.jsonl", text)
		w.Sink.WantLines(w.T, lines...)
		require.NoError(w, os.Truncate(w.Path("a.jsonl"), 0))
		w.UntilClosed(1)
		w.Add("a.jsonl", filestest.Record(10)+"\n")
		w.Sink.WantLines(w.T, append(lines, filestest.Record(10))...)
		streams := w.streams()
		require.Len(w, streams, 2)
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonRewritten}, streams[0].Closed)
		assert.Zero(w, streams[1].Received[0].Offset)
	})
}

func TestRotateRewrite(t *testing.T) {
	old, oldText := filestest.Records(0, 10)
	tests := []struct {
		name string
		text string
		want []string
	}{
		{"shorter", filestest.Record(21) + "\n", []string{filestest.Record(21)}},
		{"of the same size", strings.ReplaceAll(oldText, "x", "y"), linesOf(strings.ReplaceAll(oldText, "x", "y"))},
		{"longer", strings.ReplaceAll(oldText, "x", "y") + "more\n", append(linesOf(strings.ReplaceAll(oldText, "x", "y")), "more")},
		{"the same head, other lines before the position", strings.Replace(oldText, filestest.Record(9), strings.ReplaceAll(filestest.Record(9), "x", "z"), 1) + "more\n",
			append(append(append([]string{}, old[:9]...), strings.ReplaceAll(filestest.Record(9), "x", "z")), "more")},
		{"another head, the same lines before the position", strings.Replace(oldText, filestest.Record(1), strings.ReplaceAll(filestest.Record(1), "x", "z"), 1) + "more\n",
			append(append(append([]string{old[0]}, strings.ReplaceAll(filestest.Record(1), "x", "z")), old[2:]...), "more")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bothWays(t, func(w *world, poll func(*tail.Settings)) {
				w.begin(poll)
				w.Put("a.jsonl", oldText+`{"half":`)
				w.Sink.WantLines(w.T, old...)
				w.Put("a.jsonl", tt.text)
				w.Sink.WantLines(w.T, append(append([]string{}, old...), tt.want...)...)
				assert.Len(w, w.streams(), 2)
			})
		})
	}
}

func linesOf(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

func TestRotateRewriteWhileHalfALineWaits(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll)
		w.Add("b.jsonl", "other\n")
		w.Put("a.jsonl", `{"half":"`)
		w.Sink.WantLines(w.T, "other")
		w.Put("a.jsonl", `{"whole":"one"}`+"\n")
		w.Sink.WantLines(w.T, "other", `{"whole":"one"}`)
	})
}

// A copytruncate whose copy is not read: what only the copy contains is not seen, and nothing is delivered twice.
func TestRotateCopyTruncate(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll)
		lines, text := filestest.Records(0, 10)
		w.Add("a.jsonl", text)
		w.Sink.WantLines(w.T, lines...)
		w.Put("a.jsonl.1", text)
		require.NoError(w, os.Truncate(w.Path("a.jsonl"), 0))
		w.Add("a.jsonl", filestest.Record(10)+"\n")
		w.Sink.WantLines(w.T, append(lines, filestest.Record(10))...)
	})
}

// A copytruncate whose copy matches: the copy continues where the original was, so nothing is lost.
func TestRotateCopyTruncateWithCopyInSight(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll)
		lines, text := filestest.Records(0, 10)
		w.Add("a.jsonl", text)
		w.Sink.WantLines(w.T, lines...)
		w.Put("a.1.jsonl", text+filestest.Record(10)+"\n") // a line written just before the copy was made
		require.NoError(w, os.Truncate(w.Path("a.jsonl"), 0))
		w.Add("a.jsonl", filestest.Record(11)+"\n")
		w.Sink.Until(w.T, "12 lines", func() bool { return len(w.Sink.All()) == 12 })
		assert.Equal(w, filestest.Sorted(append(lines, filestest.Record(10), filestest.Record(11))), w.Sink.Sorted())
	})
}

func TestRotateReplaceByRename(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll)
		lines, text := filestest.Records(0, 10)
		w.Add("a.jsonl", text)
		w.Sink.WantLines(w.T, lines...)
		w.Put("a.tmp", filestest.Record(20)+"\n")
		w.Rename("a.tmp", "a.jsonl")
		w.Sink.WantLines(w.T, append(lines, filestest.Record(20))...)
	})
}

// A writer that saves a longer version of the whole file beside the old one and renames it over it.
func TestRotateReplaceByLongerVersion(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll)
		lines, text := filestest.Records(0, 10)
		w.Add("a.jsonl", text)
		w.Sink.WantLines(w.T, lines...)
		w.Put("a.tmp", text+filestest.Record(10)+"\n")
		w.Rename("a.tmp", "a.jsonl")
		w.Sink.WantLines(w.T, append(lines, filestest.Record(10))...)
		s := oneStream(w)
		assert.Equal(w, int64(len(text)), s.Received[10].Offset)
	})
}

func TestRotateDelete(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll, func(s *tail.Settings) { s.UnlinkGrace = 300 * time.Millisecond })
		w.Add("a.jsonl", filestest.Record(1)+"\n"+filestest.Record(2)) // the last line never gets a newline
		w.Sink.WantLines(w.T, filestest.Record(1))
		w.Remove("a.jsonl")
		w.Sink.WantLines(w.T, filestest.Record(1), filestest.Record(2))
		w.UntilClosed(1)
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonUnlinked}, oneStream(w).Closed)
	})
}

func TestRotateDeleteAndCreate(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll)
		var want []string
		for i := range 5 {
			lines, text := filestest.Records(10*i, 10*i+10)
			w.Add("a.jsonl", text)
			want = append(want, lines...)
			w.Sink.WantLines(w.T, want...)
			w.Remove("a.jsonl")
		}
		assert.Len(w, w.streams(), 5)
	})
}

// A new file under another path that gets the inode of a deleted one, with the same first kilobyte.
func TestRotateInodeReuse(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll, func(s *tail.Settings) { s.MaxOpenFiles = -1 })
		head := `{"type":"summary","summary":"` + strings.Repeat("p", 2000) + `"}`
		w.Add("a.jsonl", head+"\n"+filestest.Record(1)+"\n")
		w.Sink.WantLines(w.T, head, filestest.Record(1))
		w.Remove("a.jsonl")
		w.Add("c.jsonl", head+"\n"+filestest.Record(2)+"\n"+filestest.Record(3)+"\n")
		w.Sink.WantLines(w.T, head, filestest.Record(1), head, filestest.Record(2), filestest.Record(3))
	})
}

// A compressed file with the inode and the first kilobyte of a deleted one is another file.
func TestRotateInodeReuseCompressed(t *testing.T) {
	head := `{"type":"summary","summary":"` + strings.Repeat("p", 2000) + `"}`
	first, second := head+"\n"+filestest.Record(1)+"\n", head+"\n"+filestest.Record(2)+"\n"+filestest.Record(3)+"\n"
	for _, name := range []string{"a.jsonl", "a.jsonl.gz"} { // what had the inode before
		t.Run(name, func(t *testing.T) {
			bothWays(t, func(w *world, poll func(*tail.Settings)) {
				w.begin(poll, gzipped(w), func(s *tail.Settings) { s.MaxOpenFiles = -1 })
				text := first
				if openfile.IsCompressed(name) {
					text = filestest.Compressed(w.T, first)
				}
				w.Put(name, text)
				w.Sink.WantLines(w.T, head, filestest.Record(1))
				w.Remove(name)
				w.Put("c.jsonl.gz", filestest.Compressed(w.T, second))
				w.Sink.WantLines(w.T, head, filestest.Record(1), head, filestest.Record(2), filestest.Record(3))
			})
		})
	}
}

func TestRotateTwins(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll)
		head := `{"type":"summary","summary":"` + strings.Repeat("p", 2000) + `"}`
		for i := range 50 {
			w.Put("empty"+string(rune('a'+i%26))+strings.Repeat("e", i/26)+".jsonl", "")
		}
		w.Add("a.jsonl", head+"\n")
		w.Add("b.jsonl", head+"\n")
		w.Sink.WantLines(w.T, head, head)
		w.Add("a.jsonl", filestest.Record(1)+"\n")
		w.Add("b.jsonl", filestest.Record(2)+"\n")
		w.Sink.Until(w.T, "4 lines", func() bool { return len(w.Sink.All()) == 4 })
		streams := w.streams()
		require.Len(w, streams, 2)
		assert.NotEqual(w, streams[0].ID, streams[1].ID)
		assert.Len(w, streams[0].Text, 2)
		assert.Len(w, streams[1].Text, 2)
	})
}

// A finished session is linked into an archive, exists twice for a while, and then only in the archive.
func TestRotateArchiveByLink(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.Mkdir("sessions/2026/03/01")
		w.Mkdir("archived")
		w.begin(poll)
		const from, to = "sessions/2026/03/01/r.jsonl", "archived/r.jsonl"
		w.Add(from, filestest.Record(1)+"\n")
		w.Sink.WantLines(w.T, filestest.Record(1))
		w.Add(from, filestest.Record(2)+"\n")
		if err := os.Link(w.Path(from), w.Path(to)); err != nil {
			w.Skip("no hard links here:", err)
		}
		w.Sink.WantLines(w.T, filestest.Record(1), filestest.Record(2))
		w.Add(to, filestest.Record(3)+"\n")
		w.Sink.WantLines(w.T, filestest.Record(1), filestest.Record(2), filestest.Record(3))
		w.Remove(from)
		w.Add(to, filestest.Record(4)+"\n")
		w.Sink.WantLines(w.T, filestest.Record(1), filestest.Record(2), filestest.Record(3), filestest.Record(4))
		oneStream(w)
	})
}

// Moving to another file system is copying and removing.
func TestRotateMoveAcrossFileSystems(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.Mkdir("archive")
		w.begin(poll)
		lines, text := filestest.Records(0, 10)
		w.Add("a.jsonl", text)
		w.Sink.WantLines(w.T, lines...)
		w.Put("archive/a.jsonl", text)
		w.Remove("a.jsonl")
		w.Add("archive/a.jsonl", filestest.Record(10)+"\n")
		w.Sink.WantLines(w.T, append(lines, filestest.Record(10))...)
		oneStream(w)
	})
}

func TestRotateFolderRename(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.Mkdir("old/deep")
		w.begin(poll)
		w.Add("old/deep/a.jsonl", filestest.Record(1)+"\n")
		w.Sink.WantLines(w.T, filestest.Record(1))
		w.Rename("old", "new")
		w.Add("new/deep/a.jsonl", filestest.Record(2)+"\n")
		w.Sink.WantLines(w.T, filestest.Record(1), filestest.Record(2))
		w.Add("new/deep/a.jsonl", filestest.Record(3)+"\n")
		w.Sink.WantLines(w.T, filestest.Record(1), filestest.Record(2), filestest.Record(3))
		oneStream(w)
	})
}

// A folder is missing for longer than any grace period, and reappears (a share that is mounted again).
func TestRotateFolderGoneAndBack(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.Mkdir("in/share")
		w.begin(poll, func(s *tail.Settings) {
			s.Include = []string{w.Path("in/**/*.jsonl")}
			s.UnlinkGrace = 10 * time.Millisecond
		})
		w.Add("in/share/a.jsonl", filestest.Record(1)+"\n")
		w.Sink.WantLines(w.T, filestest.Record(1))
		w.Rename("in/share", "away")
		w.UntilClosed(1)
		w.Add("away/a.jsonl", filestest.Record(2)+"\n")
		w.Rename("away", "in/share")
		w.Sink.WantLines(w.T, filestest.Record(1), filestest.Record(2))
		streams := w.streams()
		require.Len(w, streams, 2)
		assert.Equal(w, streams[0].ID, streams[1].ID)
		assert.Equal(w, int64(len(filestest.Record(1))+1), streams[1].Offset)
	})
}

func TestRotateSymlink(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.Mkdir("logs")
		w.Add("logs/real.jsonl", filestest.Record(1)+"\n")
		if err := os.Symlink(w.Path("logs/real.jsonl"), w.Path("latest.jsonl")); err != nil {
			w.Skip("no symbolic links here:", err)
		}
		w.begin(poll)
		w.Sink.WantLines(w.T, filestest.Record(1))
		w.Add("logs/real.jsonl", filestest.Record(2)+"\n")
		w.Sink.WantLines(w.T, filestest.Record(1), filestest.Record(2))
		w.Add("logs/next.jsonl", filestest.Record(3)+"\n")
		w.Sink.WantLines(w.T, filestest.Record(1), filestest.Record(2), filestest.Record(3))
		w.Remove("latest.jsonl")
		require.NoError(w, os.Symlink(w.Path("logs/next.jsonl"), w.Path("latest.jsonl")))
		w.Add("logs/next.jsonl", filestest.Record(4)+"\n")
		w.Sink.WantLines(w.T, filestest.Record(1), filestest.Record(2), filestest.Record(3), filestest.Record(4))
		assert.Len(w, w.streams(), 2)
	})
}
