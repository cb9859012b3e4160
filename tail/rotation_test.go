package tail_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/tail"
)

// oneStream asserts that all came in one stream, which was closed once.
func oneStream(w *world) stream {
	w.Helper()
	streams := w.streams()
	require.Len(w, streams, 1)
	assert.Len(w, streams[0].closed, 1)
	return streams[0]
}

func TestRotateRename(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll)
		w.add("a.jsonl", record(1)+"\n")
		w.sink.wantLines(w.T, record(1))
		w.rename("a.jsonl", "b.jsonl")
		w.add("b.jsonl", record(2)+"\n")
		w.sink.wantLines(w.T, record(1), record(2))
		s := oneStream(w)
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonShutdown}, s.closed)
	})
}

func TestRotateMoveToOtherFolder(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.mkdir("sessions/1")
		w.mkdir("archive")
		w.begin(poll)
		w.add("sessions/1/a.jsonl", record(1)+"\n")
		w.sink.wantLines(w.T, record(1))
		w.rename("sessions/1/a.jsonl", "archive/a.jsonl")
		w.add("archive/a.jsonl", record(2)+"\n")
		w.sink.wantLines(w.T, record(1), record(2))
		oneStream(w)
	})
}

func TestRotateMoveOutOfSight(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll, func(s *tail.Settings) { s.UnlinkGrace = 300 * time.Millisecond })
		w.add("a.jsonl", record(1)+"\n")
		w.sink.wantLines(w.T, record(1))
		w.add("a.jsonl", record(2)+"\n")
		w.rename("a.jsonl", "a.archived")
		w.sink.wantLines(w.T, record(1), record(2))
		w.add("a.archived", record(3)+"\n") // its writer still has it open
		w.untilClosed(1)
		s := oneStream(w)
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonUnlinked}, s.closed)
		assert.Equal(w, []string{record(1), record(2), record(3)}, s.text)
	})
}

// A file that is moved out of sight while it is being written is followed until its writer has been quiet for a while; one that
// was quiet before is closed soon.
func TestRotateMoveOutOfSightWhileWritten(t *testing.T) {
	bubble(t, func(w *world) {
		w.begin(pollOnly)
		w.add("quiet.jsonl", record(0)+"\n")
		w.pass(10 * time.Minute)
		w.add("a.jsonl", record(1)+"\n")
		w.pass(time.Second)
		w.rename("quiet.jsonl", "quiet.archived")
		w.rename("a.jsonl", "a.archived")
		w.pass(10 * time.Second)
		for i := range 5 {
			w.add("a.archived", record(2+i)+"\n")
			w.pass(30 * time.Second)
		}
		quiet, live := w.sink.opened()[0], w.sink.opened()[1]
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonUnlinked}, quiet.closed)
		assert.Empty(w, live.closed)
		lines, _ := records(1, 7)
		assert.Equal(w, lines, live.text)
		w.pass(2 * time.Minute)
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonUnlinked}, w.sink.opened()[1].closed)
		w.end()
	})
}

func TestRotateRenameAndCreate(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll)
		w.add("a.jsonl", record(1)+"\n")
		w.sink.wantLines(w.T, record(1))
		w.add("a.jsonl", record(2)+"\n")
		w.rename("a.jsonl", "a.1.jsonl")
		w.add("a.jsonl", record(3)+"\n")
		w.sink.until(w.T, "3 lines", func() bool { return len(w.sink.all()) == 3 })
		w.add("a.1.jsonl", record(4)+"\n")
		w.sink.until(w.T, "4 lines", func() bool { return len(w.sink.all()) == 4 })
		streams := w.streams()
		require.Len(w, streams, 2)
		assert.Equal(w, []string{record(1), record(2), record(4)}, streams[0].text)
		assert.Equal(w, []string{record(3)}, streams[1].text)
		assert.NotEqual(w, streams[0].ID, streams[1].ID)
	})
}

