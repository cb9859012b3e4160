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
	archived []string        // names out of sight
	links    []string        // second names for long, some of them of files that lost the first one since
	copied   map[string]bool // lines of files that have been copied
	twins    map[string]bool // first lines that two files had
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
		return len(m.told(fresh)) >= len(m.told(m.want))-len(m.half)
	})
}

// told gives lines without the second and further ones of those that a copy has: whether such a one is told again is open,
// since a copy may also be taken for an older copy that is gone, or for the original, if that lost a name.
func (m *modeller) told(lines []string) (list []string) {
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
	case 0: // a move by link and unlink
		to := m.name()
		require.NoError(m, os.Link(m.path(name), m.path(to)))
		wrote := m.random.IntN(2) == 0
		if wrote {
			m.write(name)
			m.finish(name)
		}
		m.remove(name)
		m.renamed(name, to)
		if wrote { // of a file that nobody knew by its other name no event tells what was written by that
			m.line(to)
		}
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
		links := slices.DeleteFunc(slices.Clone(m.links), func(link string) bool { return !m.same(link, name) })
		for _, link := range links {
			m.bothSeen(link, name)
		}
		data, err := os.ReadFile(m.path(name))
		require.NoError(m, err)
		m.put("next", string(data))
		m.line("next")
		m.write("next")
		m.finish("next")
		m.rename("next", name)
		if len(links) > 0 {
			m.caughtUp() // when both have grown, nobody can tell which goes on
		}
	case 3: // another file with the same first line
		data, err := os.ReadFile(m.path(name))
		require.NoError(m, err)
		if lines := bytes.SplitAfter(data, []byte("\n")); len(lines) > 3 {
			twin, first := m.name(), strings.TrimSuffix(string(lines[0]), "\n")
			m.copied[first] = m.copied[first] || m.twins[first] // one of them may have nothing else, and be gone
			m.twins[first] = true
			m.want = append(m.want, first)
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
		for _, link := range slices.Clone(m.links) { // so that nobody writes to it by two names that are not known to be one's
			if m.same(link, name) {
				m.unlink(link)
			}
		}
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
		for i, link := range m.links {
			if filepath.Dir(link) == old {
				m.links[i] = name + "/" + filepath.Base(link)
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
	case 9: // a second name, for long
		link := m.name()
		require.NoError(m, os.Link(m.path(name), m.path(link)))
		m.links = append(m.links, link)
	case 10: // a copy, which is another file
		m.finish(name)
		m.caughtUp()
		data, err := os.ReadFile(m.path(name))
		require.NoError(m, err)
		if len(data) > 0 {
			for _, line := range linesOf(string(data)) {
				m.copied[line] = true
			}
			m.place(string(data), m.name())
		}
	default:
		m.actOnLink(what)
	}
}

func (m *modeller) unlink(link string) {
	m.remove(link)
	m.links = slices.DeleteFunc(m.links, func(l string) bool { return l == link })
}

func (m *modeller) same(one, other string) bool {
	a, err := os.Stat(m.path(one))
	require.NoError(m, err)
	b, err := os.Stat(m.path(other))
	return err == nil && os.SameFile(a, b)
}

// bothSeen sees to it that both names of a file are known: that is so when what was written by each after the first look at
// it has come. Of two versions of which none was seen nobody can tell which was first.
func (m *modeller) bothSeen(names ...string) {
	for range 2 {
		for _, name := range names {
			m.line(name)
			m.caughtUp()
		}
	}
}

// line appends one whole line.
func (m *modeller) line(name string) {
	line := m.newLine()
	m.want = append(m.want, line)
	m.add(name, line+"\n")
}

// place has a file appear whole, under a name that is new or another file's.
func (m *modeller) place(text, name string) {
	m.put("next", text)
	m.rename("next", name)
	if !slices.Contains(m.files, name) {
		m.files = append(m.files, name)
	}
}

// actOnLink does something to one of the files that have two names.
func (m *modeller) actOnLink(what int) {
	link, name := m.linked()
	if link == "" {
		return
	}
	m.finish(name)
	m.steps = append(m.steps, fmt.Sprint("names ", link, " ", name))
	switch what {
	case 11: // it grows by its second name
		m.write(link)
		m.finish(link)
	case 12: // it loses one of the two
		if m.random.IntN(2) == 0 {
			m.unlink(link)
			return
		}
		m.remove(name)
		m.files[slices.Index(m.files, name)] = link
		m.links = slices.DeleteFunc(m.links, func(l string) bool { return l == link })
	case 13: // it is renamed, and replaced by a longer version before anybody saw it there
		m.bothSeen(link, name)
		if m.random.IntN(3) == 0 {
			m.stop()
		}
		m.write(name)
		m.finish(name)
		to := m.name()
		m.rename(name, to)
		m.files[slices.Index(m.files, name)] = to
		data, err := os.ReadFile(m.path(to))
		require.NoError(m, err)
		m.put("next", string(data))
		m.line("next")
		m.write("next")
		m.finish("next")
		m.rename("next", to)
		m.caughtUp() // when both have grown, nobody can tell which goes on
	}
}

// linked gives the two names of a file, if one has two. A second name whose file lost the first is a file like others.
func (m *modeller) linked() (link, name string) {
	for _, link := range slices.Clone(m.links) {
		for _, name := range m.files {
			if m.same(link, name) {
				return link, name
			}
		}
		m.links = slices.DeleteFunc(m.links, func(l string) bool { return l == link })
		m.files = append(m.files, link)
	}
	return "", ""
}

// renamed notes that a file has another name.
func (m *modeller) renamed(from, to string) {
	m.files[slices.Index(m.files, from)] = to
	if half, ok := m.half[from]; ok {
		m.half[to] = half
		delete(m.half, from)
	}
}

// tell stops the source, if a failure left it running, and says what led to that.
func (m *modeller) tell() {
	if m.running {
		m.stop()
	}
	if !m.Failed() {
		return
	}
	fresh, _ := m.sink.newLines()
	assertSameLines(m.T, m.told(m.want), m.told(fresh))
	m.Log(strings.Join(m.steps, "\n"))
	for _, s := range m.sink.opened() {
		m.Log(s.Path, s.Offset, s.closed, brief(s.text))
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
				m := &modeller{rotator: r, store: walking{newMemory()}, poll: poll, copied: map[string]bool{}, twins: map[string]bool{}}
				defer m.tell()
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
				if fresh, _ := m.sink.newLines(); !slices.Equal(sorted(m.told(m.want)), sorted(m.told(fresh))) {
					m.Fail() // see tell
				}
			})
		})
	}
}
