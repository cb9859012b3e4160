package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/opencodetree"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/otlphttp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/tail"
)

// maxExamined limits how many files of a place are opened, the newest first: the others are of the same kind.
const maxExamined = 200

// maxListed limits how many problems of a kind are listed for a place.
const maxListed = 10

// examine reports what is in the places that args name, or where agents keep their sessions, and what can't be read and why.
func examine(args []string, getenv func(string) string, stdout io.Writer) error {
	places := givenPlaces(args)
	if len(args) == 0 {
		home, err := os.UserHomeDir()
		if err != nil {
			return fmt.Errorf("find home folder: %w", err)
		}
		places = agentPlaces(getenv, home)
	}
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	var problems []string
	sessions := 0
	for i := range places {
		f := examinePlace(&places[i])
		fmt.Fprintf(table, "%s\t%s\t%s\n", places[i].name, cmp.Or(places[i].root, "-"), f)
		sessions += f.readable
		problems = append(problems, f.problems...)
		if len(args) > 0 && len(f.problems) == 0 && f.files == 0 {
			problems = append(problems, fmt.Sprintf("nothing_there: %q: no file to read", places[i].name))
		}
	}
	if len(args) == 0 {
		fmt.Fprintf(table, "export\t%s\n", exportGoes(getenv))
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	if sessions == 0 && len(problems) == 0 {
		problems = append(problems, "no_sessions: no agent has kept a session in the usual folders; run one, or name its folder: tailspan doctor DIR")
	}
	return report(problems, stdout)
}

// exportGoes says where run sends to.
func exportGoes(getenv func(string) string) string {
	endpoints, err := otlphttp.FromEnvironment(getenv, "")
	switch {
	case err != nil:
		return fmt.Sprintf("run sends nothing: %v", err)
	case endpoints.Empty():
		return "run sends nothing: OTEL_EXPORTER_OTLP_ENDPOINT is not set"
	default:
		return "run sends to " + strings.Join(endpoints.Addresses(), ", ")
	}
}

// findings are what is in a place.
type findings struct {
	state           string // of a place with nothing in it
	files, readable int
	examined        int
	size            int64
	newest          time.Time
	agents          map[string]int // files by who wrote them
	problems        []string
	kinds           map[string]int // all problems by their kind
}

// String is the line of the place.
func (f *findings) String() string {
	if f.files == 0 {
		return f.state
	}
	var parts []string
	parts = append(parts, plural(f.files, "file"), byteSize(f.size), "newest "+age(time.Since(f.newest))+" ago")
	for _, agent := range slices.Sorted(maps.Keys(f.agents)) {
		parts = append(parts, fmt.Sprintf("%s: %d", agent, f.agents[agent]))
	}
	if f.examined < f.files {
		parts = append(parts, fmt.Sprintf("the newest %d opened", f.examined))
	}
	return strings.Join(parts, ", ")
}

// examinePlace reports what is in a place.
func examinePlace(p *place) *findings {
	f := &findings{agents: map[string]int{}, kinds: map[string]int{}, state: "there, but no session in it"}
	if p.root != "" {
		if _, err := os.Stat(p.root); errors.Is(err, fs.ErrNotExist) {
			f.state = "not there"
			return f
		} else if err != nil {
			f.state = "can't be read"
			f.problem("unreadable", p.root, err)
			return f
		}
	}
	matches, err := tail.Find(p.globs, nil)
	for _, one := range joined(err) {
		f.problem("unreadable", "", one)
	}
	slices.SortStableFunc(matches, func(a, b tail.Match) int { return b.ModTime.Compare(a.ModTime) })
	tree := p.trees && f.tree(p.root)
	for _, m := range matches {
		if !tree || filepath.Ext(m.Path) != ".json" { // those of a tree are its parts
			f.file(m)
		}
	}
	f.unlisted(p.name)
	return f
}

// joined are the errors that one consists of.
func joined(err error) []error {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		return all.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// file adds one file. Its first lines decide who wrote it.
func (f *findings) file(m tail.Match) {
	f.files++
	f.size += m.Size
	if m.ModTime.After(f.newest) {
		f.newest = m.ModTime
	}
	if f.examined == maxExamined {
		f.readable++
		return
	}
	f.examined++
	if !m.Regular {
		f.problem("no_file", m.Path, errors.New("a pipe or device is not read as a file; a FIFO belongs under the receiver's setting pipes"))
		return
	}
	agent, err := writerOf(m.Path)
	switch {
	case errors.Is(err, errTooLong):
		f.problem("too_long", m.Path, err)
	case errors.Is(err, errIncomplete):
		f.problem("incomplete", m.Path, err)
	case err != nil:
		f.problem("unreadable", m.Path, err)
	case agent != "":
		f.readable++
		f.agents[agent]++
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
		f.problem("unknown_format", m.Path, fmt.Errorf("its first lines are of no agent that is known; %s", then))
	}
}

// tree adds a folder of OpenCode's older storage, and reports whether root is one.
func (f *findings) tree(root string) bool {
	tree, err := opencodetree.Open(root)
	if errors.Is(err, opencodetree.ErrNoTree) {
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

// problem adds what is wrong, and what to do about it where the error does not say so.
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

// unlisted reports how many problems of each kind exceed maxListed.
func (f *findings) unlisted(name string) {
	for _, kind := range slices.Sorted(maps.Keys(f.kinds)) {
		if n := f.kinds[kind] - maxListed; n > 0 {
			f.problems = append(f.problems, fmt.Sprintf("%s: %q: %d more", kind, name, n))
		}
	}
}

// errDetected ends the reading of a file whose writer is known.
var errDetected = errors.New("the writer is known")

// errTooLong is the error of a file whose first line exceeds the limit.
var errTooLong = errors.New("its first line, or the document, is longer")

// errIncomplete is of a document that is none, by its name alone.
var errIncomplete = errors.New("it is not one whole JSON document, and until it is the collector leaves it out; JSON lines belong in a file whose name ends in .jsonl")

// writerOf detects who wrote a file by its first lines; empty if they are of no known agent.
func writerOf(path string) (string, error) {
	in, err := openInput(filepath.Clean(path), nil, io.Discard)
	if err != nil {
		return "", err
	}
	defer in.Close()
	src, err := parser.New(parser.Auto)
	if err != nil {
		return "", err
	}
	lines := lineReader{name: path, max: defaultMaxLine, framing: pipeline.NewFraming(defaultMaxLine)}
	seen := 0
	document := parser.FramingOf(path) == parser.FramingDocument
	err = lines.records(in, func(record []byte) error {
		if document && !json.Valid(bytes.TrimPrefix(record, []byte("\xef\xbb\xbf"))) && len(bytes.TrimSpace(record)) > 0 {
			return errIncomplete
		}
		src.ParseEvents(record)
		if seen++; src.Provider() != "" || seen >= parser.DetectLines {
			return errDetected
		}
		return nil
	})
	if err != nil && !errors.Is(err, errDetected) {
		return "", err
	}
	if src.Provider() == "" && seen == 0 && lines.skipped > 0 {
		return "", fmt.Errorf("%w than %d bytes, and is skipped unless max_line_size (--max-line-size, max_document_size) is greater",
			errTooLong, lines.max)
	}
	return src.Provider(), nil
}

// byteSize formats a size for people.
func byteSize(n int64) string {
	const unit = 1000
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	value, units := float64(n), "kMGTPE"
	i := -1
	for value >= unit && i < len(units)-1 {
		value /= unit
		i++
	}
	return fmt.Sprintf("%.1f %cB", value, units[i])
}

// age formats a time that has passed for people.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "less than a minute"
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	default:
		return fmt.Sprintf("%d days", int(d.Hours()/24))
	}
}
