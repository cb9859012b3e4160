package usage

import (
	"cmp"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/pipeline"
)

// head describes the beginning of a file.
type head struct {
	name       string
	transcript bool
	keys       map[string]struct{} // sessions and the first item: files that share a key may be about the same work
}

// headLines bounds the lines of a file that are read for its first item.
const headLines = 200

// errKnown ends the reading of a head.
var errKnown = errors.New("head is known")

// head reads the head of a file. Read errors are reported when the file is read.
func (r *reader) head(name string) head {
	h := head{name: name, keys: map[string]struct{}{}}
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() && !info.IsDir() { // a pipe can be read only once
		return h
	}
	in, err := input.Open(name, nil, io.Discard)
	if err != nil {
		return h
	}
	defer in.Close()
	source, err := pipeline.NewEvents(pipeline.EventSettings{Provider: r.Provider})
	if err != nil {
		return h
	}
	lines := 0
	err = input.NewLines(r.lines(name)).Records(in, func(record []byte) error {
		if lines++; h.take(source.Provider, source.ParseEvents(record)) || lines == headLines {
			return errKnown
		}
		return nil
	})
	if err == nil {
		h.take(source.Provider, source.Flush())
	}
	for _, id := range input.Sessions(in) {
		h.add(source.Provider(), "session", id)
	}
	return h
}

// take records events and reports whether they contain the first item.
func (h *head) take(provider func() string, evs []events.DisplayEvent) bool {
	for i := range evs {
		ev := &evs[i]
		h.transcript = h.transcript || ev.Session != nil && ev.Session.Recorded
		h.add(provider(), "session", ev.SessionID)
		if item := cmp.Or(ev.MessageID, ev.Tool.ID); item != "" {
			h.add(provider(), "item", item)
			return true
		}
	}
	return false
}

func (h *head) add(provider, what, id string) {
	if id != "" {
		h.keys[strings.Join([]string{provider, what, id}, "\x00")] = struct{}{}
	}
}

// group holds files that may be about the same work, in reading order: transcripts before streams, each sorted by name. The first
// file that is read counts, and a transcript has the model, time and folder of each call, even if the run was killed.
type group struct {
	files      []string
	open       []*pipeline.Pipeline // closed after all files, since one may wait for another
	unreadable []error
}

// end closes a stream unless it waits for another.
func (g *group) end(stream *pipeline.Pipeline) {
	stream.Take()
	if _, open, ok := stream.State(); !ok || !open {
		closeStream(stream)
		return
	}
	stream.Suspend()
	g.open = append(g.open, stream)
}

// groupsOf groups files, in the order of the first file of each group.
func groupsOf(heads []head) (all []*group) {
	above := make([]int, len(heads)) // for each file, an earlier one of its group; for the first, itself
	first := func(i int) int {
		for above[i] != i {
			above[i] = above[above[i]]
			i = above[i]
		}
		return i
	}
	byKey := map[string]int{}
	for i := range heads {
		above[i] = i
		for key := range heads[i].keys {
			other, known := byKey[key]
			if !known {
				byKey[key] = i
				continue
			}
			a, b := first(other), first(i)
			above[max(a, b)] = min(a, b)
		}
	}
	groups := make([]*group, len(heads))
	for i := range heads {
		if first(i) == i {
			groups[i] = new(group)
			all = append(all, groups[i])
		}
	}
	for _, transcripts := range []bool{true, false} {
		for i := range heads {
			if heads[i].transcript == transcripts {
				groups[first(i)].files = append(groups[first(i)].files, heads[i].name)
			}
		}
	}
	return all
}
