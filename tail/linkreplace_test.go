package tail_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/tail"
)

// TestReplacedAlias: if a second name of a followed file is reused for another file, that one is read at once, and the first
// continues.
func TestReplacedAlias(t *testing.T) {
	for name, link := range map[string]func(from, to string) error{"hard link": os.Link, "symbolic link": os.Symlink} {
		t.Run(name, func(t *testing.T) {
			bothWays(t, func(w *world, poll func(*tail.Settings)) {
				w.Mkdir("c")
				w.begin(poll, func(s *tail.Settings) { s.MaxConcurrentFiles = 1 })
				w.Add("a.jsonl", filestest.Record(1)+"\n")
				w.Sink.WantLines(w.T, filestest.Record(1))
				require.NoError(w, link(w.Path("a.jsonl"), w.Path("c/b.jsonl")))
				w.Add("a.jsonl", filestest.Record(2)+"\n")
				w.Sink.WantLines(w.T, filestest.Record(1), filestest.Record(2)) // one after another, so that the second name is known
				w.Add("c/b.tmp", filestest.Record(3)+"\n")
				w.Rename("c/b.tmp", "c/b.jsonl")
				w.Sink.Until(w.T, "the other file", func() bool { return len(w.Sink.All()) == 3 })
				w.Add("c/b.jsonl", filestest.Record(4)+"\n")
				w.Sink.Until(w.T, "what is added to it", func() bool { return len(w.Sink.All()) == 4 })
				w.Add("a.jsonl", filestest.Record(5)+"\n")
				w.Sink.Until(w.T, "what is added to the first", func() bool { return len(w.Sink.All()) == 5 })
				streams := w.streams()
				require.Len(w, streams, 2)
				assert.Equal(w, []string{filestest.Record(1), filestest.Record(2), filestest.Record(5)}, streams[0].Text)
				assert.Equal(w, []string{filestest.Record(3), filestest.Record(4)}, streams[1].Text)
			})
		})
	}
}

// TestReplacedUnderASecondName: a file is linked to another name and removed under its first, gets a third name, and is
// replaced by another file, whether these steps are seen one by one or at once: lines added to the new file are delivered.
func TestReplacedUnderASecondName(t *testing.T) {
	head := `{"type":"summary","summary":"` + strings.Repeat("p", 1300) + `"}`
	for third, link := range map[string]func(from, to string) error{"hard link": os.Link, "symbolic link": os.Symlink} {
		for _, twins := range []bool{false, true} {
			for seen := range 1 << 5 {
				t.Run(fmt.Sprintf("%s/twins=%v/seen=%05b", third, twins, seen), func(t *testing.T) {
					bubble(t, func(w *world) {
						step := 0
						pass := func() {
							if seen>>step&1 != 0 {
								w.Pass(5 * time.Second)
							}
							step++
						}
						begin := func(name string, n int) {
							first := filestest.Record(n)
							if twins {
								first = head
							}
							w.Add(name, first+"\n"+filestest.Record(n+1)+"\n")
						}
						w.Mkdir("a")
						w.Mkdir("c")
						w.begin(pollOnly)
						begin("a/1.jsonl", 10)
						w.Pass(5 * time.Second)
						require.NoError(w, os.Link(w.Path("a/1.jsonl"), w.Path("c/2.jsonl")))
						pass()
						w.Remove("a/1.jsonl")
						pass()
						require.NoError(w, link(w.Path("c/2.jsonl"), w.Path("b.jsonl")))
						pass()
						begin("c/2.tmp", 20)
						w.Rename("c/2.tmp", "c/2.jsonl")
						pass()
						w.Add("c/2.jsonl", filestest.Record(30)+"\n")
						pass()
						w.Add("c/2.jsonl", filestest.Record(31)+"\n")
						w.Pass(10 * time.Second)
						count := map[string]int{}
						for _, l := range w.Sink.All() {
							count[l]++
						}
						for _, n := range []int{11, 21, 30, 31} {
							assert.Equal(w, 1, count[filestest.Record(n)], "record %d", n)
						}
						w.end()
					})
				})
			}
		}
	}
}
