package tail_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/tail"
)

// turnBytes is how many bytes of one file are read before other files have their turn.
const turnBytes = 4 << 20

// bubble runs a test that polls in a bubble, in which waiting for nothing to happen takes no time.
func bubble(t *testing.T, test func(w *world)) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) { test(worldIn(t, dir)) })
}

func pollOnly(s *tail.Settings) { s.PollOnly = true }

func startAtEnd(s *tail.Settings) { s.StartAt = tail.StartAtEnd }

func TestFilesReadsWhatIsThereAndWhatComes(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.Add("a.jsonl", "one\ntwo\n")
		w.begin(poll)
		w.Sink.WantLines(w.T, "one", "two")
		w.Add("a.jsonl", "three\nha")
		w.Sink.WantLines(w.T, "one", "two", "three")
		w.Add("a.jsonl", "lf\n")
		w.Sink.WantLines(w.T, "one", "two", "three", "half")
		s := oneStream(w)
		assert.Equal(w, w.Path("a.jsonl"), s.Path)
		assert.Equal(w, "a.jsonl", s.Name)
		assert.False(w, s.ModTime.IsZero())
		assert.Equal(w, []tail.Line{
			{Offset: 0, Next: 4}, {Offset: 4, Next: 8}, {Offset: 8, Next: 14, Live: true}, {Offset: 14, Next: 19, Live: true},
		}, s.Received)
	})
}

func TestFilesIdleFollowsTheLinesThatReachTheEnd(t *testing.T) {
	bubble(t, func(w *world) {
		w.begin(pollOnly)
		for i := range 3 {
			w.Add("a.jsonl", "line\n")
			w.Pass(10 * time.Second)
			assert.Equal(w, i+1, w.Sink.Opened()[0].Idles)
		}
	})
}

// Cases 067 and 068: a record is written in pieces, with pauses longer than any interval, cut within a character.
func TestFilesHalfLineWaits(t *testing.T) {
	record := `{"text":"Two é🍐 end.","pad":"` + strings.Repeat("z", 300_000) + `"}`
	for _, size := range []int{1, 13, 14, 15, 16, 17, 18, 19, 20_000, 65_537, 299_999} {
		t.Run(strconv.Itoa(size), func(t *testing.T) {
			bubble(t, func(w *world) {
				w.begin(pollOnly)
				w.Add("a.jsonl", "One.\n")
				rest := record
				for pieces := 0; len(rest) > 0; pieces++ {
					n := min(size, len(rest))
					if pieces > 30 {
						n = len(rest) // enough small ones
					}
					w.Add("a.jsonl", rest[:n])
					rest = rest[n:]
					if len(rest) > 0 {
						w.Pass(3 * time.Second)
						require.Equal(w, []string{"One."}, w.Sink.All())
					}
				}
				w.Add("a.jsonl", "\nThree.\n")
				w.Pass(3 * time.Second)
				assert.Equal(w, []string{"One.", record, "Three."}, w.Sink.All())
			})
		})
	}
}

