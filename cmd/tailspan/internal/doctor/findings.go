package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/opencodetree"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/place"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/tail"
)

// maxExamined limits the files of a place that are opened, newest first: the others are usually of the same kind.
const maxExamined = 200

// maxRead limits the bytes of a place that are read, newest files first. Of further files only the first lines are read.
const maxRead = 64 << 20

// maxSessions limits the sessions that are counted individually.
const maxSessions = 100_000

// maxListed limits the problems of each kind that are listed for a place.
const maxListed = 10

// findings describe the contents of a place.
type findings struct {
	name           string
	state          string // of an empty place
	files, folders int
	readable       int
	examined       int
	size, budget   int64
	newest         time.Time
	agents         map[string]int  // files by their writer
	sessions       map[string]bool // IDs in the files that were read
	unread         int             // files of which only the beginning was read; each counts as a session
	version        string          // of the most recent writer
	unknown        map[string]int  // lines by unknown type
	malformed      int             // lines
	problems       []string
	kinds          map[string]int // number of problems by kind
}

// String returns the line that describes the place.
func (f *findings) String() string {
	if f.files == 0 {
		return f.state
	}
	var parts []string
	if n := len(f.sessions) + f.unread; n > 0 {
		parts = append(parts, cli.Count(n, "session"))
	}
	parts = append(parts, cli.Count(f.files, "file"), byteSize(f.size), "newest "+render.Ago(time.Since(f.newest)))
	if f.version != "" {
		parts = append(parts, "version "+f.version)
	}
	for _, agent := range slices.Sorted(maps.Keys(f.agents)) {
		parts = append(parts, fmt.Sprintf("%s: %d", agent, f.agents[agent]))
	}
	if f.examined < f.files {
		parts = append(parts, fmt.Sprintf("the newest %d opened", f.examined))
	}
	return strings.Join(parts, ", ")
}

// examinePlace reports what is in a place.
func examinePlace(p *place.Place) *findings {
	f := &findings{
		name: p.Name, state: "there, but no session in it", budget: maxRead,
		agents: map[string]int{}, sessions: map[string]bool{}, unknown: map[string]int{}, kinds: map[string]int{},
	}
	if p.Root != "" {
		if _, err := os.Stat(p.Root); errors.Is(err, fs.ErrNotExist) {
			f.state = "not there"
			return f
		} else if err != nil {
			f.state = "can't be read"
			f.problem("unreadable", p.Root, err)
			return f
		}
	}
	matches, err := tail.Find(p.Globs, nil)
	for _, one := range joined(err) {
		f.problem("unreadable", "", one)
	}
	if p.Root == "" && len(matches) == 0 {
		f.state = "not there" // the place is a glob without matches
	}
	slices.SortStableFunc(matches, func(a, b tail.Match) int { return b.ModTime.Compare(a.ModTime) })
	tree := p.Trees && f.tree(p.Root)
	folders := map[string]bool{}
	for _, m := range matches {
		folders[filepath.Dir(m.Path)] = true
		if !tree || filepath.Ext(m.Path) != ".json" { // parts of the tree
			f.file(m)
		}
	}
	f.folders = len(folders)
	f.unlisted(p.Name)
	return f
}

// joined returns the errors that an error joins.
func joined(err error) []error {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		return all.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// file adds one file. Its first lines identify the writer.
func (f *findings) file(m tail.Match) {
	f.files++
	f.size += m.Size
	if m.ModTime.After(f.newest) {
		f.newest = m.ModTime
	}
	if f.examined == maxExamined {
		f.readable++
		f.unread++
		return
	}
	f.examined++
	if !m.Regular {
		f.problem("no_file", m.Path, errors.New("a pipe or device is not read as a file; a FIFO belongs under the receiver's setting pipes"))
		return
	}
	found, err := read(m.Path, &f.budget)
	switch {
	case errors.Is(err, errTooLong):
		f.problem("too_long", m.Path, err)
	case errors.Is(err, errIncomplete):
		f.problem("incomplete", m.Path, err)
	case err != nil:
		f.problem("unreadable", m.Path, err)
	case found.provider != "":
		f.readable++
		f.content(found)
	case m.Size == 0:
		f.readable++
		f.agents["empty"]++
	default:
		f.readable++
		f.agents["unknown"]++
		then := "they pass as they are (tailspan.raw)"
		if parser.IsAgents(m.Path) {
			then = "what an agent keeps for itself is counted, not exported"
		}
		f.problem("unknown_format", m.Path, fmt.Errorf("its first lines match no known agent; %s", then))
	}
}

// content adds the content of an agent's file.
func (f *findings) content(c *content) {
	f.agents[c.provider]++
	f.version = cmp.Or(f.version, c.version) // the newest file comes first
	f.malformed += c.stats.Malformed
	for name, n := range c.stats.UnknownTypes {
		f.unknown[name] += n
	}
	if !c.whole || len(c.sessions) == 0 {
		f.unread++
		return
	}
	maps.Copy(f.sessions, c.sessions)
}

// notes returns useful facts, such as unknown types: a newer agent writes lines that older parsers do not know.
func (f *findings) notes() []string {
	var all []string
	names := slices.Sorted(maps.Keys(f.unknown))
	for i, name := range names {
		if i == maxListed {
			all = append(all, fmt.Sprintf("unknown_type: %q: %d more types", f.name, len(names)-maxListed))
			break
		}
		all = append(all, fmt.Sprintf("unknown_type: %q: %s of type %q", f.name, cli.Count(f.unknown[name], "line"), name))
	}
	if f.malformed > 0 {
		all = append(all, fmt.Sprintf("not_understood: %q: %s torn, or no JSON", f.name, cli.Count(f.malformed, "line")))
	}
	return all
}

// tree adds a folder of OpenCode's older storage and reports whether root is one.
func (f *findings) tree(root string) bool {
	tree, err := opencodetree.Open(root)
	if errors.Is(err, opencodetree.ErrNoTree) || errors.Is(err, fs.ErrPermission) { // the search for files reports the latter
		return false
	}
	if err == nil {
		err = tree.Close()
	}
	if err != nil {
		f.problem("unreadable", root, err)
		return true
	}
	f.files++
	f.readable++
	f.examined++
	f.agents["opencode's older folders"]++
	if info, err := os.Stat(root); err == nil && info.ModTime().After(f.newest) {
		f.newest = info.ModTime()
	}
	return true
}

// problem adds a problem, with advice if the error has none.
func (f *findings) problem(kind, path string, err error) {
	text := err.Error()
	if path != "" && !strings.Contains(text, path) {
		text = fmt.Sprintf("%q: %s", path, text)
	}
	if errors.Is(err, fs.ErrPermission) {
		text += "; give the user that runs tailspan or the collector the right to read it"
	}
	if f.kinds[kind]++; f.kinds[kind] <= maxListed {
		f.problems = append(f.problems, kind+": "+text)
	}
}

// unlisted reports how many problems of each kind are not listed.
func (f *findings) unlisted(name string) {
	for _, kind := range slices.Sorted(maps.Keys(f.kinds)) {
		if n := f.kinds[kind] - maxListed; n > 0 {
			f.problems = append(f.problems, fmt.Sprintf("%s: %q: %d more", kind, name, n))
		}
	}
}