func TestRotateChain(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll)
		w.add("a.2.jsonl", record(1)+"\n")
		w.add("a.1.jsonl", record(2)+"\n")
		w.add("a.jsonl", record(3)+"\n")
		w.sink.until(w.T, "3 lines", func() bool { return len(w.sink.all()) == 3 })
		w.rename("a.2.jsonl", "a.3.jsonl")
		w.rename("a.1.jsonl", "a.2.jsonl")
		w.rename("a.jsonl", "a.1.jsonl")
		w.add("a.jsonl", record(4)+"\n")
		w.add("a.1.jsonl", record(5)+"\n")
		w.sink.until(w.T, "5 lines", func() bool { return len(w.sink.all()) == 5 })
		assert.Equal(w, []string{record(1), record(2), record(3), record(4), record(5)}, w.sink.sorted())
		assert.Len(w, w.streams(), 4)
	})
}

func TestRotateTruncate(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll)
		lines, text := records(0, 10)
		w.add("a.jsonl", text)
		w.sink.wantLines(w.T, lines...)
		require.NoError(w, os.Truncate(w.path("a.jsonl"), 0))
		w.untilClosed(1)
		w.add("a.jsonl", record(10)+"\n")
		w.sink.wantLines(w.T, append(lines, record(10))...)
		streams := w.streams()
		require.Len(w, streams, 2)
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonRewritten}, streams[0].closed)
		assert.Zero(w, streams[1].lines[0].Offset)
	})
}

func TestRotateRewrite(t *testing.T) {
	old, oldText := records(0, 10)
	tests := []struct {
		name string
		text string
		want []string
	}{
		{"shorter", record(21) + "\n", []string{record(21)}},
		{"of the same size", strings.ReplaceAll(oldText, "x", "y"), linesOf(strings.ReplaceAll(oldText, "x", "y"))},
		{"longer", strings.ReplaceAll(oldText, "x", "y") + "more\n", append(linesOf(strings.ReplaceAll(oldText, "x", "y")), "more")},
		{"the same head, other lines before the position", strings.Replace(oldText, record(9), strings.ReplaceAll(record(9), "x", "z"), 1) + "more\n",
			append(append(append([]string{}, old[:9]...), strings.ReplaceAll(record(9), "x", "z")), "more")},
		{"another head, the same lines before the position", strings.Replace(oldText, record(1), strings.ReplaceAll(record(1), "x", "z"), 1) + "more\n",
			append(append(append([]string{old[0]}, strings.ReplaceAll(record(1), "x", "z")), old[2:]...), "more")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bothWays(t, func(w *world, poll func(*tail.Settings)) {
				w.begin(poll)
				w.put("a.jsonl", oldText+`{"half":`)
				w.sink.wantLines(w.T, old...)
				w.put("a.jsonl", tt.text)
				w.sink.wantLines(w.T, append(append([]string{}, old...), tt.want...)...)
				assert.Len(w, w.streams(), 2)
			})
		})
	}
}

func linesOf(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

func TestRotateRewriteWhileHalfALineWaits(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll)
		w.add("b.jsonl", "other\n")
		w.put("a.jsonl", `{"half":"`)
		w.sink.wantLines(w.T, "other")
		w.put("a.jsonl", `{"whole":"one"}`+"\n")
		w.sink.wantLines(w.T, "other", `{"whole":"one"}`)
	})
}

// A copytruncate whose copy is not read: what the copy alone has is out of sight, and nothing comes twice.
func TestRotateCopyTruncate(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll)
		lines, text := records(0, 10)
		w.add("a.jsonl", text)
		w.sink.wantLines(w.T, lines...)
		w.put("a.jsonl.1", text)
		require.NoError(w, os.Truncate(w.path("a.jsonl"), 0))
		w.add("a.jsonl", record(10)+"\n")
		w.sink.wantLines(w.T, append(lines, record(10))...)
	})
}

// A copytruncate whose copy matches: the copy goes on where the original was, and so nothing is lost either.
func TestRotateCopyTruncateWithCopyInSight(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll)
		lines, text := records(0, 10)
		w.add("a.jsonl", text)
		w.sink.wantLines(w.T, lines...)
		w.put("a.1.jsonl", text+record(10)+"\n") // a line that was written just before the copy was made
		require.NoError(w, os.Truncate(w.path("a.jsonl"), 0))
		w.add("a.jsonl", record(11)+"\n")
		w.sink.until(w.T, "12 lines", func() bool { return len(w.sink.all()) == 12 })
		assert.Equal(w, sorted(append(lines, record(10), record(11))), w.sink.sorted())
	})
}