func TestFilesUnterminatedLine(t *testing.T) {
	tests := []struct {
		name   string
		first  string
		early  []string // after the idle time
		second string
		late   []string // after that was added
	}{
		{"its newline comes later", `{"a":1}`, []string{`{"a":1}`}, "\n", []string{`{"a":1}`}},
		{"its newline and more", `{"a":1}`, []string{`{"a":1}`}, "\n{\"b\":2}\n", []string{`{"a":1}`, `{"b":2}`}},
		{"carriage return and newline", `{"a":1}`, []string{`{"a":1}`}, "\r\n{\"b\":2}\n", []string{`{"a":1}`, `{"b":2}`}},
		{"an object without a newline between", `{"a":1}`, []string{`{"a":1}`}, "{\"b\":2}\n", []string{`{"a":1}`, `{"b":2}`}},
		{"another unterminated object", `{"a":1}`, []string{`{"a":1}`}, "\n{\"b\":2}", []string{`{"a":1}`, `{"b":2}`}},
		{"half an object", `{"a":{}`, nil, "}\n", []string{`{"a":{}}`}},
		{"no object", `"a"`, nil, "\n", []string{`"a"`}},
		{"two objects", `{"a":1}{"b":2}`, nil, "\n", []string{`{"a":1}{"b":2}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(w *world) {
				w.begin(pollOnly)
				w.Add("a.jsonl", tt.first)
				w.Pass(1900 * time.Millisecond)
				assert.Empty(w, w.Sink.All(), "taken too early")
				w.Pass(10 * time.Second)
				assert.Equal(w, tt.early, w.Sink.All())
				w.Add("a.jsonl", tt.second)
				w.Pass(10 * time.Second)
				assert.Equal(w, tt.late, w.Sink.All())
				w.Add("a.jsonl", "\nlast\n")
				w.Pass(10 * time.Second)
				all := w.Sink.All()
				assert.Equal(w, "last", all[len(all)-1])
			})
		})
	}
}

func TestFilesUnterminatedLineIsLeftWhenTurnedOff(t *testing.T) {
	bubble(t, func(w *world) {
		w.begin(pollOnly, func(s *tail.Settings) { s.IdleFlush = -1 })
		w.Add("a.jsonl", `{"a":1}`)
		w.Pass(time.Hour)
		assert.Empty(w, w.Sink.All())
	})
}

// In a file not written for long there is nothing to wait for.
func TestFilesUnterminatedLineOfAnOldFile(t *testing.T) {
	w := newWorld(t)
	w.Add("a.jsonl", "one\n{\"a\":1}")
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(w.Path("a.jsonl"), old, old))
	w.begin(func(s *tail.Settings) { s.IdleFlush = time.Hour / 2 })
	w.Sink.WantLines(t, "one", `{"a":1}`)
}

func TestFilesStartAtEnd(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.Add("empty.jsonl", "")
		w.Add("old.jsonl", filestest.Record(1)+"\n")
		w.Add("half.jsonl", filestest.Record(2)+"\n"+`{"half":`)
		w.begin(poll, startAtEnd)
		w.Add("empty.jsonl", "was empty\n")
		w.Add("old.jsonl", "appended\n")
		w.Add("half.jsonl", "\"rest\"}\nafter half\n")
		w.Mkdir("new")
		w.Add("new/new.jsonl", "first\nsecond\n")
		w.Sink.Until(w.T, "5 lines", func() bool { return len(w.Sink.All()) == 5 })
		assert.Equal(w, filestest.Sorted([]string{"was empty", "appended", "after half", "first", "second"}), w.Sink.Sorted())
		for _, s := range w.streams() {
			switch s.Name {
			case "old.jsonl":
				assert.EqualValues(w, len(filestest.Record(1))+1, s.Offset)
				assert.EqualValues(w, len(filestest.Record(1))+1, s.Received[0].Offset)
			case "empty.jsonl", "new.jsonl":
				assert.Zero(w, s.Offset)
			}
		}
	})
}

// A file that existed at start and is renamed, truncated or rewritten is still subject to start_at. TestFilesLogsWhatIsThere:
// one line at start contains how many files there are, and how many are read from their end.
func TestFilesLogsWhatIsThere(t *testing.T) {
	for _, want := range []struct {
		change  func(*tail.Settings)
		skipped int64
	}{{startAtEnd, 2}, {func(*tail.Settings) {}, 0}} {
		core, logs := observer.New(zap.InfoLevel)
		w := newWorld(t)
		w.Put("a.jsonl", "one\n")
		w.Put("b.jsonl", "two\n")
		w.Put("empty.jsonl", "")
		w.begin(want.change, func(s *tail.Settings) { s.Logger = zap.New(core) })
		lines := logs.FilterMessage("watching files").All()
		require.Len(t, lines, 1)
		assert.Equal(t, map[string]any{"found": int64(3), "skipped_to_end": want.skipped}, lines[0].ContextMap())
	}
}

func TestFilesStartAtEndThenRotated(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		lines, text := filestest.Records(0, 10)
		w.Add("a.jsonl", text)
		w.Add("b.jsonl", strings.ReplaceAll(text, "x", "y"))
		w.begin(poll, startAtEnd)
		w.Rename("a.jsonl", "c.jsonl")
		w.Add("c.jsonl", filestest.Record(10)+"\n")
		w.Sink.WantLines(w.T, filestest.Record(10))
		w.Put("b.jsonl", text[:500])
		w.Sink.WantLines(w.T, append([]string{filestest.Record(10)}, lines[:4]...)...)
	})
}

func TestFilesLineOverTheLimit(t *testing.T) {
	bubble(t, func(w *world) {
		var mu sync.Mutex
		var skipped []int64
		w.begin(pollOnly, func(s *tail.Settings) {
			s.MaxLineSize, s.BatchBytes = 100_000, 4096
			s.Observer.Skipped = func(_ string, reason tail.SkipReason, bytes int64) {
				mu.Lock()
				defer mu.Unlock()
				assert.Equal(t, "too_long", reason.String())
				skipped = append(skipped, bytes)
			}
		})
		fits, long := strings.Repeat("f", 100_000), strings.Repeat("l", 100_001)
		w.Add("a.jsonl", "one\n"+long+"\ntwo\n"+fits+"\nthree\n")
		w.Pass(3 * time.Second)
		want := []string{"one", "two", fits, "three"}
		assert.Equal(w, want, w.Sink.All())
		for range 8 { // the line grows beyond the limit and a turn, in many visits
			w.Add("a.jsonl", strings.Repeat(long, 10))
			w.Pass(3 * time.Second)
		}
		assert.Equal(w, want, w.Sink.All())
		w.Add("a.jsonl", "\nfour\n")
		w.Pass(3 * time.Second)
		assert.Equal(w, append(want, "four"), w.Sink.All())
		mu.Lock()
		defer mu.Unlock()
		assert.Equal(w, []int64{100_002, 80*100_001 + 1}, skipped)
		s := w.Sink.Opened()[0]
		assert.Equal(w, s.Received[4].Offset, 4+100_002+4+100_001+6+skipped[1])
	})
}

func TestFilesWaitsForWhatIsNotThere(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		core, logs := observer.New(zap.InfoLevel)
		w.begin(poll, func(s *tail.Settings) {
			s.Include = []string{w.Path("not/yet/**/*.jsonl"), w.Path("nor/this.jsonl")}
			s.Logger = zap.New(core)
		})
		waiting := logs.FilterMessage("no file matches yet, waiting").All()
		require.Len(w, waiting, 1)
		assert.Len(w, waiting[0].ContextMap()["include"], 2)
		w.Mkdir("not/yet/deep/er")
		w.Add("not/yet/deep/er/a.jsonl", "one\n")
		w.Sink.WantLines(w.T, "one")
		w.Mkdir("nor")
		w.Add("nor/this.jsonl", "two\n")
		w.Add("nor/that.jsonl", "other\n")
		w.Sink.WantLines(w.T, "one", "two")
	})
}

// A file that is read as a document is not missing, and a folder is not a pattern of files.
func TestFilesReportsWhatNeverMatches(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		core, logs := observer.New(zap.InfoLevel)
		w.Mkdir("runs")
		w.Put("runs/a.json", "{}")
		w.Put("one.json", "{}")
		w.begin(poll, func(s *tail.Settings) {
			s.Include = []string{w.Path("runs/**/*.json"), w.Path("one.json"), w.Path("runs"), w.Path("none/*.jsonl")}
			s.Skip = func(path string) bool { return strings.HasSuffix(path, ".json") }
			s.Logger = zap.New(core)
		})
		waiting := logs.FilterMessage("no file matches yet, waiting").All()
		require.Len(w, waiting, 1)
		assert.Equal(w, []any{w.Path("none/*.jsonl")}, waiting[0].ContextMap()["include"])
		folders := logs.FilterMessageSnippet("include names folders").All()
		require.Len(w, folders, 1)
		assert.Equal(w, []any{w.Path("runs")}, folders[0].ContextMap()["include"])
		assert.Equal(w, zap.WarnLevel, folders[0].Level)
	})
}

func TestFilesNewFolders(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll, func(s *tail.Settings) { s.Exclude = []string{w.Path("**/skip/**")} })
		var want []string
		for i := range 50 {
			folder := fmt.Sprintf("p%d/q/r", i)
			w.Mkdir(folder)
			w.Add(folder+"/a.jsonl", filestest.Record(i)+"\n")
			w.Add(folder+"/a.txt", "not this\n")
			w.Mkdir(folder + "/skip/it")
			w.Add(folder+"/skip/it/a.jsonl", "nor this\n")
			want = append(want, filestest.Record(i))
		}
		w.Sink.Until(w.T, "50 lines", func() bool { return len(w.Sink.All()) >= 50 })
		assert.Equal(w, filestest.Sorted(want), w.Sink.Sorted())
	})
}

// A line may be longer than a turn, whether its file was written just now or long ago.
func TestFilesLineOverATurn(t *testing.T) {
	line := func(n int) string { return `{"t":"` + strings.Repeat("x", n) + `"}` }
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"between others", "one\n" + line(turnBytes+1000) + "\ntwo\n", []string{"one", line(turnBytes + 1000), "two"}},
		{"at the limit", line(2*turnBytes-8) + "\ntwo\n", []string{line(2*turnBytes - 8), "two"}},
		{"without its newline", "one\n" + line(turnBytes+1000), []string{"one", line(turnBytes + 1000)}},
		{"over the limit", "one\n" + line(2*turnBytes) + "\ntwo\n", []string{"one", kept(line(2 * turnBytes)), "two"}},
		{"over the limit and turns", "one\n" + line(4*turnBytes) + "\ntwo\n", []string{"one", kept(line(4 * turnBytes)), "two"}},
		{"over the limit and no object", "one\n" + strings.Repeat("x", 4*turnBytes) + "\ntwo\n", []string{"one", "two"}},
		{"over the limit without its newline", "one\n" + line(4*turnBytes), []string{"one"}},
	} {
		for _, age := range []time.Duration{0, time.Hour} {
			t.Run(fmt.Sprint(tt.name, " age ", age), func(t *testing.T) {
				dir := t.TempDir()
				synctest.Test(t, func(t *testing.T) {
					w := worldIn(t, dir)
					w.Put("a.jsonl", tt.text)
					written := time.Now().Add(-age)
					require.NoError(t, os.Chtimes(w.Path("a.jsonl"), written, written))
					w.begin(pollOnly, func(s *tail.Settings) { s.MaxLineSize = 2 * turnBytes })
					w.Pass(5 * time.Second)
					got := w.Sink.All()
					require.Len(t, got, len(tt.want))
					for i := range got {
						assert.True(t, got[i] == tt.want[i], "line %d: %d bytes, want %d", i, len(got[i]), len(tt.want[i])) //nolint:testifylint // Equal would print them
					}
				})
			})
		}
	}
}

// A line over the limit that is an object is delivered abridged and counted, once, even if the handler refuses, the file is
// compressed, or a restart replays its lines.
func TestFilesLineOverTheLimitIsAbridged(t *testing.T) {
	long := `{"type":"result","id":"c1","text":"` + strings.Repeat("x", 2*turnBytes) + `","session":"s"}`
	for _, name := range []string{"a.jsonl", "a.jsonl.gz"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			text := "one\n" + long + "\ntwo\n" + long + "\n"
			if strings.HasSuffix(name, ".gz") {
				text = filestest.Compressed(t, strings.TrimSuffix(text, "\n"))
			}
			w.Put(name, text)
			w.Sink.Refuse = 2
			var counted atomic.Int64
			w.begin(func(s *tail.Settings) {
				s.Include = []string{w.Path("*")}
				s.MaxLineSize = 1 << 20
				s.Observer.Skipped = func(string, tail.SkipReason, int64) { counted.Add(1) }
			})
			want := []string{"one", kept(long), "two", kept(long)}
			w.Sink.Until(t, "4 lines", func() bool { return len(w.Sink.All()) == 4 })
			assert.Equal(t, want, w.Sink.All())
			assert.Contains(t, want[1], `"session":"s"`)
			for i, line := range w.Sink.Opened()[0].Received {
				assert.Equal(t, i%2 == 1, line.Abridged)
			}
			w.Sink.Until(t, "2 counted", func() bool { return counted.Load() == 2 })
		})
	}
}
