package source

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// modeller does at random, beside what a [rotator] does, what files are given other names by, and stops and starts the
// source. It knows which lines must have come out in the end.
type modeller struct {
	*rotator
	store    walking
	poll     func(*Settings)
	running  bool
	archived []string // names out of sight
}

// start begins to follow, with consumers that rest whenever they may.
func (m *modeller) start() {
	s := m.settings(m.poll, func(s *Settings) {
		s.BatchLines, s.IdleFlush, s.RetryInterval = 10, -1, time.Millisecond
		s.Store, s.Replay, s.RestAfter, s.GoneGrace = m.store, true, time.Millisecond, 300*time.Millisecond
	})
	f, err := New(s, &resters{sink: m.sink})
	require.NoError(m, err)
	require.NoError(m, f.Start(m.Context()))
	m.world.files = f
	m.running = true
}

func (m *modeller) stop() {
	m.end()
	m.running = false
}

// caughtUp waits for all lines but the unfinished one of each file.
func (m *modeller) caughtUp() {
	if !m.running {
		m.start()
	}
	m.sink.until(m.T, "all lines", func() bool {
		fresh, _ := m.sink.newLines()
		return len(fresh) >= len(m.want)-len(m.half)
	})
}

func (m *modeller) act() {
	name, before := m.pick(), len(m.want)
	what := m.random.IntN(9)
	defer func() {
		m.steps = append(m.steps, fmt.Sprint(name, " act ", what, " ", m.files, m.archived, " ", brief(m.want[before:])))
	}()
	switch what {
	case 0: // a move by link and unlink
		to := m.name()
		require.NoError(m, os.Link(m.path(name), m.path(to)))
		if m.random.IntN(2) == 0 {
			m.write(name)
		}
		m.remove(name)
		m.renamed(name, to)
	case 1: // one more name, for a while
		m.next++
		link := fmt.Sprintf("%d/link%d.jsonl", m.random.IntN(3), m.next)
		if m.random.IntN(2) == 0 {
			require.NoError(m, os.Link(m.path(name), m.path(link)))
		} else {
			require.NoError(m, os.Symlink(m.path(name), m.path(link)))
		}
		m.write(name)
		m.remove(link)
	case 2: // replaced by a longer version of itself
		m.finish(name)
		data, err := os.ReadFile(m.path(name))
		require.NoError(m, err)
		m.put("next", string(data))
		m.write("next")
		m.finish("next")
		m.rename("next", name)
	case 3: // another file with the same first line
		data, err := os.ReadFile(m.path(name))
		require.NoError(m, err)
		if lines := bytes.SplitAfter(data, []byte("\n")); len(lines) > 3 {
			twin := m.name()
			m.want = append(m.want, strings.TrimSuffix(string(lines[0]), "\n"))
			m.put(twin, string(lines[0]))
			m.files = append(m.files, twin)
			m.caughtUp()
			m.write(twin)
		}
	case 4: // out of sight
		if len(m.files) < 2 {
			return
		}
		m.finish(name)
		m.caughtUp()
		m.next++
		to := fmt.Sprintf("archive/f%d", m.next)
		m.rename(name, to)
		m.files = slices.DeleteFunc(m.files, func(f string) bool { return f == name })
		m.archived = append(m.archived, to)
	case 5: // and back, with some lines more
		if len(m.archived) == 0 {
			return
		}
		from, to := m.archived[0], m.name()
		m.archived = m.archived[1:]
		m.write(from)
		m.finish(from)
		m.rename(from, to)
		m.files = append(m.files, to)
		m.caughtUp()
	case 6: // a folder is renamed, and one of the name made anew
		m.next++
		old, name := filepath.Dir(name), fmt.Sprint("moved", m.next)
		m.rename(old, name)
		m.mkdir(old)
		for _, f := range slices.Clone(m.files) {
			if filepath.Dir(f) == old {
				m.renamed(f, name+"/"+filepath.Base(f))
			}
		}
	case 7:
		if m.running {
			m.stop()
		}
	case 8:
		if !m.running {
			m.start()
		}
	}
}

// renamed notes that a file has another name.
func (m *modeller) renamed(from, to string) {
	m.files[slices.Index(m.files, from)] = to
	if half, ok := m.half[from]; ok {
		m.half[to] = half
		delete(m.half, from)
	}
}

// TestModel does all kinds of things to files, stops and starts the source, and has consumers rest: no line is lost, none
// comes twice, none is made of old and new bytes.
func TestModel(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			bothWays(t, func(w *world, poll func(*Settings)) {
				for i := range 3 {
					w.mkdir(strconv.Itoa(i))
				}
				w.mkdir("archive")
				r := &rotator{world: w, random: rand.New(rand.NewPCG(seed, 99)), half: map[string]string{}}
				m := &modeller{rotator: r, store: walking{newMemory()}, poll: poll}
				m.start()
				m.create()
				for range 80 {
					if m.random.IntN(2) == 0 {
						m.act()
					} else {
						m.step(m.caughtUp)
					}
				}
				for name := range m.half {
					m.finish(name)
				}
				m.caughtUp()
				m.stop()
				m.start() // and once more, with nothing new
				m.stop()
				fresh, _ := m.sink.newLines()
				assertSameLines(w.T, m.want, fresh)
				if w.Failed() {
					w.Log(strings.Join(m.steps, "\n"))
					for _, s := range w.sink.opened() {
						w.Log(s.Path, s.Offset, s.closed, brief(s.text))
					}
				}
			})
		})
	}
}
