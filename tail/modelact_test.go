package tail_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
)

// moveByLink moves a file by link and unlink.
func (m *modeller) moveByLink(name string) {
	to := m.name()
	require.NoError(m, os.Link(m.Path(name), m.Path(to)))
	wrote := m.random.IntN(2) == 0
	if wrote {
		m.write(name)
		m.finish(name)
	}
	m.Remove(name)
	m.renamed(name, to)
	if wrote { // no event reports what was written by an unknown second name
		m.line(to)
	}
}

// nameForAWhile gives a file a temporary second name.
func (m *modeller) nameForAWhile(name string) {
	m.next++
	link := fmt.Sprintf("%d/link%d.jsonl", m.random.IntN(3), m.next)
	if m.random.IntN(2) == 0 {
		require.NoError(m, os.Link(m.Path(name), m.Path(link)))
	} else {
		require.NoError(m, os.Symlink(m.Path(name), m.Path(link)))
	}
	m.write(name)
	m.Remove(link)
}

// replace replaces a file by a longer version of itself.
func (m *modeller) replace(name string) {
	m.finish(name)
	links := slices.DeleteFunc(slices.Clone(m.links), func(link string) bool { return !m.same(link, name) })
	for _, link := range links {
		m.bothSeen(link, name)
	}
	m.outgrow(name)
	if len(links) > 0 {
		m.caughtUp() // once both have grown, nobody can know which one continues
	}
}

// outgrow puts a longer version of a file in its place.
func (m *modeller) outgrow(name string) {
	data, err := os.ReadFile(m.Path(name))
	require.NoError(m, err)
	m.Put("next", string(data))
	m.line("next")
	m.write("next")
	m.finish("next")
	m.Rename("next", name)
}

// twin creates another file with the same first line.
func (m *modeller) twin(name string) {
	data, err := os.ReadFile(m.Path(name))
	require.NoError(m, err)
	if lines := bytes.SplitAfter(data, []byte("\n")); len(lines) > 3 {
		twin, first := m.name(), strings.TrimSuffix(string(lines[0]), "\n")
		m.copied[first] = m.copied[first] || m.twins[first] // one of them may contain nothing else, and be unlinked
		m.twins[first] = true
		m.want = append(m.want, first)
		m.Put(twin, string(lines[0]))
		m.files = append(m.files, twin)
		m.caughtUp()
		m.write(twin)
	}
}

// putAway moves a file to where no pattern matches.
func (m *modeller) putAway(name string) {
	if len(m.files) < 2 {
		return
	}
	m.finish(name)
	m.caughtUp()
	for _, link := range slices.Clone(m.links) { // so that nobody writes by two names not known to be of one file
		if m.same(link, name) {
			m.unlink(link)
		}
	}
	m.next++
	to := fmt.Sprintf("archive/f%d", m.next)
	m.Rename(name, to)
	m.files = slices.DeleteFunc(m.files, func(f string) bool { return f == name })
	m.archived = append(m.archived, to)
}

// bringBack moves a file back, with additional lines.
func (m *modeller) bringBack() {
	if len(m.archived) == 0 {
		return
	}
	from, to := m.archived[0], m.name()
	m.archived = m.archived[1:]
	m.write(from)
	m.finish(from)
	m.Rename(from, to)
	m.files = append(m.files, to)
	m.caughtUp()
}

// renameFolder renames a folder and creates a new one with its name.
func (m *modeller) renameFolder(name string) {
	m.next++
	old, name := filepath.Dir(name), fmt.Sprint("moved", m.next)
	m.Rename(old, name)
	m.Mkdir(old)
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
}

// nameForLong gives a file a lasting second name.
func (m *modeller) nameForLong(name string) {
	link := m.name()
	require.NoError(m, os.Link(m.Path(name), m.Path(link)))
	m.links = append(m.links, link)
}

// copyOf makes a copy, which is another file.
func (m *modeller) copyOf(name string) {
	m.finish(name)
	m.caughtUp()
	data, err := os.ReadFile(m.Path(name))
	require.NoError(m, err)
	if len(data) > 0 {
		for _, line := range linesOf(string(data)) {
			m.copied[line] = true
		}
		m.place(string(data), m.name())
	}
}

// actOnLink changes one of the files that have two names.
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
		m.Remove(name)
		m.files[slices.Index(m.files, name)] = link
		m.links = slices.DeleteFunc(m.links, func(l string) bool { return l == link })
		m.line(link) // no event reports the last write by a name that was unknown then
	case 13: // it is renamed, and replaced by a longer version before any scan
		m.bothSeen(link, name)
		if m.random.IntN(3) == 0 {
			m.stop()
		}
		m.write(name)
		m.finish(name)
		to := m.name()
		m.Rename(name, to)
		m.files[slices.Index(m.files, name)] = to
		m.outgrow(to)
		m.caughtUp() // once both have grown, nobody can know which one continues
	}
}

// linked returns the two names of a file, if one has two. A second name whose file lost the first is an ordinary file.
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
