package tail_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/tail"
)

// TestReplacedAlias: where a second name of a followed file is given to another file, that one is read at once, and the
// first goes on.
func TestReplacedAlias(t *testing.T) {
	for name, link := range map[string]func(from, to string) error{"hard link": os.Link, "symbolic link": os.Symlink} {
		t.Run(name, func(t *testing.T) {
			bothWays(t, func(w *world, poll func(*tail.Settings)) {
				w.mkdir("c")
				w.begin(poll, func(s *tail.Settings) { s.MaxConcurrentFiles = 1 })
				w.add("a.jsonl", record(1)+"\n")
				w.sink.wantLines(w.T, record(1))
				require.NoError(w, link(w.path("a.jsonl"), w.path("c/b.jsonl")))
				w.add("a.jsonl", record(2)+"\n")
				w.sink.wantLines(w.T, record(1), record(2)) // one after the other, so the second name is known
				w.add("c/b.tmp", record(3)+"\n")
				w.rename("c/b.tmp", "c/b.jsonl")
				w.sink.until(w.T, "the other file", func() bool { return len(w.sink.all()) == 3 })
				w.add("c/b.jsonl", record(4)+"\n")
				w.sink.until(w.T, "what is added to it", func() bool { return len(w.sink.all()) == 4 })
				w.add("a.jsonl", record(5)+"\n")
				w.sink.until(w.T, "what is added to the first", func() bool { return len(w.sink.all()) == 5 })
				streams := w.streams()
				require.Len(w, streams, 2)
				assert.Equal(w, []string{record(1), record(2), record(5)}, streams[0].text)
				assert.Equal(w, []string{record(3), record(4)}, streams[1].text)
			})
		})
	}
}

// TestReplacedUnderASecondName: a file is linked to another name and removed under its first, gets a third name, and is
// replaced by another one, whatever of that is seen one by one or at once: what is added to the new file comes.
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
								w.pass(5 * time.Second)
							}
							step++
						}
						begin := func(name string, n int) {
							first := record(n)
							if twins {
								first = head
							}
							w.add(name, first+"\n"+record(n+1)+"\n")
						}
						w.mkdir("a")
						w.mkdir("c")
						w.begin(pollOnly)
						begin("a/1.jsonl", 10)
						w.pass(5 * time.Second)
						require.NoError(w, os.Link(w.path("a/1.jsonl"), w.path("c/2.jsonl")))
						pass()
						w.remove("a/1.jsonl")
						pass()
						require.NoError(w, link(w.path("c/2.jsonl"), w.path("b.jsonl")))
						pass()
						begin("c/2.tmp", 20)
						w.rename("c/2.tmp", "c/2.jsonl")
						pass()
						w.add("c/2.jsonl", record(30)+"\n")
						pass()
						w.add("c/2.jsonl", record(31)+"\n")
						w.pass(10 * time.Second)
						count := map[string]int{}
						for _, l := range w.sink.all() {
							count[l]++
						}
						for _, n := range []int{11, 21, 30, 31} {
							assert.Equal(w, 1, count[record(n)], "record %d", n)
						}
						w.end()
					})
				})
			}
		}
	}
}
