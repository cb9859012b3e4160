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

// modeller performs, in addition to the actions of a [rotator], random renames, links and copies, and stops and starts the
// source. It knows which lines must have been delivered in the end.
type modeller struct {
	*rotator
	store    filestest.Walking
	poll     func(*tail.Settings)
	running  bool
	archived []string        // names that no pattern matches
	links    []string        // lasting second names, some of files that have since lost the first one
	copied   map[string]bool // lines of copied files
	twins    map[string]bool // first lines that two files had
}

// start follows the files, with consumers that are suspended whenever possible.
func (m *modeller) start() {
	s := m.settings(m.poll, func(s *tail.Settings) {
		s.BatchLines, s.IdleFlush, s.RetryInterval = 10, -1, time.Millisecond
		s.Store, s.Replay, s.SuspendAfter, s.UnlinkGrace = m.store, true, time.Millisecond, 300*time.Millisecond
	})
	f, err := tail.New(s, &suspendHandler{Sink: m.Sink})
	require.NoError(m, err)
	require.NoError(m, f.Start(m.Context()))
	m.world.files = f
	m.running = true
}

func (m *modeller) stop() {
	m.end()
	m.running = false
}

// caughtUp waits for all lines except the unfinished one of each file.
func (m *modeller) caughtUp() {
	if !m.running {
		m.start()
	}
	m.Sink.Until(m.T, "all lines", func() bool {
		fresh, _ := m.Sink.NewLines()
		return len(m.deduplicated(fresh)) >= len(m.deduplicated(m.want))-len(m.half)
	})
}

// deduplicated removes repetitions of lines that a copy has: whether such a line is delivered again is open, because a copy may also
// be taken for an older, unlinked copy, or for the original if that lost a name.
func (m *modeller) deduplicated(lines []string) (list []string) {
	seen := map[string]bool{}
	for _, line := range lines {
		if !m.copied[line] || !seen[line] {
			list = append(list, line)
		}
		seen[line] = true
	}
	return list
}

func (m *modeller) act() {
	name, before := m.pick(), len(m.want)
	what := m.random.IntN(14)
	defer func() {
		m.steps = append(m.steps, fmt.Sprint(name, " act ", what, " ", m.files[len(m.files)-1], " ", m.archived, brief(m.want[before:])))
	}()
	switch what {
	case 0:
		m.moveByLink(name)
	case 1:
		m.nameForAWhile(name)
	case 2:
		m.replace(name)
	case 3:
		m.twin(name)
	case 4:
		m.putAway(name)
	case 5:
		m.bringBack()
	case 6:
		m.renameFolder(name)
	case 7:
		if m.running {
			m.stop()
		}
	case 8:
		if !m.running {
			m.start()
		}
	case 9:
		m.nameForLong(name)
	case 10:
		m.copyOf(name)
	default:
		m.actOnLink(what)
	}
}

func (m *modeller) unlink(link string) {
	m.Remove(link)
	m.links = slices.DeleteFunc(m.links, func(l string) bool { return l == link })
}

func (m *modeller) same(one, other string) bool {
	a, err := os.Stat(m.Path(one))
	require.NoError(m, err)
	b, err := os.Stat(m.Path(other))
	return err == nil && os.SameFile(a, b)
}

// bothSeen ensures that both names of a file are known, which is so once the lines written by each after its first scan were
// delivered. Of two unseen versions nobody can know which was first.
func (m *modeller) bothSeen(names ...string) {
	for range 2 {
		for _, name := range names {
			m.line(name)
			m.caughtUp()
		}
	}
}

// line appends one complete line.
func (m *modeller) line(name string) {
	line := m.newLine()
	m.want = append(m.want, line)
	m.Add(name, line+"\n")
}

// place makes a file appear whole, under a new name or that of another file.
func (m *modeller) place(text, name string) {
	m.Put("next", text)
	m.Rename("next", name)
	if !slices.Contains(m.files, name) {
		m.files = append(m.files, name)
	}
}

// renamed records that a file has another name.
func (m *modeller) renamed(from, to string) {
	m.files[slices.Index(m.files, from)] = to
	if half, ok := m.half[from]; ok {
		m.half[to] = half
		delete(m.half, from)
	}
}

// logFailure stops the source, if a failure left it running, and logs the steps that led to it.
func (m *modeller) logFailure() {
	if m.running {
		m.stop()
	}
	if !m.Failed() {
		return
	}
	fresh, _ := m.Sink.NewLines()
	assertSameLines(m.T, m.deduplicated(m.want), m.deduplicated(fresh))
	m.Log(strings.Join(m.steps, "\n"))
	for _, s := range m.Sink.Opened() {
		m.Log(s.Path, s.Offset, s.Closed, brief(s.Text))
	}
}

// TestModel changes files in all kinds of ways, stops and starts the source, and suspends consumers: no line is lost, none is
// delivered twice, none mixes old and new bytes.
func TestModel(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			bothWays(t, func(w *world, poll func(*tail.Settings)) {
				for i := range 3 {
					w.Mkdir(strconv.Itoa(i))
				}
				w.Mkdir("archive")
				r := &rotator{world: w, random: rand.New(rand.NewPCG(seed, 99)), half: map[string]string{}}
				m := &modeller{rotator: r, store: filestest.Walking{Memory: filestest.NewMemory()}, poll: poll, copied: map[string]bool{}, twins: map[string]bool{}}
				defer m.logFailure()
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
				if fresh, _ := m.Sink.NewLines(); !slices.Equal(filestest.Sorted(m.deduplicated(m.want)), filestest.Sorted(m.deduplicated(fresh))) {
					m.Fail() // see logFailure
				}
			})
		})
	}
}
