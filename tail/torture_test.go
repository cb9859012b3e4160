package tail_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/tail"
)

// rotator writes lines to files and rotates them at random, in all ways that lose no content.
type rotator struct {
	*world
	random *rand.Rand
	files  []string          // paths that match
	half   map[string]string // the missing rest of an unfinished last line
	next   int               // number of the next line or file
	want   []string
	steps  []string // the steps taken, for failures
}

func (r *rotator) name() string {
	r.next++
	return fmt.Sprintf("%d/f%d.jsonl", r.random.IntN(3), r.next)
}

func (r *rotator) pick() string { return r.files[r.random.IntN(len(r.files))] }

func (r *rotator) create() string {
	name := r.name()
	r.files = append(r.files, name)
	r.write(name)
	return name
}

// write appends some lines, and often a part of one. Lines are longer than fingerprint.MinMatch, like those of agents.
func (r *rotator) write(name string) {
	text := r.half[name]
	delete(r.half, name)
	for range r.random.IntN(20) {
		line := r.newLine()
		r.want = append(r.want, line)
		text += line + "\n"
	}
	if keep := r.random.IntN(60); keep > 0 && keep < len(text) {
		r.half[name] = text[len(text)-keep:]
		text = text[:len(text)-keep]
	}
	r.Add(name, text)
}

// newLine returns a line unlike any other, also at its end, because the tail identifies what was read.
func (r *rotator) newLine() string {
	r.next++
	return fmt.Sprintf(`{"n":%[1]d,"pad":"%[2]s","n":%[1]d}`, r.next, strings.Repeat("é", 40+r.random.IntN(300)))
}

// finish completes an unfinished line.
func (r *rotator) finish(name string) {
	r.Add(name, r.half[name])
	delete(r.half, name)
}

func (r *rotator) move(from, to string) {
	r.Rename(from, to)
	r.files[slices.Index(r.files, from)] = to
	if half, ok := r.half[from]; ok {
		r.half[to] = half
		delete(r.half, from)
	}
}

// step takes one step. Steps that remove content wait until it was read.
func (r *rotator) step(caughtUp func()) {
	name, what, before := r.pick(), r.random.IntN(10), len(r.want)
	defer func() {
		r.steps = append(r.steps, fmt.Sprint(name, " ", what, " ", r.files[len(r.files)-1], brief(r.want[before:])))
	}()
	switch what {
	case 0:
		r.create()
	case 1:
		r.move(name, r.name())
	case 2: // rename and create
		r.move(name, r.name())
		r.files = append(r.files, name)
		r.write(name)
	case 3: // delete, and perhaps create again
		r.finish(name)
		caughtUp()
		r.Remove(name)
		if r.random.IntN(2) == 0 {
			r.write(name)
			return
		}
		r.files = slices.DeleteFunc(r.files, func(f string) bool { return f == name })
		if len(r.files) == 0 {
			r.create()
		}
	case 4: // rewrite in place
		r.finish(name)
		caughtUp()
		require.NoError(r, os.Truncate(r.Path(name), 0))
		r.write(name)
	case 5: // copytruncate with a copy that matches
		r.finish(name)
		caughtUp()
		r.write(name)
		r.finish(name)
		data, err := os.ReadFile(r.Path(name))
		require.NoError(r, err)
		to := r.name()
		r.files = append(r.files, to)
		r.Put(to, string(data))
		require.NoError(r, os.Truncate(r.Path(name), 0))
		caughtUp()
	default:
		r.write(name)
	}
}

// TestTorture rotates under load: no line is lost, none is delivered twice, none mixes old and new bytes.
func TestTorture(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			bothWays(t, func(w *world, poll func(*tail.Settings)) {
				calls := 0
				w.Sink.Accept = func(tail.Stream, []tail.Line) error {
					if calls++; calls%5 == 0 {
						return filestest.ErrRefused
					}
					return nil
				}
				for i := range 3 {
					w.Mkdir(strconv.Itoa(i))
				}
				w.begin(poll, func(s *tail.Settings) { s.BatchLines, s.IdleFlush, s.RetryInterval = 10, -1, time.Millisecond })
				r := &rotator{world: w, random: rand.New(rand.NewPCG(seed, seed)), half: map[string]string{}}
				// All lines except the unfinished one of each file.
				caughtUp := func() {
					w.Sink.Until(w.T, fmt.Sprintf("all lines of seed %d", seed), func() bool {
						return len(w.Sink.All()) >= len(r.want)-len(r.half)
					})
				}
				r.create()
				for range 60 {
					r.step(caughtUp)
				}
				for name := range r.half {
					r.finish(name)
				}
				caughtUp()
				w.end()
				assertSameLines(w.T, r.want, w.Sink.All())
				if w.Failed() {
					w.Log(strings.Join(r.steps, "\n"))
					for _, s := range w.Sink.Opened() {
						w.Log(s.Path, s.Offset, s.Closed, brief(s.Text))
					}
				}
			})
		})
	}
}

// brief returns the beginnings of lines.
func brief(lines []string) (out []string) {
	for _, l := range lines {
		out = append(out, l[:min(len(l), 10)])
	}
	return out
}

// assertSameLines compares lines regardless of order, and reports only the differences.
func assertSameLines(t *testing.T, want, got []string) {
	t.Helper()
	count := map[string]int{}
	for _, l := range want {
		count[l]--
	}
	for _, l := range got {
		count[l]++
	}
	for l, n := range count {
		if n < 0 {
			t.Errorf("lost %d times: %.60s", -n, l)
		}
		if n > 0 {
			t.Errorf("too often by %d: %.60s", n, l)
		}
	}
}