func TestRotateReplaceByRename(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll)
		lines, text := records(0, 10)
		w.add("a.jsonl", text)
		w.sink.wantLines(w.T, lines...)
		w.put("a.tmp", record(20)+"\n")
		w.rename("a.tmp", "a.jsonl")
		w.sink.wantLines(w.T, append(lines, record(20))...)
	})
}

// A writer that saves a longer version of the whole file beside the old one and renames it over it.
func TestRotateReplaceByLongerVersion(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll)
		lines, text := records(0, 10)
		w.add("a.jsonl", text)
		w.sink.wantLines(w.T, lines...)
		w.put("a.tmp", text+record(10)+"\n")
		w.rename("a.tmp", "a.jsonl")
		w.sink.wantLines(w.T, append(lines, record(10))...)
		s := oneStream(w)
		assert.Equal(w, int64(len(text)), s.lines[10].Offset)
	})
}

func TestRotateDelete(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll, func(s *tail.Settings) { s.UnlinkGrace = 300 * time.Millisecond })
		w.add("a.jsonl", record(1)+"\n"+record(2)) // the last line has no newline, and never will
		w.sink.wantLines(w.T, record(1))
		w.remove("a.jsonl")
		w.sink.wantLines(w.T, record(1), record(2))
		w.untilClosed(1)
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonUnlinked}, oneStream(w).closed)
	})
}

func TestRotateDeleteAndCreate(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll)
		var want []string
		for i := range 5 {
			lines, text := records(10*i, 10*i+10)
			w.add("a.jsonl", text)
			want = append(want, lines...)
			w.sink.wantLines(w.T, want...)
			w.remove("a.jsonl")
		}
		assert.Len(w, w.streams(), 5)
	})
}

// A new file under another path that is given the inode of one that was deleted, with the same first kilobyte.
func TestRotateInodeReuse(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll, func(s *tail.Settings) { s.MaxOpenFiles = -1 })
		head := `{"type":"summary","summary":"` + strings.Repeat("p", 2000) + `"}`
		w.add("a.jsonl", head+"\n"+record(1)+"\n")
		w.sink.wantLines(w.T, head, record(1))
		w.remove("a.jsonl")
		w.add("c.jsonl", head+"\n"+record(2)+"\n"+record(3)+"\n")
		w.sink.wantLines(w.T, head, record(1), head, record(2), record(3))
	})
}

// A compressed file that has the inode of one that is gone, and its first kilobyte, is another file.
func TestRotateInodeReuseCompressed(t *testing.T) {
	head := `{"type":"summary","summary":"` + strings.Repeat("p", 2000) + `"}`
	first, second := head+"\n"+record(1)+"\n", head+"\n"+record(2)+"\n"+record(3)+"\n"
	for _, name := range []string{"a.jsonl", "a.jsonl.gz"} { // what had the inode before
		t.Run(name, func(t *testing.T) {
			bothWays(t, func(w *world, poll func(*tail.Settings)) {
				w.begin(poll, gzipped(w), func(s *tail.Settings) { s.MaxOpenFiles = -1 })
				text := first
				if openfile.IsCompressed(name) {
					text = compressed(w.T, first)
				}
				w.put(name, text)
				w.sink.wantLines(w.T, head, record(1))
				w.remove(name)
				w.put("c.jsonl.gz", compressed(w.T, second))
				w.sink.wantLines(w.T, head, record(1), head, record(2), record(3))
			})
		})
	}
}

func TestRotateTwins(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll)
		head := `{"type":"summary","summary":"` + strings.Repeat("p", 2000) + `"}`
		for i := range 50 {
			w.put("empty"+string(rune('a'+i%26))+strings.Repeat("e", i/26)+".jsonl", "")
		}
		w.add("a.jsonl", head+"\n")
		w.add("b.jsonl", head+"\n")
		w.sink.wantLines(w.T, head, head)
		w.add("a.jsonl", record(1)+"\n")
		w.add("b.jsonl", record(2)+"\n")
		w.sink.until(w.T, "4 lines", func() bool { return len(w.sink.all()) == 4 })
		streams := w.streams()
		require.Len(w, streams, 2)
		assert.NotEqual(w, streams[0].ID, streams[1].ID)
		assert.Len(w, streams[0].text, 2)
		assert.Len(w, streams[1].text, 2)
	})
}

// A finished session is linked into an archive, is there twice for a while, and then in the archive alone.
func TestRotateArchiveByLink(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.mkdir("sessions/2026/03/01")
		w.mkdir("archived")
		w.begin(poll)
		const from, to = "sessions/2026/03/01/r.jsonl", "archived/r.jsonl"
		w.add(from, record(1)+"\n")
		w.sink.wantLines(w.T, record(1))
		w.add(from, record(2)+"\n")
		if err := os.Link(w.path(from), w.path(to)); err != nil {
			w.Skip("no hard links here:", err)
		}
		w.sink.wantLines(w.T, record(1), record(2))
		w.add(to, record(3)+"\n")
		w.sink.wantLines(w.T, record(1), record(2), record(3))
		w.remove(from)
		w.add(to, record(4)+"\n")
		w.sink.wantLines(w.T, record(1), record(2), record(3), record(4))
		oneStream(w)
	})
}

// Moving to another file system is copying and removing.
func TestRotateMoveAcrossFileSystems(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.mkdir("archive")
		w.begin(poll)
		lines, text := records(0, 10)
		w.add("a.jsonl", text)
		w.sink.wantLines(w.T, lines...)
		w.put("archive/a.jsonl", text)
		w.remove("a.jsonl")
		w.add("archive/a.jsonl", record(10)+"\n")
		w.sink.wantLines(w.T, append(lines, record(10))...)
		oneStream(w)
	})
}

func TestRotateFolderRename(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.mkdir("old/deep")
		w.begin(poll)
		w.add("old/deep/a.jsonl", record(1)+"\n")
		w.sink.wantLines(w.T, record(1))
		w.rename("old", "new")
		w.add("new/deep/a.jsonl", record(2)+"\n")
		w.sink.wantLines(w.T, record(1), record(2))
		w.add("new/deep/a.jsonl", record(3)+"\n")
		w.sink.wantLines(w.T, record(1), record(2), record(3))
		oneStream(w)
	})
}

// A folder goes away for longer than any grace, and comes back (a share that is mounted again).
func TestRotateFolderGoneAndBack(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.mkdir("in/share")
		w.begin(poll, func(s *tail.Settings) {
			s.Include = []string{w.path("in/**/*.jsonl")}
			s.UnlinkGrace = 10 * time.Millisecond
		})
		w.add("in/share/a.jsonl", record(1)+"\n")
		w.sink.wantLines(w.T, record(1))
		w.rename("in/share", "away")
		w.untilClosed(1)
		w.add("away/a.jsonl", record(2)+"\n")
		w.rename("away", "in/share")
		w.sink.wantLines(w.T, record(1), record(2))
		streams := w.streams()
		require.Len(w, streams, 2)
		assert.Equal(w, streams[0].ID, streams[1].ID)
		assert.Equal(w, int64(len(record(1))+1), streams[1].Offset)
	})
}

func TestRotateSymlink(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.mkdir("logs")
		w.add("logs/real.jsonl", record(1)+"\n")
		if err := os.Symlink(w.path("logs/real.jsonl"), w.path("latest.jsonl")); err != nil {
			w.Skip("no symbolic links here:", err)
		}
		w.begin(poll)
		w.sink.wantLines(w.T, record(1))
		w.add("logs/real.jsonl", record(2)+"\n")
		w.sink.wantLines(w.T, record(1), record(2))
		w.add("logs/next.jsonl", record(3)+"\n")
		w.sink.wantLines(w.T, record(1), record(2), record(3))
		w.remove("latest.jsonl")
		require.NoError(w, os.Symlink(w.path("logs/next.jsonl"), w.path("latest.jsonl")))
		w.add("logs/next.jsonl", record(4)+"\n")
		w.sink.wantLines(w.T, record(1), record(2), record(3), record(4))
		assert.Len(w, w.streams(), 2)
	})
}
